"""Errors of workloads that a user can act on: a stable id, and what, where, expected, got, what to do."""

from __future__ import annotations


class WorkloadError(Exception):
    """Something outside the code keeps a workload from running; ``id`` is stable, the prose is not."""

    def __init__(
        self, id: str, message: str, *, place: object = "", expected: object = "", got: object = "", action: str = ""
    ) -> None:
        super().__init__(id, message)  # both, so that copies for other processes can be made
        self.id = id
        self.message = message
        self.place = str(place)
        self.expected = str(expected)
        self.got = str(got)
        self.action = action

    def __str__(self) -> str:
        parts = [f"{self.id}: {self.message}"]
        labelled = (("at", self.place), ("expected", self.expected), ("got", self.got), ("what to do", self.action))
        parts.extend(f"{label}: {text}" for label, text in labelled if text)
        return "\n  ".join(parts)


class DatasetError(WorkloadError):
    """A dataset is missing, damaged or cannot be fetched; ids ``data.*``."""
