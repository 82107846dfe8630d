"""Bodies of requests: whole ones pass as they are, half a body is none, and silent connections end."""

from __future__ import annotations

import io
import socket
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest

from portal.bodies import PIECE_BYTES, BodyIncomplete, Watch, WholeInput, end_silent_connections, whole_bodies

BODY = bytes(range(256)) * 600


@pytest.mark.parametrize("size", [100, PIECE_BYTES, PIECE_BYTES + 1, -1])
def test_a_body_comes_through_in_any_portions(size: int) -> None:
    body = WholeInput(io.BytesIO(BODY), len(BODY), 0)
    portions = [body.read(size)]
    while portions[-1]:
        portions.append(body.read(size))
    assert b"".join(portions) == BODY


def test_half_a_body_is_none() -> None:
    body = WholeInput(io.BytesIO(BODY), len(BODY) + 1, 0)
    with pytest.raises(BodyIncomplete):
        body.read(-1)


def test_an_application_reads_its_body_as_before() -> None:
    def application(environ: dict[str, Any], _start: Callable[..., Any]) -> Iterable[bytes]:
        return [environ["wsgi.input"].read(5), environ["wsgi.input"].read(5)]

    environ = {"wsgi.input": io.BytesIO(b"0123456789"), "CONTENT_LENGTH": "10", "SERVER_PORT": "80"}
    assert list(whole_bodies(application)(environ, lambda *_: None)) == [b"01234", b"56789"]


def test_silent_connections_of_the_server_end_and_no_others() -> None:
    """The age of the last byte is the kernel's; with no patience at all every accepted connection is silent."""
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_server(("127.0.0.1", 0)) as other:
        port = server.getsockname()[1]
        with (
            socket.create_connection(server.getsockname()) as client,
            server.accept()[0] as accepted,
            socket.create_connection(other.getsockname()) as foreign,
            other.accept()[0] as elsewhere,
        ):
            assert end_silent_connections(port, 3600.0) == 0
            assert end_silent_connections(port, 0.0) == 1
            assert (accepted.recv(1), client.recv(1)) == (b"", b"")
            foreign.sendall(b"x")
            assert elsewhere.recv(1) == b"x"


def test_a_read_that_waits_too_long_has_its_connection_ended_under_it() -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        socket.create_connection(server.getsockname()),
        server.accept()[0] as accepted,
        Watch(silence_s=0.1).waiting(server.getsockname()[1]),
    ):
        assert accepted.recv(1) == b""


def test_a_streamed_answer_comes_whole_and_is_closed() -> None:
    class Stream:
        streaming = True
        closed = False

        def __iter__(self) -> Iterator[bytes]:
            return iter([b"a", b"b"])

        def close(self) -> None:
            self.closed = True

    stream = Stream()
    answer = whole_bodies(lambda _environ, _start: stream)({"wsgi.input": io.BytesIO(b"")}, lambda *_: None)
    assert b"".join(answer) == b"ab"
    assert stream.closed
