"""Nothing in a bundle names a person, a machine or a place on it."""

from __future__ import annotations

import base64
import json
import re
import socket
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.system import privacy
from runner.system.hardware import machine_serial
from tests.runner.conftest import ROOT, USER, Story


def _texts(bundle: Path) -> Iterator[tuple[str, str]]:
    """All entries as texts, checkpoints by their bytes, and the statement unpacked."""
    with zipfile.ZipFile(bundle) as archive:
        for name in archive.namelist():
            yield name, archive.read(name).decode("latin-1")
        envelope = json.loads(archive.read("statement.dsse.json"))
    yield "payload", base64.b64decode(envelope["payload"]).decode()


def test_no_user_home_or_working_folder_appears_anywhere(story: Story) -> None:
    hidden = [USER, str(story.home), str(story.working_folder), str(story.run_folder), str(ROOT), "/home/", "/root"]
    for name, text in _texts(story.bundle):
        for secret in hidden:
            assert secret not in text, f"{secret} in {name}"


def test_no_host_name_or_serial_appears_anywhere(story: Story) -> None:
    host, serial = socket.gethostname(), machine_serial()
    word = re.compile(rf"(?<![A-Za-z0-9]){re.escape(host)}(?![A-Za-z0-9])")
    for name, text in _texts(story.bundle):
        if not name.endswith(".safetensors"):
            assert not word.search(text), f"the host's name in {name}"
        assert serial is None or serial not in text


def test_only_allowed_variables_are_described(story: Story) -> None:
    system = json.loads((story.run_folder / "system.json").read_text())
    described = system["vflops"]["environment"]
    assert set(described) <= set(privacy.ALLOWED_VARIABLES)
    assert described["OMP_NUM_THREADS"] == "1"
    assert described["OMP_WAIT_POLICY"] == "PASSIVE"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("4", True),
        ("granularity=fine,compact,1,0", True),
        ("expandable_segments:True", True),
        ("0,1", True),
        ("GPU-8932f937-d72c-4106-c12f-20bd9faed9f6", False),
        ("/home/someone/lib", False),
        ("x" * 101, False),
        ("a\nb", False),
    ],
)
def test_a_value_that_could_name_a_device_or_place_is_withheld(value: str, shown: bool) -> None:
    found = privacy.environment({"CUDA_VISIBLE_DEVICES": value, "SECRET_TOKEN": "x"})
    assert found == {"CUDA_VISIBLE_DEVICES": value if shown else found["CUDA_VISIBLE_DEVICES"]}
    assert isinstance(found["CUDA_VISIBLE_DEVICES"], str) is shown


def test_a_text_that_holds_a_personal_name_is_withheld_whole() -> None:
    document = {"kernel": "6.1-trillian", "list": ["built by Trillian", "trilliant"], "n": 3}
    found = privacy.withhold_personal(document, ["trillian"])
    reason = {"unavailable": "withheld: held the name of a person or machine"}
    assert found == {"kernel": reason, "list": [reason, "trilliant"], "n": 3}


@given(st.text(min_size=1), st.text(), st.text())
def test_withholding_leaves_no_name_as_a_word(name: str, before: str, after: str) -> None:
    found = privacy.withhold_personal({"text": f"{before} {name} {after}"}, [name])
    assert found["text"] == {"unavailable": "withheld: held the name of a person or machine"}
