"""Public pages: the same for everybody, no cookie, answered with 304 where nothing changed."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec

from django.http import HttpRequest, HttpResponseBase
from django.http.response import HttpResponse
from django.utils.cache import get_conditional_response, patch_cache_control
from django.utils.http import quote_etag
from django.views.decorators.http import require_safe

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponse]

POLICY = "Content-Security-Policy"
SHARED_AGE_S = 60
"""Seconds that a shared cache may answer alone; browsers ask every time and mostly get a 304."""


def public_page(view: View[P]) -> Callable[Concatenate[HttpRequest, P], HttpResponseBase]:
    """Give ``view`` an ETag over its body and a public cache lifetime; only GET and HEAD pass."""

    @wraps(view)
    def wrapped(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        response = view(request, *args, **kwargs)
        if response.status_code != 200:
            return response
        etag = quote_etag(hashlib.sha256(response.content).hexdigest()[:32])
        response["ETag"] = etag
        patch_cache_control(response, public=True, max_age=0, s_maxage=SHARED_AGE_S)
        answer: HttpResponseBase = get_conditional_response(request, etag=etag, response=response) or response
        if POLICY in response:
            answer[POLICY] = response[POLICY]  # a 304 replaces the headers that the browser has stored
        return answer

    return require_safe(wrapped)
