"""Answers that no portal of ours gives: each is one clear error, never a traceback or an endless wait."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from runner.client import RETRY_AFTER_MAX_S, Portal
from runner.portal_errors import PortalError
from runner.portals import UnfinishedUploads
from runner.uploading import Destination, describe, send

PROBLEM = {"Content-Type": "application/problem+json"}


def portal(answer: Callable[[httpx.Request], httpx.Response]) -> Portal:
    """A portal that answers so."""
    return Portal("http://portal.example", "vfl_x", transport=httpx.MockTransport(answer), sleep=lambda _s: None)


@pytest.mark.parametrize("body", [b"", b"[]", b"null", b"{", b"\xff", b'{"id": 5}'])
def test_a_problem_of_another_shape_is_still_an_error(body: bytes) -> None:
    with pytest.raises(PortalError) as refused:
        portal(lambda _request: httpx.Response(400, headers=PROBLEM, content=body)).me()
    assert refused.value.http_status == 400


@pytest.mark.parametrize(("text", "seconds"), [("9" * 400, RETRY_AFTER_MAX_S), ("2", 2.0), ("-1", 0.0), ("soon", 0.0)])
def test_no_portal_makes_anybody_wait_for_ever(text: str, seconds: float) -> None:
    with pytest.raises(PortalError) as refused:
        portal(lambda _request: httpx.Response(429, headers={"Retry-After": text})).me()
    assert refused.value.retry_after_s == seconds


@pytest.mark.parametrize(
    "headers",
    [
        {"Location": "/api/v1/uploads/x", "Upload-Offset": "99"},
        {"Location": "/api/v1/uploads/x", "Upload-Offset": "-1"},
        {"Location": "http://elsewhere.example/x"},
        {"Location": "http://portal.example@elsewhere.example/x"},
    ],
)
def test_an_upload_goes_to_the_portal_alone_and_within_the_file(tmp_path: Path, headers: dict[str, str]) -> None:
    """Nothing is sent, least of all the token, to another address."""
    asked: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(f"{request.method} {request.url.host}")
        return httpx.Response(201, headers=headers)

    path = tmp_path / "run.vflops"
    path.write_bytes(b"bundle")
    with pytest.raises(PortalError) as refused:
        send(
            portal(answer),
            describe(path),
            Destination(organisation="", publish=False),
            unfinished=UnfinishedUploads(tmp_path / "uploads.json"),
            progress=lambda _sent, _all: None,
        )
    assert (refused.value.id, asked) == ("portal.unexpected_answer", ["POST portal.example"])
