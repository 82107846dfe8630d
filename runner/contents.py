"""What a bundle holds, unpacked for reading: entries, statement, system description, logs and telemetry."""

from __future__ import annotations

import base64
import json
import statistics
import zipfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ranking.evidence import canonical, names
from ranking.evidence.bundle import read_bundle
from ranking.evidence.model import DeviceSample, Reading, RunEvidence, TelemetrySample, measured
from runner.errors import RunnerError, UsageError

US_PER_S = 1_000_000
INDENT = "    "


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A file in the bundle."""

    name: str
    size_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RunContents:
    """What a run's log and telemetry add up to; a mean is None where nothing could be read."""

    index: int
    seed: int
    log_lines: int
    telemetry_records: int
    telemetry_s: float
    cpu_percent: float | None
    devices: tuple[dict[str, float | None], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Contents:
    """Everything in a bundle, and the ids of what is wrong with it."""

    path: str
    size_bytes: int
    bundle: str | None
    entries: tuple[Entry, ...]
    statement: Any
    signatures: Any
    system: Any
    runs: tuple[RunContents, ...]
    findings: tuple[str, ...]


def contents_of(path: Path) -> Contents:
    """The contents of the bundle at ``path``; raises ``bundle.unreadable`` where it is no container at all."""
    evidence, findings = read_bundle(path)
    with _open(path) as bundle:
        envelope: Any = canonical.loads(bundle.read(names.STATEMENT))
        return Contents(
            path=str(path),
            size_bytes=evidence.size_bytes,
            bundle=evidence.bundle_id,
            entries=tuple(Entry(name=i.filename, size_bytes=i.file_size) for i in bundle.infolist()),
            statement=canonical.loads(base64.b64decode(envelope["payload"])),
            signatures=envelope["signatures"],
            system=canonical.loads(bundle.read(names.SYSTEM)),
            runs=tuple(_run(run) for run in evidence.runs),
            findings=tuple(sorted({found.id for found in findings})),
        )


def log_of(path: Path, run: int) -> str:
    """The log of run ``run`` as it stands in the bundle."""
    with _open(path) as bundle:
        name = names.log_name(run)
        if name not in bundle.namelist():
            raise UsageError("bundle.no_such_run", "The bundle has no such run.", place=path, got=f"run {run}")
        return bundle.read(name).decode("utf-8", "replace")


def _open(path: Path) -> zipfile.ZipFile:
    try:
        bundle = zipfile.ZipFile(path)
    except (zipfile.BadZipFile, OSError) as error:
        raise _unreadable(path, str(error)) from error
    missing = {names.STATEMENT, names.SYSTEM} - set(bundle.namelist())
    if missing:
        bundle.close()
        raise _unreadable(path, f"missing: {', '.join(sorted(missing))}")
    return bundle


def _unreadable(path: Path, got: str) -> RunnerError:
    return RunnerError(
        "bundle.unreadable",
        "This file is no bundle.",
        place=path,
        expected="a file that `vflops run` wrote",
        got=got,
        action=f"See what is wrong with it: vflops verify {path}",
    )


def _run(run: RunEvidence) -> RunContents:
    samples = run.telemetry
    span_us = samples[-1].clock_us - samples[0].clock_us if samples else 0
    return RunContents(
        index=run.index,
        seed=run.seed,
        log_lines=len(run.lines),
        telemetry_records=len(samples),
        telemetry_s=span_us / US_PER_S,
        cpu_percent=_mean(samples, lambda sample: sample.host.cpu_percent),
        devices=tuple(_device(samples, place) for place in range(len(samples[0].devices) if samples else 0)),
    )


def _device(samples: Sequence[TelemetrySample], place: int) -> dict[str, float | None]:
    fields = ("utilisation_percent", "memory_used_bytes", "power_watts", "clock_mhz", "temperature_c")

    def reader(name: str) -> Callable[[TelemetrySample], Reading]:
        def read(sample: TelemetrySample) -> Reading:
            device: DeviceSample = sample.devices[place]
            return getattr(device, name)  # type: ignore[no-any-return]

        return read

    return {name: _mean(samples, reader(name)) for name in fields}


def _mean(samples: Sequence[TelemetrySample], read: Callable[[TelemetrySample], Reading]) -> float | None:
    values = [value for sample in samples if (value := measured(read(sample))) is not None]
    return statistics.fmean(values) if values else None


def render(contents: Contents) -> str:
    """The contents for a person."""
    return "\n".join(_lines(contents))


def _lines(contents: Contents) -> Iterator[str]:
    yield f"{contents.path}: {contents.size_bytes:,} bytes, bundle {contents.bundle or 'without a readable statement'}"
    yield "All of it would be sent, and nothing else."
    yield f"\nEntries ({len(contents.entries)})"
    yield from (f"{INDENT}{entry.size_bytes:>12,}  {entry.name}" for entry in contents.entries)
    yield "\nStatement (its list of files, the same as above, is left out)"
    yield _json({**contents.statement, "subject": len(contents.statement["subject"])})
    yield "\nSignature"
    yield _json(contents.signatures)
    yield "\nSystem description"
    yield _json(contents.system)
    yield "\nRuns (their logs in full: vflops inspect BUNDLE --log RUN)"
    yield from (_run_line(run) for run in contents.runs)
    if contents.findings:
        yield f"\nNot as it should be: {', '.join(contents.findings)}; see vflops verify"


def _run_line(run: RunContents) -> str:
    parts = [
        f"{INDENT}{run.index}: seed {run.seed}, {run.log_lines} log lines",
        f"{run.telemetry_records} telemetry records over {run.telemetry_s:.1f} s",
        f"host CPU {_shown(run.cpu_percent, '%')}",
    ]
    for place, device in enumerate(run.devices):
        parts.append(
            f"device {place}: {_shown(device['utilisation_percent'], '%')}, {_shown(device['power_watts'], ' W')}"
        )
    return ", ".join(parts)


def _shown(value: float | None, unit: str) -> str:
    return "unavailable" if value is None else f"{value:.0f}{unit}"


def _json(value: Any) -> str:
    text = json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False)
    return "\n".join(INDENT + line for line in text.splitlines())
