"""The portal's API v1 as typed calls: who am I, keys, submissions; sending bundles is in ``runner.uploading``."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlsplit

import httpx

from runner import answers
from runner.answers import Account, Key, Submission
from runner.portal_errors import ATTEMPTS, GATEWAY_STATUSES, PortalError, pause_s

CONNECT_TIMEOUT_S = 10.0
"""Seconds until a portal that does not answer the connection counts as unreachable."""

IDLE_TIMEOUT_S = 60.0
"""Seconds without a byte in either direction; above the portal's slowest step, hashing a bundle of the maximum size."""

POLL_FIRST_S = 1.0
"""Seconds between the first two looks at a submission: smoke bundles are judged about that fast."""

POLL_MAX_S = 10.0
"""Longest pause between two looks; a look at an unchanged submission costs one 304."""

RETRY_AFTER_MAX_S = 3600.0
"""Longest wait that a portal may ask for; the longest of ours is a quarter of an hour."""

LOOPBACK_HOSTS = frozenset({"localhost", "127.0.0.1", "::1"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Polled:
    """One look at a submission; ``submission`` is None where nothing changed since ``etag``."""

    submission: Submission | None
    etag: str


def normal_address(text: str) -> str:
    """A portal's address as it is stored: scheme, host and port; https where no scheme is given, http on this machine.

    Raises PortalError ``portal.not_a_portal`` for anything that is not an address.
    """
    with_scheme = text.strip() if "://" in text else f"//{text.strip()}"
    try:
        parts = urlsplit(with_scheme)
        port = f":{parts.port}" if parts.port else ""
    except ValueError as error:
        raise PortalError("portal.not_a_portal", f"{text!r} is not an address") from error
    scheme = parts.scheme or ("http" if parts.hostname in LOOPBACK_HOSTS else "https")
    if scheme not in {"http", "https"} or not parts.hostname or parts.username:
        raise PortalError("portal.not_a_portal", f"{text!r} is not a web address")
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return f"{scheme}://{host}{port}{parts.path.rstrip('/')}"


def sends_secrets_in_clear(address: str) -> bool:
    """Whether a token would cross a network unencrypted."""
    parts = urlsplit(address)
    return parts.scheme == "http" and parts.hostname not in LOOPBACK_HOSTS


class Portal:
    """A portal at ``address`` (see ``normal_address``), spoken to with ``token``; close it, or use ``with``."""

    def __init__(
        self,
        address: str,
        token: str,
        *,
        transport: httpx.BaseTransport | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.address = address
        self.sleep = sleep
        self._http = httpx.Client(
            base_url=f"{address}/api/v1/",
            headers={"Authorization": f"Bearer {token}", "Accept": "application/json, application/problem+json"},
            timeout=httpx.Timeout(IDLE_TIMEOUT_S, connect=CONNECT_TIMEOUT_S),
            transport=transport,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, tb: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def request(self, method: str, url: str, **options: Any) -> httpx.Response:
        """A response below 400; raises PortalError otherwise. ``url`` is relative to the API, or whole.

        The token goes to the portal alone, whatever address an answer or a file of ours names.
        """
        if "://" in url and not url.startswith(f"{self.address}/"):
            raise PortalError("portal.unexpected_answer", f"the address {url} is not the portal's")
        try:
            response = self._http.request(method, url, **options)
        except (httpx.TransportError, httpx.InvalidURL) as error:
            raise PortalError("portal.unreachable", f"{self.address}: {_reason(error)}") from error
        if response.status_code >= 300 and response.status_code != 304:
            raise _refusal(response)
        return response

    def me(self) -> Account:
        """Whose token this is; raises PortalError ``token.*`` where the portal refuses it."""
        return answers.account(self._document("GET", "me"))

    def registered_keys(self) -> tuple[Key, ...]:
        """All signing keys of the organisations of this account, revoked ones included."""
        return tuple(answers.key(row) for row in self._all_rows("keys"))

    def key_register(self, *, organisation: str, name: str, public_key: str, signature: str) -> Key:
        """Register a public key (base64 of 32 bytes); ``signature`` proves that its private half is at hand."""
        fields = {"organisation": organisation, "name": name, "public_key": public_key, "signature": signature}
        return answers.key(self._document("POST", "keys", json=fields))

    def submissions(self) -> tuple[Submission, ...]:
        """Newest submissions that this account may see, newest first (one page)."""
        return tuple(answers.submission(row) for row in self._rows("submissions"))

    def submission(self, id: str) -> Submission:
        """One submission with the findings of its newest report."""
        polled = self.poll(id, etag="").submission
        if polled is None:
            raise PortalError("portal.unexpected_answer", "304 although nothing was asked conditionally")
        return polled

    def poll(self, id: str, *, etag: str) -> Polled:
        """A look at a submission that costs next to nothing where ``etag`` still holds."""
        headers = {"If-None-Match": etag} if etag else {}
        response = self.request("GET", f"submissions/{id}", headers=headers)
        if response.status_code == httpx.codes.NOT_MODIFIED:
            return Polled(submission=None, etag=etag)
        return Polled(submission=answers.submission(_json(response)), etag=response.headers.get("ETag", ""))

    def publish(self, id: str) -> Submission:
        """Publish a verified submission."""
        return answers.submission(self._document("POST", f"submissions/{id}/publish"))

    def follow(
        self, id: str, *, until: Callable[[Submission], bool], on_change: Callable[[Submission], None]
    ) -> Submission:
        """Look at a submission until ``until`` says so; ``on_change`` hears every change. A portal that restarts
        meanwhile is waited for."""
        etag, wait_s = "", POLL_FIRST_S
        while True:
            polled = self._poll_patiently(id, etag)
            if polled.submission is not None:
                on_change(polled.submission)
                if until(polled.submission):
                    return polled.submission
                wait_s = POLL_FIRST_S
            etag = polled.etag
            self.sleep(wait_s)
            wait_s = min(wait_s * 1.5, POLL_MAX_S)

    def _poll_patiently(self, id: str, etag: str) -> Polled:
        for attempt in range(1, ATTEMPTS + 1):
            try:
                return self.poll(id, etag=etag)
            except PortalError as error:
                if not error.may_pass:
                    raise
                self.sleep(max(error.retry_after_s, pause_s(attempt)))
        return self.poll(id, etag=etag)

    def _document(self, method: str, url: str, **options: Any) -> Mapping[str, Any]:
        return _json(self.request(method, url, **options))

    def _rows(self, url: str) -> list[Mapping[str, Any]]:
        """The rows of the first page."""
        return _results(self._document("GET", url), url)

    def _all_rows(self, url: str) -> Iterator[Mapping[str, Any]]:
        """The rows of all pages."""
        query: str | None = ""
        while query is not None:
            page = self._document("GET", f"{url}?{query}")
            yield from _results(page, url)
            query = urlsplit(page["next"]).query if page.get("next") else None


def _results(page: Mapping[str, Any], url: str) -> list[Mapping[str, Any]]:
    rows = page.get("results")
    if not isinstance(rows, list):
        raise PortalError("portal.unexpected_answer", f"{url}: a list of results was expected")
    return rows


def _reason(error: Exception) -> str:
    """A connection's failure in words; some of httpx's errors have none."""
    return str(error) or type(error).__name__


def _json(response: httpx.Response) -> Mapping[str, Any]:
    try:
        document = response.json()
    except ValueError as error:
        raise PortalError("portal.not_a_portal", f"{response.url} did not answer with JSON") from error
    if not isinstance(document, dict):
        raise PortalError("portal.unexpected_answer", f"{response.url}: an object was expected")
    return document


def _refusal(response: httpx.Response) -> PortalError:
    """The problem that a response reports; a HEAD has no body, so the id also comes as a header."""
    if response.is_redirect:
        return PortalError("portal.moved", f"{response.url} is now {response.headers.get('Location', '')}")
    problem = _problem(response)
    error_id = response.headers.get("Vflops-Error") or problem.get("id")
    status = response.status_code
    if error_id is None:
        error_id = "portal.overloaded" if status in GATEWAY_STATUSES else "portal.not_a_portal"
    return PortalError(
        error_id,
        problem.get("detail") or f"{response.url} answered {status} {response.reason_phrase}",
        http_status=status,
        action=problem.get("action", ""),
        retry_after_s=_seconds(response.headers.get("Retry-After", "")),
    )


def _problem(response: httpx.Response) -> Mapping[str, Any]:
    """The problem that a body tells of; nothing where it is of another shape."""
    if not response.headers.get("Content-Type", "").startswith("application/problem+json"):
        return {}
    try:
        document = response.json()
    except ValueError:
        return {}
    return document if isinstance(document, dict) else {}


def _seconds(text: str) -> float:
    return min(float(text), RETRY_AFTER_MAX_S) if text.isdecimal() else 0.0
