"""Files of the runner's own that are replaced as a whole."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

EVERYBODY_READS = 0o644
OWNER_ONLY = 0o600


def write_whole(path: Path, content: bytes, *, mode: int = EVERYBODY_READS) -> None:
    """Write a file so that a crash leaves the old one or the new one; never more open than ``mode``.

    Each writer has a part of its own (mkstemp makes it 0600), so that two processes cannot mix theirs.
    """
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
    part = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fchmod(file.fileno(), mode)
            os.fsync(file.fileno())
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
