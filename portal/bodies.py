"""Bodies that do not move: a peer that falls silent ends like a broken connection, and half a body is none.

Each request that reads its body, and each download, holds one of the web server's threads. Without a limit of time a
handful of laptops that went to sleep in the middle of an upload would hold them all, and the locks of their uploads
with them. The server itself waits for ever and gives no way to stop one wait, so a watch closes the silent connections
under it.
"""

from __future__ import annotations

import io
import os
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

SILENCE_S = 30.0
"""Longest silence of a peer: far above what a mobile network, a busy disk or a browser's pause takes."""
LOOKS_A_SILENCE = 6
"""How often the watch looks within that time; a connection ends at most one look late."""
PIECE_BYTES = 64 * 1024
"""Asked of the server at a time, which waits for all of them."""
TCP_INFO_FIELDS = struct.Struct("=8B13I")
"""Beginning of Linux's ``struct tcp_info``: the state, and after nine further numbers the ages of the last data."""
LAST_SENT, LAST_RECEIVED = 8 + 9, 8 + 11
"""Places of ``tcpi_last_data_sent`` and ``tcpi_last_data_recv``, milliseconds ago."""


class Source(Protocol):
    """The server's own input."""

    def read(self, size: int = -1, /) -> bytes:
        """The next bytes; waits for them as long as it takes, and returns fewer where the connection broke."""


class BodyIncomplete(OSError):
    """The body ended before the length that was announced."""


@dataclass(slots=True)
class Watch:
    """Closes connections on which nothing moves, while somebody waits for a peer longer than ``silence_s``."""

    silence_s: float = SILENCE_S
    _since_s: dict[int, float] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _running: bool = False

    @contextmanager
    def waiting(self, port: int) -> Iterator[None]:
        """For as long as a read from, or a write to, a connection to ``port`` lasts."""
        key = threading.get_ident()
        with self._lock:
            self._since_s[key] = time.monotonic()
            if not self._running:
                self._running = True
                threading.Thread(target=self._look, args=(port,), name="silent-peers", daemon=True).start()
        try:
            yield
        finally:
            with self._lock:
                del self._since_s[key]

    def _look(self, port: int) -> None:
        """Until nobody waits."""
        while True:
            time.sleep(self.silence_s / LOOKS_A_SILENCE)
            with self._lock:
                if not self._since_s:
                    self._running = False
                    return
                longest_s = time.monotonic() - min(self._since_s.values())
            if longest_s >= self.silence_s:
                end_silent_connections(port, self.silence_s)


WATCH = Watch()
"""The web process's own."""


def end_silent_connections(port: int, silence_s: float) -> int:
    """End connections to our ``port`` that were silent both ways; the number of them.

    Idle connections that a client keeps open are among them; clients expect those to end at any time.
    """
    return sum(_end_if_silent(connection, silence_s) for connection in _connections() if _is_to(connection, port))


def _connections() -> Iterator[socket.socket]:
    """A copy of every socket of this process; it is closed when the next one is asked for."""
    for entry in Path("/proc/self/fd").iterdir():
        with suppress(OSError):
            if not str(entry.readlink()).startswith("socket:"):
                continue
            with socket.socket(fileno=os.dup(int(entry.name))) as connection:
                yield connection


def _is_to(connection: socket.socket, port: int) -> bool:
    if connection.family not in {socket.AF_INET, socket.AF_INET6} or connection.type != socket.SOCK_STREAM:
        return False
    listening = connection.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN)
    return not listening and connection.getsockname()[1] == port


def _end_if_silent(connection: socket.socket, silence_s: float) -> bool:
    told = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, TCP_INFO_FIELDS.size)
    numbers = TCP_INFO_FIELDS.unpack(told)
    if min(numbers[LAST_SENT], numbers[LAST_RECEIVED]) < silence_s * 1000:
        return False
    with suppress(OSError):  # it ended by itself meanwhile
        connection.shutdown(socket.SHUT_RDWR)
    return True


@dataclass(eq=False)
class WholeInput(io.IOBase):
    """``wsgi.input`` of a body of known length: it comes whole, or reading it raises."""

    source: Source
    expected_bytes: int
    port: int
    _received_bytes: int = 0

    def read(self, size: int = -1, /) -> bytes:
        """``size`` bytes, or all with -1; fewer at the end. Raises BodyIncomplete where the end came too early."""
        pieces: list[bytes] = []
        while size != 0 and (piece := self._piece(PIECE_BYTES if size < 0 else min(size, PIECE_BYTES))):
            pieces.append(piece)
            size -= len(piece) if size > 0 else 0
        return b"".join(pieces)

    def _piece(self, size: int) -> bytes:
        with WATCH.waiting(self.port):
            piece = self.source.read(size)
        self._received_bytes += len(piece)
        if not piece and self._received_bytes < self.expected_bytes:
            raise BodyIncomplete(f"expected {self.expected_bytes} bytes, got {self._received_bytes}")
        return piece


Application = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


def whole_bodies(application: Application) -> Application:
    """``application`` with bodies that come whole and in time, or not at all."""

    def served(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        length = str(environ.get("CONTENT_LENGTH") or "")
        body = WholeInput(
            environ["wsgi.input"], int(length) if length.isdecimal() else 0, int(environ.get("SERVER_PORT") or 0)
        )
        answer = application({**environ, "wsgi.input": body}, start_response)
        return _sent(answer, body.port) if getattr(answer, "streaming", False) else answer

    return served


def _sent(answer: Iterable[bytes], port: int) -> Iterator[bytes]:
    """A streamed answer; while a piece is given away, somebody waits for the peer to take it."""
    try:
        for piece in answer:
            with WATCH.waiting(port):
                yield piece
    finally:
        getattr(answer, "close", lambda: None)()
