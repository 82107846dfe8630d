"""Signing keys: theirs alone to read, never overwritten, and the private part is never shown."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from ranking.evidence.statement import key_id
from runner import keys
from runner.cli import main
from runner.errors import RunnerError


def refused(name: str) -> str:
    with pytest.raises(RunnerError) as error:
        keys.load_key(name)
    return error.value.problem.id


def test_a_key_can_be_read_by_its_owner_alone() -> None:
    key = keys.create_key()
    assert stat.S_IMODE(key.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(key.path.parent.stat().st_mode) == 0o700


def test_a_key_comes_back_from_its_file_by_name_and_by_path() -> None:
    key = keys.create_key("mine")
    assert keys.load_key("mine").public_bytes == key.public_bytes
    assert keys.load_key(str(key.path)).public_bytes == key.public_bytes
    assert key.key_id == key_id(key.public_bytes)


def test_a_key_is_never_overwritten() -> None:
    before = keys.create_key().path.read_bytes()
    with pytest.raises(RunnerError) as error:
        keys.create_key()
    assert error.value.problem.id == "keyfile.exists"
    assert keys.key_path("default").read_bytes() == before


def test_the_first_use_makes_a_key_and_the_second_finds_it() -> None:
    first, made = keys.load_or_create_key()
    second, made_again = keys.load_or_create_key()
    assert (made, made_again) == (True, False)
    assert first.key_id == second.key_id


def test_a_key_that_others_can_reach_is_refused() -> None:
    keys.create_key().path.chmod(0o640)
    assert refused("default") == "keyfile.too_open"


def test_a_key_given_by_a_path_that_is_empty_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(RunnerError) as error:
        keys.load_or_create_key(str(tmp_path / "other.pem"))
    assert error.value.problem.id == "keyfile.missing"


@pytest.mark.parametrize("name", ["", "UPPER", "a b", "-x", "x" * 41, "ä"])
def test_a_name_that_is_no_file_name_everywhere_is_refused(name: str) -> None:
    assert refused(name) == "keyfile.name"


def test_a_file_of_another_kind_is_refused(tmp_path: Path) -> None:
    other = generate_private_key(SECP256R1()).private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    for content in (b"not a key", other):
        path = tmp_path / "key.pem"
        path.write_bytes(content)
        path.chmod(0o600)
        assert refused(str(path)) == "keyfile.not_a_key"


def test_pseudonyms_are_stable_under_one_key_and_different_under_another() -> None:
    one, other = keys.create_key("one"), keys.create_key("other")
    assert one.pseudonym("GPU-1") == keys.load_key("one").pseudonym("GPU-1")
    assert len({one.pseudonym("GPU-1"), one.pseudonym("GPU-2"), other.pseudonym("GPU-1")}) == 3


def test_the_command_alone_lists_the_keys_and_says_what_else_there_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["keys"]) == 0
    assert "vflops keys create" in capsys.readouterr().out
    key = keys.create_key("mine")
    assert main(["keys"]) == 0
    shown = capsys.readouterr().out
    assert key.key_id in shown
    assert "vflops keys --help" in shown
    for words in (["keys", "--json"], ["keys", "list", "--json"], ["keys", "--json", "list"]):
        assert main(words) == 0
        assert json.loads(capsys.readouterr().out)["keys"][0]["key_id"] == key.key_id


def test_the_command_shows_public_parts_only(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["keys", "create", "shown"]) == 0
    assert main(["keys", "show", "shown"]) == 0
    assert main(["keys", "list"]) == 0
    assert main(["keys", "list", "--json"]) == 0
    output = capsys.readouterr().out
    key = keys.load_key("shown")
    secret = key.path.read_text().splitlines()[1]
    assert secret not in output
    (listed,) = json.loads(output.splitlines()[-1])["keys"]
    assert listed == {"name": "shown", "key_id": key.key_id, "public_key": key.public_text, "path": str(key.path)}
