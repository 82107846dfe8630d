"""Prose and reference pages: they say what the code says."""

from __future__ import annotations

import pytest
from django.test import Client

from portal.pages.reference import operations
from tests.portal.api.world import World, stored_submission
from workloads.definition import registry

ACCOUNT_PAGES = ("/account/login/", "/account/signup/", "/account/password/reset/")


def test_the_rules_name_every_definition_in_force(client: Client, db: None) -> None:
    """With its target and operations per sample."""
    html = client.get("/rules/").content.decode()
    for workload in registry():
        assert workload.id in html
        assert f"{workload.flops_per_sample:,}" in html


def test_the_reference_lists_every_operation_of_the_api(client: Client, db: None) -> None:
    """From the description that programs read."""
    html = client.get("/api/").content.decode()
    found = operations()
    assert {"/api/v1/uploads", "/api/v1/boards"} <= {operation.path for operation in found}
    for operation in found:
        assert f'id="{operation.anchor}"' in html


def test_operations_that_need_a_token_say_so(db: None) -> None:
    """Boards are open, submissions are not."""
    by_path = {(operation.method, operation.path): operation for operation in operations()}
    assert not by_path["GET", "/api/v1/boards"].needs_token
    assert by_path["GET", "/api/v1/submissions"].needs_token


def test_the_queue_page_counts_and_names_nobody(client: Client, world: World) -> None:
    """Numbers only."""
    submission = stored_submission(world)
    html = client.get("/queue/").content.decode()
    assert "The oldest waiting submission" in html
    assert submission.public_id not in html
    assert "Laboratory" not in html


def test_the_account_menu_knows_who_is_there_and_is_private(client: Client, world: World) -> None:
    """It is the one part of a public page that differs."""
    anonymous = client.get("/account/menu/")
    assert "Sign in" in anonymous.content.decode()
    assert not anonymous.cookies
    client.force_login(world.alice)
    menu = client.get("/account/menu/")
    assert "Sign out" in menu.content.decode()
    assert "private" in menu["Cache-Control"]
    assert "Cookie" in menu["Vary"]


@pytest.mark.parametrize("path", ACCOUNT_PAGES)
def test_account_pages_wear_the_sites_own_dress(client: Client, db: None, path: str) -> None:
    """Not the library's."""
    html = client.get(path).content.decode()
    assert 'class="site-head"' in html
    assert 'class="form"' in html
    assert "<style" not in html
