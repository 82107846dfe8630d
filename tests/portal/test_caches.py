"""Redis away: no request fails, counts begin anew."""

from __future__ import annotations

import pytest
from django.test import Client
from django.test.utils import override_settings

from portal.caches import ForgivingRedisCache
from scripts.common import free_port
from tests.portal.api.world import World, declare

AWAY = {"default": {"BACKEND": "portal.caches.ForgivingRedisCache", "LOCATION": "redis://127.0.0.1:1/0"}}


def test_every_operation_answers_as_an_empty_cache() -> None:
    cache = ForgivingRedisCache(f"redis://127.0.0.1:{free_port()}/0", {})
    cache.set("a", 1)
    assert cache.get("a", "nothing") == "nothing"
    assert cache.add("a", 1) is True
    assert cache.delete("a") is False


@pytest.mark.parametrize("path", ["/api/v1/boards", "/api/v1/me", "/account/login/", "/account/signup/"])
def test_nothing_that_is_asked_for_fails(client: Client, world: World, path: str) -> None:
    with override_settings(CACHES=AWAY):
        assert client.get(path, headers=world.headers()).status_code == 200


def test_bundles_are_taken_meanwhile(client: Client, world: World) -> None:
    with override_settings(CACHES=AWAY):
        assert declare(client, world, b"bundle").status_code == 201


def test_people_sign_up_and_in_meanwhile(client: Client, db: None) -> None:
    secret = "a long word that nobody guesses"
    with override_settings(CACHES=AWAY):
        form = {"email": "erin@example.org", "password1": secret, "password2": secret}
        assert client.post("/account/signup/", form).status_code == 302
        client.logout()
        answer = client.post("/account/login/", {"login": "erin@example.org", "password": secret})
    assert answer.status_code == 302
