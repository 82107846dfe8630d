"""Losses read without waiting for the device: a value is copied beside the computation and read once it is there."""

from __future__ import annotations

from collections import deque
from typing import Protocol

import torch
from torch import Tensor

IN_FLIGHT = 8
"""Steps that the host may be ahead of a device: enough to keep it busy, few enough that reported progress is true."""


class LossReader(Protocol):
    """Takes the losses of an interval's steps one after the other."""

    def add(self, loss: Tensor, samples: int) -> float | None:
        """Take a step's mean loss; returns the newest value that can be read at once."""

    def mean(self) -> float:
        """Mean over all samples taken; waits for the device."""


class HostLosses:
    """On a CPU the value is there when the step returns."""

    def __init__(self) -> None:
        self._sum = 0.0
        self._samples = 0

    def add(self, loss: Tensor, samples: int) -> float:
        value = float(loss)
        self._sum += value * samples
        self._samples += samples
        return value

    def mean(self) -> float:
        return self._sum / self._samples


class DeviceLosses:
    """On a CUDA device: the sum stays there, single values come through pinned memory behind an event."""

    def __init__(self, device: torch.device) -> None:
        self._sum = torch.zeros((), dtype=torch.float64, device=device)
        self._samples = 0
        self._values = torch.empty(IN_FLIGHT, dtype=torch.float32, pin_memory=True)
        self._pending: deque[tuple[int, torch.cuda.Event]] = deque()
        self._step = 0

    def add(self, loss: Tensor, samples: int) -> float | None:
        newest = self._oldest_done() if len(self._pending) == IN_FLIGHT else None
        slot = self._step % IN_FLIGHT
        self._values[slot].copy_(loss, non_blocking=True)
        self._sum += loss * samples
        event = torch.cuda.Event()
        event.record()
        self._pending.append((slot, event))
        self._samples += samples
        self._step += 1
        return newest

    def _oldest_done(self) -> float:
        """The value of the oldest step in flight; waits for that step alone, so the device never runs dry."""
        slot, event = self._pending.popleft()
        event.synchronize()
        return float(self._values[slot])

    def mean(self) -> float:
        return float(self._sum) / self._samples


def loss_reader(device: torch.device) -> LossReader:
    """The reader for ``device``."""
    return DeviceLosses(device) if device.type == "cuda" else HostLosses()
