"""From training to a rank: real runs, server, worker, Redis and PostgreSQL, and a worker that is killed on the way."""

from __future__ import annotations

import json
import subprocess
import time
from pathlib import Path
from typing import Any

import psutil
import pytest
from playwright.sync_api import Page, expect

from tests.live import BOARD, Live, finish

pytestmark = [pytest.mark.end_to_end, pytest.mark.browser]

PATIENCE_S = 120.0
"""Bound of every wait below; what is waited for comes within a second, on a loaded machine within ten."""


def kill_worker_while_it_verifies(live: Live) -> None:
    """SIGKILL to the worker, its pool and the verifying child, in the moment in which that child is seen."""
    deadline = time.monotonic() + PATIENCE_S
    while not (children := live.processes("ranking.verify")):
        assert time.monotonic() < deadline, "no verification was started"
        time.sleep(0.005)
    for process in [*live.processes("celery", "worker"), *children]:
        try:
            process.kill()
        except psutil.NoSuchProcess:
            continue


def submit_through_a_crash(live: Live, bundle: Path) -> dict[str, Any]:
    """The submission as `vflops submit --wait` ends up with it, though the worker died over it."""
    command: subprocess.Popen[str] = live.vflops("submit", bundle, "--wait", "--json")
    kill_worker_while_it_verifies(live)
    (submission,) = json.loads(finish(command))["submissions"]
    return dict(submission)


def wait_until_published(live: Live, submission: str) -> dict[str, Any]:
    """The submission once the worker has published it."""
    deadline = time.monotonic() + PATIENCE_S
    while (seen := live.api("GET", f"submissions/{submission}", token=live.token))["state"] != "published":
        assert time.monotonic() < deadline, seen
        time.sleep(0.2)
    return seen


def test_a_bundle_becomes_a_rank_though_the_worker_is_killed(live: Live, bundle: Path, page: Page) -> None:
    verified = submit_through_a_crash(live, bundle)
    assert (verified["state"], verified["attempt"]) == ("verified", 2)

    live.api("POST", f"submissions/{verified['id']}/publish", token=live.token)
    published = wait_until_published(live, verified["id"])

    board = live.api("GET", f"boards/{BOARD}")
    (row,) = [row for row in board["results"] if row["id"] == published["result"]]
    assert row["rank"] == 1
    assert row["valid_flops"] == pytest.approx(published["valid_flops"])

    page.goto(f"{live.address}/boards/{BOARD}/")
    first = page.locator(".board-table tbody tr").first
    expect(first).to_contain_text("Demo Organisation")
    first.locator(f"a[href*='/results/{row['id']}/']").first.click()
    expect(page.locator(".js-plotly-plot").first).to_be_visible()


def test_the_same_bundle_again_is_the_same_submission(live: Live, bundle: Path, published: dict[str, Any]) -> None:
    again = finish(live.vflops("submit", bundle, "--wait", "--json"))
    assert json.loads(again)["submissions"][0]["id"] == published["id"]
    rows = live.api("GET", f"boards/{BOARD}")["results"]
    assert [row["id"] for row in rows] == [published["result"]]
