"""What all doors of the account area share: who is there, what they may see, and how a refusal is told."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from portal.accounts.models import Organisation, User
from portal.accounts.selectors import organisations_visible_to
from portal.errors import PortalError

P = ParamSpec("P")
Door = Callable[Concatenate[HttpRequest, P], HttpResponse]


def private(*methods: str) -> Callable[[Door[P]], Callable[Concatenate[HttpRequest, P], HttpResponseBase]]:
    """A page for people who are logged in, never cached; ``methods`` are those it takes, GET and HEAD by default."""

    def decorate(view: Door[P]) -> Callable[Concatenate[HttpRequest, P], HttpResponseBase]:
        @wraps(view)
        def wrapped(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
            return view(request, *args, **kwargs)

        return require_http_methods(list(methods or ("GET", "HEAD")))(never_cache(login_required(wrapped)))

    return decorate


def person(request: HttpRequest) -> User:
    """Who is there, behind ``private``."""
    return cast("User", request.user)


def organisation_of(request: HttpRequest, slug: str) -> Organisation:
    """The organisation of that slug, or a 404 that does not tell a hidden one from none."""
    found = organisations_visible_to(person(request)).filter(slug=slug).first()
    if found is None:
        raise Http404("no such organisation")
    return found


def attempt(request: HttpRequest, action: Callable[[], object], done: str) -> bool:
    """Run a service; say ``done``, or what was refused and what to do. Returns whether it was done."""
    try:
        action()
    except PortalError as error:
        explanation = error.explanation
        messages.error(request, f"{explanation.title} {explanation.action}", extra_tags=error.id)
        return False
    messages.success(request, done)
    return True
