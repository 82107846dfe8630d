"""What every request and answer goes through besides Django's own: no NUL gets in, no private page into a cache."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn
from urllib.parse import unquote_plus

from django.core.exceptions import BadRequest, RequestDataTooBig
from django.core.files.uploadhandler import FileUploadHandler
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.cache import has_vary_header, patch_cache_control

Answer = Callable[[HttpRequest], HttpResponseBase]


def refuse_nul(get_response: Answer) -> Answer:
    """Answer 400 where query or cookies hold U+0000: PostgreSQL takes it in no text, and nothing here means it.

    A path with one fits no address. A cookie may write it as an octal escape, and then reaches the session's query.
    """

    def middleware(request: HttpRequest) -> HttpResponseBase:
        query = unquote_plus(request.META.get("QUERY_STRING", ""))
        if any("\0" in text for text in (query, *request.COOKIES, *request.COOKIES.values())):
            raise BadRequest("a NUL character")
        return get_response(request)

    return middleware


def keep_private(get_response: Answer) -> Answer:
    """Tell caches to leave alone what depends on a cookie, wherever a page does not say for itself."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        if not response.has_header("Cache-Control") and (response.cookies or has_vary_header(response, "Cookie")):
            patch_cache_control(response, private=True, no_cache=True)
        return response

    return middleware


class RefuseFiles(FileUploadHandler):
    """Refuses a file in a form at its first byte."""

    def new_file(self, *args: Any, **kwargs: Any) -> NoReturn:
        """No form has a place for one."""
        raise RequestDataTooBig("no form takes a file")

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes:
        """Never reached."""
        return raw_data

    def file_complete(self, file_size: int) -> None:
        """Never reached."""
