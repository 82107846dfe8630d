"""Sending a bundle by the tus 1.0 protocol: size and hash first, then bytes by offset, going on after every break."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urljoin

import httpx

from runner.client import Portal
from runner.portal_errors import ATTEMPTS, PortalError, pause_s
from runner.portals import UnfinishedUploads
from workloads.datasets.files import sha256_of

PIECE_BYTES = 32 * 1024**2
"""Bytes of one PATCH: below common limits of proxies, so large that its round trip is nothing."""

READ_BYTES = 64 * 1024
"""Bytes read from disk at a time; memory stays constant whatever the bundle's size."""

TUS = {"Tus-Resumable": "1.0.0"}

Progress = Callable[[int, int], None]
"""Hears bytes on the portal, and bytes in all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bundle:
    """A file to send, as declared before its first byte."""

    path: Path
    size_bytes: int
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Destination:
    """Whose submission a bundle becomes, by slug; ``publish`` as soon as it is verified."""

    organisation: str
    publish: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """Where an upload stands on the portal; ``submission`` is its public id, once all bytes arrived and match."""

    address: str
    offset_bytes: int
    submission: str | None


def describe(path: Path) -> Bundle:
    """Size and SHA-256 of a file."""
    return Bundle(path=path, size_bytes=path.stat().st_size, sha256=sha256_of(path))


def send(
    portal: Portal,
    bundle: Bundle,
    destination: Destination,
    *,
    unfinished: UnfinishedUploads,
    progress: Progress,
) -> str:
    """Send a bundle and return the public id of its submission; sending it again returns the same id.

    Raises PortalError where the portal refuses, or ``upload.interrupted`` where no byte gets through any more.
    """
    key = f"{portal.address} {destination.organisation} {bundle.sha256}"
    standing = _resume(portal, unfinished.find(key)) or _create(portal, bundle, destination)
    unfinished.keep(key, standing.address)
    try:
        submission = _send_rest(portal, bundle, standing, progress)
    except PortalError as error:
        if error.id == "upload.hash_mismatch":
            unfinished.forget(key)
        raise
    unfinished.forget(key)
    return submission


def _resume(portal: Portal, address: str | None) -> Standing | None:
    """Where an upload of an earlier call stands; None where there is none, or the portal has discarded it."""
    if address is None:
        return None
    try:
        return _look(portal, address)
    except PortalError as error:
        if error.http_status in {404, 410}:
            return None
        raise


def _create(portal: Portal, bundle: Bundle, destination: Destination) -> Standing:
    fields = {
        "filename": bundle.path.name,
        "sha256": bundle.sha256,
        "organisation": destination.organisation,
        "publish": "true" if destination.publish else "false",
    }
    metadata = ",".join(f"{name} {base64.b64encode(value.encode()).decode()}" for name, value in fields.items())
    headers = {**TUS, "Upload-Length": str(bundle.size_bytes), "Upload-Metadata": metadata}
    response = portal.request("POST", "uploads", headers=headers)
    address = urljoin(str(response.url), response.headers.get("Location", ""))
    return _standing(response, address)


def _look(portal: Portal, address: str) -> Standing:
    return _standing(portal.request("HEAD", address, headers=TUS), address)


def _standing(response: httpx.Response, address: str) -> Standing:
    offset = response.headers.get("Upload-Offset", "0")
    if not offset.isdecimal():
        raise PortalError("portal.unexpected_answer", f"Upload-Offset is {offset!r}")
    return Standing(
        address=address, offset_bytes=int(offset), submission=response.headers.get("Vflops-Submission") or None
    )


def _send_rest(portal: Portal, bundle: Bundle, standing: Standing, progress: Progress) -> str:
    """Send what is missing, in pieces; after each break ask where the portal stands and go on there."""
    attempts, best = 0, standing.offset_bytes
    progress(best, bundle.size_bytes)
    while standing.submission is None:
        if standing.offset_bytes > bundle.size_bytes:
            raise PortalError("portal.unexpected_answer", f"Upload-Offset {standing.offset_bytes} is beyond the file")
        standing, trouble = _try_piece(portal, bundle, standing, progress)
        progress(standing.offset_bytes, bundle.size_bytes)
        if standing.offset_bytes > best:
            attempts, best = 0, standing.offset_bytes
        elif standing.submission is None:
            attempts += 1
            if attempts > ATTEMPTS:
                raise _given_up(bundle, best, trouble)
            portal.sleep(max(trouble.retry_after_s if trouble else 0.0, pause_s(attempts)))
    return standing.submission


def _try_piece(
    portal: Portal, bundle: Bundle, standing: Standing, progress: Progress
) -> tuple[Standing, PortalError | None]:
    """Where the portal stands after one piece, and what broke it, if that may pass; other refusals are raised."""
    try:
        return _send_piece(portal, bundle, standing, progress), None
    except PortalError as error:
        if not error.may_pass:
            raise
        return _look_again(portal, standing), error


def _send_piece(portal: Portal, bundle: Bundle, standing: Standing, progress: Progress) -> Standing:
    """One PATCH; an empty one where all bytes are there and only the end was lost."""
    first = standing.offset_bytes
    length = min(PIECE_BYTES, bundle.size_bytes - first)
    headers = {
        **TUS,
        "Upload-Offset": str(first),
        "Content-Length": str(length),
        "Content-Type": "application/offset+octet-stream",
    }
    content = _bytes(bundle, first, length, progress)
    return _standing(portal.request("PATCH", standing.address, headers=headers, content=content), standing.address)


def _bytes(bundle: Bundle, first: int, length: int, progress: Progress) -> Iterator[bytes]:
    """The bytes of one piece; a file that shrank meanwhile is told apart from a broken connection."""
    with bundle.path.open("rb") as stream:
        stream.seek(first)
        sent = 0
        while sent < length:
            piece = stream.read(min(READ_BYTES, length - sent))
            if not piece:
                raise PortalError("upload.hash_mismatch", f"{bundle.path} became shorter while it was sent")
            yield piece
            sent += len(piece)
            progress(first + sent, bundle.size_bytes)


def _look_again(portal: Portal, standing: Standing) -> Standing:
    """Where the portal stands after a break; the same as before while it cannot be reached."""
    try:
        return _look(portal, standing.address)
    except PortalError as error:
        if error.may_pass:
            return standing
        raise


def _given_up(bundle: Bundle, sent_bytes: int, trouble: PortalError | None) -> PortalError:
    reason = trouble.problem.message if trouble else "the portal took the last byte but made no submission"
    return PortalError(
        "upload.interrupted",
        f"{bundle.path.name}: {sent_bytes} of {bundle.size_bytes} bytes are on the portal, then nothing got through"
        f" ({reason})",
        http_status=trouble.http_status if trouble else 0,
    )
