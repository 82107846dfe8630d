"""What a bundle holds, unpacked for reading: entries, statement, system description, logs and telemetry."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ranking.evidence import canonical, names
from ranking.evidence.bundle import read_bundle
from ranking.evidence.errors import EvidenceError
from ranking.evidence.model import DeviceSample, Reading, RunEvidence, TelemetrySample, measured
from ranking.findings import Finding
from ranking.trace import US_PER_S
from runner.entries import Entry, read_entries, unreadable
from runner.errors import UsageError

INDENT = "    "


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
    findings: tuple[Finding, ...]


def contents_of(path: Path) -> Contents:
    """All that can be read of the bundle at ``path``; raises ``bundle.unreadable`` where it is no container at all."""
    opened = read_entries(path, (names.STATEMENT, names.SYSTEM))
    evidence, findings = read_bundle(path)
    envelope = _document(opened.contents.get(names.STATEMENT))
    return Contents(
        path=str(path),
        size_bytes=evidence.size_bytes,
        bundle=evidence.bundle_id,
        entries=opened.entries,
        statement=_payload(envelope),
        signatures=envelope.get("signatures") if isinstance(envelope, dict) else None,
        system=_document(opened.contents.get(names.SYSTEM)),
        runs=tuple(_run(run) for run in evidence.runs),
        findings=tuple(findings),
    )


def log_of(path: Path, run: int) -> str:
    """The log of run ``run`` as it stands in the bundle."""
    return _text(path, run, names.log_name(run))


def telemetry_of(path: Path, run: int) -> str:
    """The telemetry of run ``run`` as it stands in the bundle."""
    return _text(path, run, names.telemetry_name(run))


def _text(path: Path, run: int, name: str) -> str:
    opened = read_entries(path, (name,))
    if name not in {entry.name for entry in opened.entries}:
        raise UsageError("bundle.no_such_run", "The bundle has no such run.", place=path, got=f"run {run}")
    if name not in opened.contents:
        raise unreadable(path, f"{name} is too large")
    return opened.contents[name].decode("utf-8", "replace")


def _document(data: bytes | None) -> Any:
    """JSON as it stands in the bundle; None where there is none or it cannot be read, of which a finding tells."""
    try:
        return None if data is None else canonical.loads(data)
    except EvidenceError:
        return None


def _payload(envelope: Any) -> Any:
    """The statement in an envelope; None where it cannot be read, of which a finding tells."""
    try:
        return _document(canonical.decode64(envelope["payload"], place=names.STATEMENT))
    except (EvidenceError, KeyError, TypeError):
        return None


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
    whole = [sample for sample in samples if place < len(sample.devices)]

    def reader(name: str) -> Callable[[TelemetrySample], Reading]:
        def read(sample: TelemetrySample) -> Reading:
            device: DeviceSample = sample.devices[place]
            return getattr(device, name)  # type: ignore[no-any-return]

        return read

    return {name: _mean(whole, reader(name)) for name in fields}


def _mean(samples: Sequence[TelemetrySample], read: Callable[[TelemetrySample], Reading]) -> float | None:
    """The mean of what could be read; divided before it is summed, so that no sum overflows."""
    values = [value for sample in samples if (value := measured(read(sample))) is not None]
    return sum(value / len(values) for value in values) if values else None


def render(contents: Contents) -> str:
    """The contents for a person."""
    return "\n".join(_lines(contents))


def _lines(contents: Contents) -> Iterator[str]:
    yield f"{contents.path}: {contents.size_bytes:,} bytes, bundle {contents.bundle or 'without a readable statement'}"
    yield "All of it would be sent, and nothing else."
    yield f"\nEntries ({len(contents.entries)})"
    yield from (f"{INDENT}{entry.size_bytes:>12,}  {_visible(entry.name)}" for entry in contents.entries)
    yield "\nStatement (its list of files, the same as above, is left out)"
    yield _json(_without_files(contents.statement))
    yield "\nSignature"
    yield _json(contents.signatures)
    yield "\nSystem description"
    yield _json(contents.system)
    yield "\nRuns (in full: vflops inspect BUNDLE --log RUN, and --telemetry RUN)"
    yield from (_run_line(run) for run in contents.runs)
    if contents.findings:
        yield "\nNot as it should be (what to do about it: vflops verify BUNDLE)"
        yield from (f"{INDENT}{_finding_line(found)}" for found in contents.findings)


def _without_files(statement: Any) -> Any:
    if isinstance(statement, dict) and isinstance(statement.get("subject"), list):
        return {**statement, "subject": len(statement["subject"])}
    return statement


def _finding_line(found: Finding) -> str:
    parts = (found.expected and f"expected {found.expected}", found.got and f"got {found.got}")
    return _visible(f"{found.id}  {found.place}: " + "; ".join(filter(None, parts)))


def _visible(text: str) -> str:
    """``text`` with everything that a terminal would obey or hide written out."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


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
    if value is None:
        return f"{INDENT}cannot be read"
    text = json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False)
    return "\n".join(INDENT + _visible(line) for line in text.split("\n"))
