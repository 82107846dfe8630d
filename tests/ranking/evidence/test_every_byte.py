"""No byte of a bundle can be changed unseen: headers, directory, statement, contents."""

from __future__ import annotations

import random
from collections.abc import Iterable
from pathlib import Path
from zipfile import ZipFile

import pytest

from ranking.evidence import container
from ranking.evidence.bundle import read_bundle
from tests.bundles import TINY, make_bundle

DRAWN = 500
"""Positions that the normal run draws; the long one takes all."""

PARTS = 8
"""Tests that share the positions of the long run, for as many workers."""

FAMILIES = ("container.", "statement.", "schema.", "chain.")


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An honest bundle of about 14 KB, of every kind of entry."""
    return make_bundle(tmp_path_factory.mktemp("honest"), runs=1, workload=TINY, run_seconds=0.2)


@pytest.fixture
def larger(tmp_path: Path) -> Path:
    """An honest bundle of 60 KB."""
    return make_bundle(tmp_path, runs=1)


def structural(bundle: Path) -> Iterable[int]:
    """Positions of all bytes that are no contents."""
    with ZipFile(bundle) as archive:
        infos = archive.infolist()
        for info in infos:
            yield from range(info.header_offset, info.header_offset + container.LOCAL.size + len(info.filename))
        yield from range(archive.start_dir, bundle.stat().st_size)


def statement(bundle: Path) -> Iterable[int]:
    """Positions of the envelope's bytes."""
    with ZipFile(bundle) as archive:
        info = archive.infolist()[0]
    start = container.LOCAL.size + len(info.filename)
    return range(start, start + info.file_size)


def check_all_seen(bundle: Path, scratch: Path, positions: Iterable[int]) -> None:
    """Change one byte at a time, in one bit or in all, and expect a finding of our own."""
    data = bytearray(bundle.read_bytes())
    scratch.write_bytes(data)
    with scratch.open("r+b", buffering=0) as stream:
        for position in positions:
            stream.seek(position)
            stream.write(bytes([data[position] ^ (1 << position % 8)]))
            findings = read_bundle(scratch)[1]
            assert findings, f"byte {position} was changed unseen"
            assert all(found.id.startswith(FAMILIES) for found in findings)
            stream.seek(position)
            stream.write(data[position : position + 1])
    assert read_bundle(scratch)[1] == []


def test_every_byte_of_headers_and_directory_counts(honest: Path, tmp_path: Path) -> None:
    check_all_seen(honest, tmp_path / "changed", structural(honest))


def test_bytes_all_over_the_statement_count(honest: Path, tmp_path: Path) -> None:
    positions = list(statement(honest))
    check_all_seen(honest, tmp_path / "changed", [*positions[::29], *positions[-250:]])


def test_drawn_bytes_count(honest: Path, tmp_path: Path) -> None:
    drawn = random.Random(1).sample(range(honest.stat().st_size), DRAWN)
    check_all_seen(honest, tmp_path / "changed", drawn)


@pytest.mark.long
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("part", range(PARTS))
def test_every_byte_counts(larger: Path, tmp_path: Path, part: int) -> None:
    check_all_seen(larger, tmp_path / "changed", range(part, larger.stat().st_size, PARTS))
