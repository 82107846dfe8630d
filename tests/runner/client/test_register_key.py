"""Registering a key: made where there is none, proven to be at hand, left alone where it is known."""

from __future__ import annotations

from pathlib import Path

from runner import keys
from tests.portal.uploads.served import Served
from tests.runner.client.conftest import CommandLine


def test_a_key_is_made_and_registered(logged_in: CommandLine, own_home: Path, server: Served) -> None:
    said = logged_in("keys", "register", "--json")
    key = keys.load_key()
    assert said.status == 0
    assert said.document["key_id"] == key.key_id
    assert said.document["organisation"] == "laboratory"
    listed = server.api("GET", "keys").json()["results"]
    assert key.public_text in {row["public_key"] for row in listed}


def test_registering_again_says_the_same(logged_in: CommandLine) -> None:
    first, second = (logged_in("keys", "register", "--json").document for _ in range(2))
    assert first == second


def test_a_key_of_another_organisation_is_refused(logged_in: CommandLine, server: Served) -> None:
    logged_in("keys", "register")
    logged_in("login", server.address, "--token", server.elsewhere)
    said = logged_in("keys", "register", "--json")
    assert (said.status, said.error_id) == (1, "key.already_registered")
    assert said.document["error"]["action"]


def test_a_key_in_words(logged_in: CommandLine) -> None:
    assert f"laboratory signs with key {keys.create_key().key_id}" in logged_in("keys", "register").out
