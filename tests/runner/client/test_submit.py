"""Handing in: progress, going on after breaks, the same submission for the same bytes, and clear refusals."""

from __future__ import annotations

import json
import random
import time
from itertools import pairwise
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from runner import keys, portals, uploading
from runner.client import Portal
from runner.commands.register_key import register
from runner.keys import SigningKey
from runner.portal_errors import PortalError, pause_s
from tests import bundles
from tests.portal.uploads.served import Served, Wire
from tests.runner.client.conftest import CommandLine, MakeBundle, MakeFile

LARGE_BYTES = 3_000_000
FOR_LABORATORY = uploading.Destination(organisation="laboratory", publish=False)


def wait_briefly(seconds: float) -> None:
    """Pauses of the client, cut so that a test need not last as long."""
    time.sleep(min(seconds, 0.05))


@pytest.fixture
def unfinished(tmp_path: Path) -> portals.UnfinishedUploads:
    """What the client remembers of uploads."""
    return portals.UnfinishedUploads(tmp_path / "uploads.json")


def test_a_bundle_becomes_a_submission_with_an_address(logged_in: CommandLine, make_bundle: MakeBundle) -> None:
    said = logged_in("submit", make_bundle())
    assert said.status == 0
    assert "/submissions/" in said.out
    assert "run.vflops" in said.err


def test_programs_get_one_json_document(logged_in: CommandLine, make_bundle: MakeBundle, server: Served) -> None:
    said = logged_in("submit", make_bundle(), "--publish", "--json")
    (submission,) = said.document["submissions"]
    assert said.err == ""
    assert submission["address"] == f"{server.address}/submissions/{submission['id']}/"
    assert submission["publish_when_verified"] is True


def test_the_same_bytes_again_give_the_same_submission(logged_in: CommandLine, make_bundle: MakeBundle) -> None:
    path = make_bundle()
    ids = {logged_in("submit", path, "--json").document["submissions"][0]["id"] for _ in range(3)}
    assert len(ids) == 1


def test_several_bundles_are_handed_in_and_one_that_is_refused_stops_none(
    logged_in: CommandLine, make_bundle: MakeBundle
) -> None:
    paths = [make_bundle("a.vflops"), make_bundle("b.zip"), make_bundle("c.vflops")]
    said = logged_in("submit", *paths, "--json")
    first, second, third = said.document["submissions"]
    assert said.status == 1
    assert (first["state"], third["state"]) == ("queued", "queued")
    assert second["error"]["id"] == "upload.file_type"
    assert second["error"]["action"]
    assert "[upload.file_type]" in logged_in("submit", *paths).out


def test_a_file_that_is_not_there_is_a_wrong_use_and_nothing_is_sent(
    logged_in: CommandLine, make_bundle: MakeBundle, tmp_path: Path
) -> None:
    said = logged_in("submit", make_bundle(), tmp_path / "missing.vflops", "--json")
    assert (said.status, said.error_id) == (2, "bundle.missing")


def test_an_organisation_of_others_is_a_wrong_use(logged_in: CommandLine, make_bundle: MakeBundle) -> None:
    said = logged_in("submit", make_bundle(), "--organisation", "elsewhere", "--json")
    assert (said.status, said.error_id) == (2, "organisation.not_yours")
    assert "laboratory" in said.document["error"]["expected"]


def test_a_bundle_whose_key_nobody_registered_is_not_sent(
    logged_in: CommandLine, make_bundle: MakeBundle, own_home: Path
) -> None:
    paths = [make_bundle(key=bundles.OTHER_KEY), make_bundle("good.vflops")]
    said = logged_in("submit", *paths, "--json")
    refused, sent = said.document["submissions"]
    assert said.status == 1
    assert refused["error"]["id"] == "key.unknown"
    assert "vflops keys register" in refused["error"]["action"]
    assert "id" not in refused
    assert sent["state"] == "queued"


def test_registering_the_key_is_all_that_is_to_do(logged_in: CommandLine, make_bundle: MakeBundle) -> None:
    key = keys.create_key()
    path = make_bundle(key=key.private)
    assert logged_in("submit", path, "--json").document["submissions"][0]["error"]["id"] == "key.unknown"
    assert logged_in("keys", "register").status == 0
    assert logged_in("submit", path).status == 0


def test_a_bundle_whose_key_was_revoked_is_not_sent(
    logged_in: CommandLine, make_bundle: MakeBundle, server: Served
) -> None:
    key = keys.create_key("old")
    logged_in("keys", "register", "old")
    with Portal(server.address, server.secret) as portal:
        portal.request("POST", f"keys/{key.key_id}/revoke", json={"reason": "lost"})
    said = logged_in("submit", make_bundle(key=key.private), "--json")
    assert said.document["submissions"][0]["error"]["id"] == "key.revoked"


def test_a_bundle_that_names_another_organisation_is_not_sent(logged_in: CommandLine, make_bundle: MakeBundle) -> None:
    said = logged_in("submit", make_bundle(organisation="elsewhere"), "--json")
    assert said.document["submissions"][0]["error"]["id"] == "key.other_organisation"
    assert logged_in("submit", make_bundle("own.vflops", organisation="laboratory")).status == 0


def test_a_file_that_is_no_bundle_is_not_sent(logged_in: CommandLine, make_file: MakeFile) -> None:
    said = logged_in("submit", make_file())
    assert said.status == 1
    assert "[bundle.unreadable]" in said.out
    assert "vflops verify" in said.out


def test_keys_are_found_on_every_page(server: Served) -> None:
    made = [SigningKey(f"many-{number}", Path(), Ed25519PrivateKey.generate()) for number in range(51)]
    with Portal(server.address, server.secret) as portal:
        for key in made:
            register(portal, key, "laboratory")
        assert {key.key_id for key in made} <= {key.key_id for key in portal.registered_keys()}


@pytest.mark.parametrize("seed", range(3))
def test_a_wire_that_breaks_costs_no_byte_that_arrived(
    server: Served, make_file: MakeFile, unfinished: portals.UnfinishedUploads, seed: int
) -> None:
    bundle = uploading.describe(make_file(size=LARGE_BYTES))
    draw = random.Random(seed)
    breaks = [draw.randrange(100_000, 1_000_000) for _ in range(3)]
    heard: list[int] = []
    with (
        Wire(server.port, breaks) as wire,
        Portal(f"http://127.0.0.1:{wire.port}", server.secret, sleep=wait_briefly) as portal,
    ):
        submission = uploading.send(
            portal, bundle, FOR_LABORATORY, unfinished=unfinished, progress=lambda sent, _: heard.append(sent)
        )
        assert wire.broken >= 1
        assert portal.submission(submission).document["bundle_sha256"] == bundle.sha256
    assert heard[-1] == LARGE_BYTES
    stored = server.folder.glob(f"bundles/bundles/*/{bundle.sha256}.vflops")
    assert [path.read_bytes() for path in stored] == [bundle.path.read_bytes()]


def test_another_call_goes_on_where_a_broken_one_stopped(
    server: Served, make_file: MakeFile, unfinished: portals.UnfinishedUploads
) -> None:
    bundle = uploading.describe(make_file(size=LARGE_BYTES))
    with (
        Wire(server.port, [1_000_000, *([1] * 40)]) as wire,
        Portal(f"http://127.0.0.1:{wire.port}", server.secret, sleep=wait_briefly) as portal,
    ):
        with pytest.raises(PortalError, match=r"upload\.interrupted|nothing got through") as stopped:
            uploading.send(portal, bundle, FOR_LABORATORY, unfinished=unfinished, progress=lambda *_: None)
        assert "run the same command again" in stopped.value.problem.action.lower()
        wire.mend()
        heard: list[int] = []
        uploading.send(
            portal, bundle, FOR_LABORATORY, unfinished=unfinished, progress=lambda sent, _: heard.append(sent)
        )
    assert 0 < heard[0] < LARGE_BYTES
    assert all(before <= after for before, after in pairwise(heard))
    assert unfinished.find(f"{portal.address} laboratory {bundle.sha256}") is None


def test_an_upload_that_the_portal_discarded_begins_anew(
    server: Served, make_file: MakeFile, unfinished: portals.UnfinishedUploads
) -> None:
    bundle = uploading.describe(make_file())
    with Portal(server.address, server.secret, sleep=wait_briefly) as portal:
        key = f"{portal.address} laboratory {bundle.sha256}"
        unfinished.keep(key, f"{portal.address}/api/v1/uploads/xxxxxxxxxxxx")
        assert uploading.send(portal, bundle, FOR_LABORATORY, unfinished=unfinished, progress=lambda *_: None)


def test_a_file_that_changed_meanwhile_is_told_and_begins_anew(
    server: Served, make_file: MakeFile, unfinished: portals.UnfinishedUploads
) -> None:
    bundle = uploading.describe(make_file())
    content = bundle.path.read_bytes()
    with Portal(server.address, server.secret, sleep=wait_briefly) as portal:
        for changed in (content[::-1], content[:100]):
            bundle.path.write_bytes(changed)
            with pytest.raises(PortalError) as refused:
                uploading.send(portal, bundle, FOR_LABORATORY, unfinished=unfinished, progress=lambda *_: None)
            assert refused.value.id == "upload.hash_mismatch"
        bundle.path.write_bytes(content)
        assert uploading.send(portal, bundle, FOR_LABORATORY, unfinished=unfinished, progress=lambda *_: None)


def test_pauses_double_up_to_half_a_minute() -> None:
    assert [pause_s(attempt) for attempt in (1, 2, 5, 6, 9)] == [1, 2, 16, 30, 30]


def test_what_is_unfinished_is_remembered_for_its_owner_alone(own_home: Path) -> None:
    memory = portals.UnfinishedUploads(portals.uploads_path())
    memory.keep("a", "1")
    memory.keep("b", "2")
    memory.forget("a")
    memory.forget("never there")
    assert json.loads((own_home / "uploads.json").read_text()) == {"format": 1, "uploads": {"b": "2"}}
    assert (own_home / "uploads.json").stat().st_mode & 0o077 == 0
