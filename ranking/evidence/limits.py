"""How much of each thing a bundle may hold, and why."""

from __future__ import annotations

from dataclasses import dataclass

from ranking.evidence.names import Kind

MIB = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Upper bounds in bytes, and one in entries; a portal may ask for less.

    * file: reference scale keeps the checkpoints of 5 runs that are drawn later, ResNet-50 with momentum takes 0.2 GB.
    * entries: 64 runs of 150 evaluations.
    * statement: 10,000 subjects of 150 bytes, in base64.
    * system: a description of 1,000 packages takes 100 KB.
    * log: a progress line of 350 bytes a second for 26 hours. Text is held parsed, at up to ten times its size.
    * telemetry: a line of 2.5 KB (8 devices) a second for 7 hours, or of one device for 38 hours.
    * text: all logs and telemetry of a bundle together, for the memory of the process that reads them.
    * checkpoint: the largest network of the definitions with optimizer state, thirty times.
    """

    file_bytes: int = 64 << 30
    entries: int = 10_000
    statement_bytes: int = 4 * MIB
    system_bytes: int = MIB
    log_bytes: int = 32 * MIB
    telemetry_bytes: int = 64 * MIB
    text_bytes: int = 192 * MIB
    checkpoint_bytes: int = 8 << 30

    def of(self, kind: Kind) -> int:
        """The bound of one entry of that kind."""
        return {
            Kind.STATEMENT: self.statement_bytes,
            Kind.SYSTEM: self.system_bytes,
            Kind.LOG: self.log_bytes,
            Kind.TELEMETRY: self.telemetry_bytes,
            Kind.CHECKPOINT: self.checkpoint_bytes,
        }[kind]
