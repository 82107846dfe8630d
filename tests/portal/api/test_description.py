"""The API's description: valid, complete, and true of what the API really answers."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.validation import validate_schema
from jsonschema import Draft202012Validator

from portal.api.urls import urlpatterns
from portal.results.models import Result
from tests.portal.api.world import World

UNDESCRIBED = {"schema", "nothing"}


@pytest.fixture(scope="module")
def schema() -> dict[str, Any]:
    """The description, generated as the API serves it."""
    return SchemaGenerator().get_schema(request=None, public=True)  # type: ignore[no-any-return, no-untyped-call]


def operations(schema: dict[str, Any]) -> list[tuple[str, str, dict[str, Any]]]:
    return [(path, method, op) for path, item in schema["paths"].items() for method, op in item.items()]


def test_it_is_valid_openapi(schema: dict[str, Any]) -> None:
    validate_schema(schema)  # type: ignore[no-untyped-call]


def test_it_is_served_to_everybody(client: Client, db: None) -> None:
    response = client.get("/api/v1/schema")
    assert response.status_code == 200
    assert "/api/v1/uploads/{public_id}" in response.content.decode()


def test_every_address_is_described(schema: dict[str, Any]) -> None:
    described = len(schema["paths"])
    assert described == len({str(p.pattern) for p in urlpatterns if p.name not in UNDESCRIBED})


def test_every_operation_has_a_name_a_summary_words_and_every_answer_too(schema: dict[str, Any]) -> None:
    for path, method, operation in operations(schema):
        assert operation["operationId"], path
        assert operation["summary"], path
        assert operation["description"], path
        for status, answer in operation["responses"].items():
            assert answer["description"], (path, method, status)


def test_every_error_has_an_example_for_each_id(schema: dict[str, Any]) -> None:
    for path, _, operation in operations(schema):
        for status, answer in operation["responses"].items():
            if int(status) >= 400:
                examples = answer["content"]["application/problem+json"]["examples"]
                assert examples, (path, status)
                assert all(e["value"]["status"] == int(status) for e in examples.values())


def test_known_operations_say_how_to_be_known(schema: dict[str, Any]) -> None:
    for path, _, operation in operations(schema):
        public = path.startswith(("/api/v1/boards", "/api/v1/results"))
        assert bool(operation.get("security")) != public, path


GETS = [
    ("/api/v1/me", {}),
    ("/api/v1/organisations", {}),
    ("/api/v1/systems", {}),
    ("/api/v1/keys", {}),
    ("/api/v1/submissions", {}),
    ("/api/v1/submissions/{public_id}", {"public_id": "submission"}),
    ("/api/v1/submissions/{public_id}/findings", {"public_id": "submission"}),
    ("/api/v1/submissions/{public_id}/timeline", {"public_id": "submission"}),
    ("/api/v1/boards", {}),
    ("/api/v1/boards/{workload}/{scale}/{level}", {}),
    ("/api/v1/results/{public_id}", {"public_id": "result"}),
]


@pytest.mark.parametrize(("path", "ids"), GETS)
def test_answers_are_as_described(
    client: Client, world: World, result: Result, schema: dict[str, Any], path: str, ids: dict[str, str]
) -> None:
    known = {"submission": result.submission.public_id, "result": result.public_id}
    names = {"workload": "image_classification", "scale": "smoke", "level": "hardware"}
    address = path.format(**names, **{name: known[kind] for name, kind in ids.items()})
    answer = client.get(address, headers=world.headers())
    content = schema["paths"][path]["get"]["responses"]["200"]["content"]["application/json"]["schema"]
    assert answer.status_code == 200
    Draft202012Validator({**content, "components": schema["components"]}).validate(answer.json())


def test_an_error_is_as_described(client: Client, db: None, schema: dict[str, Any]) -> None:
    content = schema["components"]["schemas"]["Problem"]
    Draft202012Validator({**content, "components": schema["components"]}).validate(client.get("/api/v1/me").json())
