"""The repository keeps its promises: pinned, hashed, no addresses of indexes, every direct dependency named."""

from __future__ import annotations

import json
import re
import tomllib

import pytest

from runner import __version__
from scripts.common import ROOT

PINNED = re.compile(r"([a-z0-9-]+)(\[[a-z0-9,-]+\])?==[0-9][0-9a-z.]*")


def requirements() -> dict[str, str]:
    """Lines of requirements.txt by the name of the package."""
    lines = (ROOT / "requirements.txt").read_text().splitlines()
    found = {line: PINNED.fullmatch(line) for line in lines if line and not line.startswith("#")}
    assert all(found.values()), [line for line, match in found.items() if not match]
    return {match[1]: line for line, match in found.items() if match}


def test_every_direct_dependency_is_pinned_and_locked() -> None:
    locked = set(re.findall(r"^([a-z0-9._-]+==[^ ;\\]+)", (ROOT / "requirements.lock").read_text(), re.MULTILINE))
    assert {re.sub(r"\[.*\]", "", line) for line in requirements().values()} <= locked


def test_every_locked_file_has_a_hash() -> None:
    blocks = re.split(r"\n(?=\S)", (ROOT / "requirements.lock").read_text().strip())
    assert all("--hash=sha256:" in block for block in blocks)


def test_the_wheel_asks_only_for_what_the_requirements_name() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    names = {re.split(r"[><=]", line)[0] for line in project["dependencies"]}
    assert names - {"torch"} <= requirements().keys()


@pytest.mark.parametrize("name", ["requirements.txt", "requirements-torch.txt", "requirements.lock", "package.json"])
def test_no_address_of_an_index_stands_in_a_list(name: str) -> None:
    assert "://" not in (ROOT / name).read_text()


def test_browser_code_is_pinned_with_integrity_and_without_addresses() -> None:
    lock = json.loads((ROOT / "package-lock.json").read_text())
    packages = {name: facts for name, facts in lock["packages"].items() if name}
    assert all("integrity" in facts and "resolved" not in facts for facts in packages.values())
    assert all(re.fullmatch(r"[0-9.]+", v) for v in lock["packages"][""]["dependencies"].values())


def test_package_changelog_and_command_name_one_version() -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert f"## {version}" in (ROOT / "CHANGELOG.md").read_text()
    assert version == __version__
