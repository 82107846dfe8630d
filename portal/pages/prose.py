"""Pages of prose and reference: rules, glossary, taking part, the API, the state of the queue, the account menu."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import patch_vary_headers
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from portal.boards.caching import public_page
from portal.pages.reference import operations
from portal.pages.selectors import queue_state
from workloads.definition import registry


@public_page
def rules(request: HttpRequest) -> HttpResponse:
    """The rules of the benchmark."""
    return render(request, "pages/rules.html", {"workloads": registry(), "section": "rules"})


@public_page
def glossary(request: HttpRequest) -> HttpResponse:
    """Words and frequent questions."""
    return render(request, "pages/glossary.html", {"section": "glossary"})


@public_page
def take_part(request: HttpRequest) -> HttpResponse:
    """From nothing to a published row."""
    return render(request, "pages/take_part.html", {"section": "take_part"})


@public_page
def api_reference(request: HttpRequest) -> HttpResponse:
    """Every operation of the API, from its OpenAPI description."""
    return render(request, "pages/api.html", {"operations": operations(), "section": "api"})


@public_page
def queue(request: HttpRequest) -> HttpResponse:
    """How long submissions wait at the moment."""
    return render(request, "pages/queue.html", {"queue": queue_state()})


@require_safe
@cache_control(private=True, no_cache=True)
def account_menu(request: HttpRequest) -> HttpResponse:
    """The part of the page head that knows who is there; loaded apart, so that pages stay the same for everybody."""
    response = render(request, "includes/account_menu.html")
    patch_vary_headers(response, ["Cookie"])
    return response
