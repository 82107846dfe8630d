"""Pages of organisations for their members: list, new, members, signing keys, API tokens."""

from __future__ import annotations

from functools import partial

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from portal.accounts.models import Organisation, Role
from portal.accounts.selectors import may_manage, may_submit, organisations_visible_to
from portal.accounts.services import (
    api_token_create,
    api_token_revoke,
    membership_add,
    membership_remove,
    organisation_create,
    signing_key_revoke,
)
from portal.errors import PortalError
from portal.pages import selectors
from portal.pages.doors import attempt, organisation_of, person, private
from portal.pages.forms import MemberForm, OrganisationForm, ReasonForm, TokenForm


@private()
def organisation_list(request: HttpRequest) -> HttpResponse:
    """The person's organisations."""
    found = organisations_visible_to(person(request))
    return render(request, "pages/organisations.html", {"organisations": found, "tab": "organisations"})


@private("GET", "HEAD", "POST")
def organisation_new(request: HttpRequest) -> HttpResponse:
    """Make an organisation; the person becomes its owner."""
    form = OrganisationForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            made = organisation_create(user=person(request), **form.cleaned_data)
        except PortalError as error:
            form.add_error("name", f"{error.explanation.title} {error.explanation.action}")
        else:
            messages.success(request, _("The organisation is made. Next: a token for the command line."))
            return redirect("pages:tokens", slug=made.slug)
    return render(request, "pages/organisation_new.html", {"form": form, "tab": "organisations"})


def _context(request: HttpRequest, organisation: Organisation, tab: str) -> dict[str, object]:
    who = person(request)
    return {
        "organisation": organisation,
        "may_manage": may_manage(who, organisation),
        "may_submit": may_submit(who, organisation),
        "inner": tab,
        "tab": "organisations",
    }


@private("GET", "HEAD", "POST")
def members(request: HttpRequest, slug: str) -> HttpResponse:
    """Who belongs to the organisation; owners add people and give roles."""
    organisation = organisation_of(request, slug)
    form = MemberForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        given = form.cleaned_data
        role = Role(given["role"])
        action = partial(membership_add, organisation=organisation, by=person(request), email=given["email"], role=role)
        if attempt(request, action, _("The role is given.")):
            return redirect("pages:members", slug=slug)
    context = _context(request, organisation, "members") | {
        "form": form,
        "memberships": selectors.memberships_of(organisation),
    }
    return render(request, "pages/members.html", context)


@private("POST")
def member_remove(request: HttpRequest, slug: str, person_id: str) -> HttpResponse:
    """Take a person out, or leave."""
    organisation = organisation_of(request, slug)
    membership = get_object_or_404(selectors.memberships_of(organisation), user__public_id=person_id)
    action = partial(membership_remove, membership=membership, by=person(request))
    attempt(request, action, _("The person is no member any more."))
    if membership.user == person(request):
        return redirect("pages:organisations")
    return redirect("pages:members", slug=slug)


@private()
def keys(request: HttpRequest, slug: str) -> HttpResponse:
    """The organisation's signing keys, and how to register one."""
    organisation = organisation_of(request, slug)
    context = _context(request, organisation, "keys") | {"keys": selectors.signing_keys_of(organisation)}
    return render(request, "pages/keys.html", context)


@private("GET", "HEAD", "POST")
def key_revoke(request: HttpRequest, slug: str, key_id: str) -> HttpResponse:
    """Revoke a signing key, with a reason."""
    organisation = organisation_of(request, slug)
    key = get_object_or_404(selectors.signing_keys_of(organisation), key_id=key_id)
    form = ReasonForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        action = partial(signing_key_revoke, key=key, user=person(request), reason=form.cleaned_data["reason"])
        attempt(request, action, _("The key is revoked."))
        return redirect("pages:keys", slug=slug)
    context = _context(request, organisation, "keys") | {"key": key, "form": form}
    return render(request, "pages/key_revoke.html", context)


@private("GET", "HEAD", "POST")
def tokens(request: HttpRequest, slug: str) -> HttpResponse:
    """The person's API tokens; a new one's secret is shown in the answer to its making and never again."""
    organisation = organisation_of(request, slug)
    form = TokenForm(request.POST or None)
    secret = ""
    if request.method == "POST" and form.is_valid():
        try:
            _token, secret = api_token_create(organisation=organisation, user=person(request), **form.cleaned_data)
            form = TokenForm()
        except PortalError as error:
            form.add_error(None, f"{error.explanation.title} {error.explanation.action}")
    context = _context(request, organisation, "tokens") | {
        "form": form,
        "secret": secret,
        "now": timezone.now(),
        "tokens": selectors.tokens_visible_to(person(request), organisation),
    }
    return render(request, "pages/tokens.html", context)


@private("POST")
def token_revoke(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    """End a token."""
    organisation = organisation_of(request, slug)
    token = get_object_or_404(selectors.tokens_of(organisation), public_id=public_id)
    attempt(request, partial(api_token_revoke, token=token, user=person(request)), _("The token is revoked."))
    return redirect("pages:tokens", slug=slug)
