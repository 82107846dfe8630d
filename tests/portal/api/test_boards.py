"""Boards and results over the API: the rows of the pages, with units, as JSON and CSV, the same for everybody."""

from __future__ import annotations

import csv
import hashlib
import io

import pytest
from django.test import Client

from portal.api.serializers_boards import BoardRowSerializer
from portal.api.views.boards import board_csv
from portal.boards import selectors
from portal.boards.addresses import Query
from portal.results.models import Result
from ranking.evidence import canonical

BOARD = "/api/v1/boards/image_classification/smoke/hardware"


def test_all_boards_are_listed_with_their_results(client: Client, result: Result) -> None:
    rows = client.get("/api/v1/boards").json()["results"]
    listed = {f"{row['workload']}/{row['scale']}/{row['level']}": row["listed"] for row in rows}
    assert listed["image_classification/smoke/hardware"] == 1
    assert listed["image_classification/lite/free"] == 0


def test_a_board_has_exactly_the_rows_of_its_page(client: Client, result: Result) -> None:
    page = selectors.board_rows(result.board, Query())
    shown = client.get(BOARD).json()
    assert [row["id"] for row in shown["results"]] == [row.public_id for row in page.results]
    row = shown["results"][0]
    assert (row["rank"], row["valid_flops"], row["organisation"]) == (1, result.valid_flops, "laboratory")
    assert shown["units"]["valid_flops"] == "FLOP/s"
    assert (shown["total"], shown["page"], shown["pages"]) == (1, 1, 1)


def test_every_figure_of_a_row_has_a_unit_or_is_a_text(client: Client, result: Result) -> None:
    shown = client.get(BOARD).json()
    figures = {name for name, value in shown["results"][0].items() if type(value) in {int, float}} - {"rank"}
    assert figures <= set(shown["units"])


@pytest.mark.parametrize("how", [{"path": BOARD + "?format=csv"}, {"path": BOARD, "headers": {"Accept": "text/csv"}}])
def test_the_same_rows_come_as_csv_with_units_in_the_heads(
    client: Client, result: Result, how: dict[str, object]
) -> None:
    response = client.get(**how)  # type: ignore[arg-type]
    assert response["Content-Type"].startswith("text/csv")
    rows = list(csv.reader(io.StringIO(response.content.decode())))
    assert len(rows) == 2
    by_head = dict(zip(*rows, strict=True))
    assert float(by_head["valid_flops [FLOP/s]"]) == result.valid_flops
    assert by_head["id"] == result.public_id


def test_a_name_cannot_become_a_formula() -> None:
    row = {**dict.fromkeys(BoardRowSerializer.Meta.fields), "organisation_name": "=1+1", "valid_flops": -1.5}
    line = board_csv([row]).splitlines()[1]
    assert "'=1+1" in line
    assert "-1.5" in line


def test_filters_and_sort_come_from_the_address(client: Client, result: Result) -> None:
    assert client.get(BOARD + "?organisation=laboratory&sort=-flops").json()["total"] == 1
    assert client.get(BOARD + "?organisation=nobody").json()["results"] == []


@pytest.mark.parametrize(
    ("address", "status", "id"),
    [
        (BOARD + "?sort=password", 400, "request.refused"),
        (BOARD + "?page=0", 400, "request.refused"),
        (BOARD + "?page=2", 404, "request.not_found"),
        (BOARD + "?page=NaN", 400, "request.refused"),
        ("/api/v1/boards/image_classification/smoke/best", 404, "request.not_found"),
        ("/api/v1/boards/unknown/smoke/free", 404, "request.not_found"),
        (BOARD + "?format=csv&page=2", 404, "request.not_found"),
    ],
)
def test_what_a_board_does_not_have_is_told(client: Client, result: Result, address: str, status: int, id: str) -> None:
    response = client.get(address)
    assert response["Content-Type"] == "application/problem+json"
    assert (response.status_code, response.json()["id"]) == (status, id)


def test_an_empty_board_is_there(client: Client, db: None) -> None:
    assert client.get("/api/v1/boards/image_classification/lite/free").json()["results"] == []


def test_public_answers_are_the_same_for_everybody_and_cached(client: Client, result: Result) -> None:
    response = client.get(BOARD, headers={"Authorization": "Bearer nonsense"})
    assert response.status_code == 200
    assert "s-maxage=60" in response["Cache-Control"]
    assert not response.cookies
    assert client.get(BOARD, headers={"If-None-Match": response["ETag"]}).status_code == 304


def test_a_result_is_its_canonical_document_with_marks_and_versions(client: Client, result: Result) -> None:
    shown = client.get(f"/api/v1/results/{result.public_id}").json()
    assert shown["row"]["id"] == result.public_id
    assert (shown["version"], shown["standing"], shown["marks"]) == (1, "listed", [])
    assert hashlib.sha256(canonical.dumps(result.version.document)).hexdigest() == shown["sha256"]
    assert shown["document"] == result.version.document
    assert client.get(f"/api/v1/results/{result.public_id}?version=1").json() == shown


@pytest.mark.parametrize("suffix", ["x", "{id}?version=2", "{id}?version=x", "x/bundle"])
def test_a_result_that_is_not_there_is_not_found(client: Client, result: Result, suffix: str) -> None:
    response = client.get("/api/v1/results/" + suffix.format(id=result.public_id))
    assert (response.status_code, response.json()["id"]) == (404, "request.not_found")


def test_a_published_bundle_is_everybodys(client: Client, result: Result, honest_bundle: bytes) -> None:
    response = client.get(f"/api/v1/results/{result.public_id}/bundle")
    assert b"".join(response.streaming_content) == honest_bundle  # type: ignore[attr-defined]
