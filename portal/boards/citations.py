"""How to cite a result: one BibTeX entry."""

from __future__ import annotations

import re

from portal.results.models import Result

SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "%": r"\%",
    "#": r"\#",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
}


def escaped(text: str) -> str:
    """``text`` with what TeX would read as a command written out."""
    return "".join(SPECIAL.get(character, character) for character in re.sub(r"\s+", " ", text))


def bibtex(result: Result, address: str) -> str:
    """The entry of a result; the organisation is an author in braces, so that its name is not taken apart."""
    board = result.board
    title = f"{result.system_name}: {board.workload.replace('_', ' ')}, {board.scale}, {board.level} level"
    return "\n".join(
        (
            f"@misc{{validflops-{result.public_id},",
            f"  author = {{{{{escaped(result.organisation_name)}}}}},",
            f"  title = {{{escaped(title)}}},",
            f"  howpublished = {{Valid FLOPS, result {result.public_id}, version {result.version_number}}},",
            f"  year = {{{result.published_at:%Y}}},",
            f"  month = {{{result.published_at:%m}}},",
            f"  note = {{{result.valid_flops:.4e} Valid FLOPS, bundle sha256 {result.submission.bundle_sha256}}},",
            f"  url = {{{address}}}",
            "}",
            "",
        )
    )
