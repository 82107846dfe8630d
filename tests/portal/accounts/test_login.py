"""Signing up, logging in, a forgotten password, and guessing one."""

from __future__ import annotations

import re

import pytest
from django.conf import settings as portal_settings
from django.core import mail
from django.test import Client
from pytest_django.fixtures import Settings

from portal.accounts.models import User

PASSWORD = "a password of words"


@pytest.fixture
def dora(db: None) -> User:
    """A person with a password."""
    return User.objects.create_user("dora@example.org", PASSWORD)


def log_in(client: Client, email: str, password: str) -> int:
    """The status that the login page answers with."""
    return int(client.post("/account/login/", {"login": email, "password": password}).status_code)


def is_logged_in(client: Client) -> bool:
    """Whether the session is somebody's."""
    return "_auth_user_id" in client.session


@pytest.mark.parametrize("email", ["dora@example.org", "DORA@Example.org"])
def test_a_person_logs_in_by_address(client: Client, dora: User, email: str) -> None:
    """However it is capitalised."""
    assert log_in(client, email, PASSWORD) == 302
    assert is_logged_in(client)


def test_a_person_signs_up_with_address_and_password(client: Client, db: None) -> None:
    """And is asked to confirm the address."""
    fields = {"email": "New@example.org", "password1": PASSWORD, "password2": PASSWORD}
    assert client.post("/account/signup/", fields).status_code == 302
    assert User.objects.get().email == "new@example.org"
    assert mail.outbox[0].to == ["new@example.org"]


@pytest.mark.parametrize("password", ["short", "password123", "1234567890"])
def test_a_weak_password_is_refused(client: Client, db: None, password: str) -> None:
    """Short, common, or digits alone."""
    fields = {"email": "new@example.org", "password1": password, "password2": password}
    assert client.post("/account/signup/", fields).status_code == 200
    assert not User.objects.exists()


def test_a_forgotten_password_is_set_anew_by_mail(client: Client, dora: User) -> None:
    """The link in the mail opens the form."""
    client.post("/account/password/reset/", {"email": dora.email})
    found = re.search(r"http://\S+?(/account/password/reset/key/\S+/)", str(mail.outbox[0].body))
    assert found
    form = client.get(found[1], follow=True).redirect_chain[-1][0]
    client.post(form, {"password1": "another password of words", "password2": "another password of words"})
    assert log_in(Client(), dora.email, "another password of words") == 302


def test_an_unknown_address_is_not_given_away(client: Client, dora: User) -> None:
    """The reset page answers alike."""
    known = client.post("/account/password/reset/", {"email": dora.email})
    unknown = client.post("/account/password/reset/", {"email": "nobody@example.org"})
    assert (known.status_code, known.headers["Location"]) == (unknown.status_code, unknown.headers["Location"])


def test_guessing_a_password_locks_the_address_out(client: Client, dora: User) -> None:
    """Also for the right one, for a while; another address still logs in."""
    User.objects.create_user("eve@example.org", PASSWORD)
    for _ in range(portal_settings.AXES_FAILURE_LIMIT):
        log_in(client, dora.email, "wrong")
    refused = client.post("/account/login/", {"login": dora.email.upper(), "password": PASSWORD})
    assert (refused.status_code, refused.headers["Retry-After"]) == (429, "900")
    assert "15 minutes" in refused.content.decode()
    assert not is_logged_in(client)
    assert log_in(client, "eve@example.org", PASSWORD) == 302


def test_behind_a_proxy_guesses_lock_out_who_guesses_not_everybody(
    client: Client, dora: User, settings: Settings
) -> None:
    """All connections come from the proxy; it writes down from whom, and what callers write before that is void."""
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    settings.ALLAUTH_TRUSTED_PROXY_COUNT = 1
    for number in range(settings.AXES_FAILURE_LIMIT):
        log_in(Client(headers={"X-Forwarded-For": f"10.0.0.{number}, 10.9.9.9"}), dora.email, "wrong")
    assert log_in(Client(headers={"X-Forwarded-For": "10.0.0.77, 10.9.9.9"}), dora.email, PASSWORD) == 429
    assert log_in(Client(headers={"X-Forwarded-For": "10.9.9.9, 10.0.0.1"}), dora.email, PASSWORD) == 302
