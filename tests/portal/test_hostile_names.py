"""Names from outside are text on every page: no tag, no attribute, no template, no script, no formula, no header."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from django.test import Client

from portal.accounts.models import Organisation, SigningKey, User
from portal.accounts.services import api_token_create
from portal.audit.services import result_mark
from portal.results.models import MarkKind, Result
from portal.submissions.models import Submission, Upload
from tests.portal.api.world import World
from tests.portal.reports import FINDING, claims, report
from tests.portal.scenes import publish, record, register

HOSTILE = "=1+1<img src=x onerror=alert(1)>\"'{{ 7|add:7 }}</script>"
FORBIDDEN = ("<img src=x", "alert(1)></", "}}</script>", "\"'{", "14</")
"""Pieces of it that no page holds as they are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """What bears the name, and who looks."""

    result: Result
    pending: Submission
    key: SigningKey
    owner: Client
    auditor: Client


@pytest.fixture
def scene(world: World, auditor: User, make_submission: Callable[[str], Submission]) -> Scene:
    """Everything that can be given a name has this one."""
    Organisation.objects.filter(pk=world.laboratory.pk).update(name=HOSTILE)
    User.objects.filter(pk=world.bob.pk).update(name=HOSTILE)
    world.laboratory.refresh_from_db()
    key = register(world.laboratory, world.alice)
    SigningKey.objects.update(name=HOSTILE, revoked_reason=HOSTILE)
    api_token_create(organisation=world.laboratory, user=world.alice, name=HOSTILE)
    finding = {name: HOSTILE for name in FINDING if name not in {"id", "verdict"}} | {"id": "a.b", "verdict": "note"}
    odd: dict[str, Any] = {
        "submission": claims(system_name=HOSTILE),
        "findings": [finding],
        "system": {"framework": HOSTILE, HOSTILE: HOSTILE, "other_software_stack": {HOSTILE: HOSTILE}},
        "accelerator": {"name": HOSTILE, "canonical": None, "count": 1, "vendor": HOSTILE, "peak_flops": None},
        "framework": HOSTILE,
    }
    result = publish(record(make_submission("a"), report("a", **odd)), world.alice)
    result_mark(result=result, kind=MarkKind.NOTED, reason=HOSTILE, auditor=auditor)
    pending = record(make_submission("b"), report("b", **odd))
    Submission.objects.filter(pk=pending.pk).update(last_error_id="publication.failed", last_error=HOSTILE)
    Upload.objects.update(filename=f"{HOSTILE}.vflops")
    owner, desk = Client(), Client()
    owner.force_login(world.alice)
    desk.force_login(auditor)
    return Scene(result=result, pending=pending, key=key, owner=owner, auditor=desk)


def pages(scene: Scene) -> list[tuple[Client, str]]:
    """Every page that shows a name."""
    result, pending = scene.result, scene.pending
    own = [
        "/",
        "/boards/",
        "/boards/image_classification/smoke/hardware/",
        "/organisations/laboratory/",
        f"/results/{result.public_id}/",
        f"/results/{result.public_id}/versions/1/",
        "/account/menu/",
        "/account/organisations/",
        *(f"/organisations/laboratory/{part}/" for part in ("members", "keys", "tokens")),
        f"/organisations/laboratory/keys/{scene.key.key_id}/revoke/",
        "/submissions/",
        "/submissions/new/",
        *(f"/submissions/{pending.public_id}/{part}" for part in ("", "state/", "withdraw/")),
        f"/submissions/{result.submission.public_id}/withdraw/",
    ]
    desk = [
        "/admin/submissions/submission/",
        f"/admin/submissions/submission/{pending.pk}/change/",
        f"/admin/submissions/submission/{pending.pk}/report/",
        f"/admin/submissions/submission/{pending.pk}/log/",
        f"/admin/submissions/submission/{pending.pk}/decide/",
        "/admin/submissions/verificationreport/",
        "/admin/results/result/",
        f"/admin/results/result/{result.pk}/change/",
        f"/admin/results/result/{result.pk}/mark/",
        "/admin/trail/event/",
    ]
    return [(scene.owner, path) for path in own] + [(scene.auditor, path) for path in desk]


def test_no_page_takes_a_name_for_more_than_text(scene: Scene) -> None:
    shown = 0
    for client, path in pages(scene):
        answer = client.get(path)
        text = answer.content.decode()
        assert answer.status_code == 200, path
        assert [piece for piece in FORBIDDEN if piece in text] == [], path
        shown += "&lt;img src=x" in text
    assert shown >= 15


def test_no_cell_of_a_table_is_a_formula(scene: Scene) -> None:
    board = "/api/v1/boards/image_classification/smoke/hardware"
    text = Client().get(board, headers={"Accept": "text/csv"}).content.decode()
    head, row = csv.reader(io.StringIO(text))
    cells = dict(zip(head, row, strict=True))
    assert cells["organisation_name"] == cells["system"] == f"'{HOSTILE}"
    assert not any(cell.startswith(("=", "+", "@", "\t", "\r")) for cell in row)


def test_no_header_of_a_download_holds_a_name_from_outside(scene: Scene) -> None:
    for client, path in (
        (scene.owner, f"/results/{scene.result.public_id}/bundle"),
        (scene.owner, f"/api/v1/submissions/{scene.pending.public_id}/bundle"),
        (scene.owner, f"/results/{scene.result.public_id}/citation.bib"),
        (scene.owner, f"/results/{scene.result.public_id}/report.json"),
    ):
        answer = client.get(path)
        assert answer.status_code == 200, path
        assert answer["X-Content-Type-Options"] == "nosniff"
        assert not any("onerror" in value for _name, value in answer.items()), path
        assert not answer["Content-Type"].startswith("text/html")
        assert b"".join(answer) != b""  # a file is closed at its end
