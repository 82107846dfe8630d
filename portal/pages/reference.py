"""The API's OpenAPI description as the reference page shows it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from drf_spectacular.generators import SchemaGenerator

METHODS = ("get", "head", "post", "put", "patch", "delete", "options")
Schema = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """A parameter, or a member of a body."""

    name: str
    place: str
    kind: str
    required: bool
    description: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One status that an operation answers with."""

    status: str
    description: str
    kind: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One method at one address."""

    method: str
    path: str
    anchor: str
    summary: str
    needs_token: bool
    fields: tuple[Field, ...]
    answers: tuple[Answer, ...]


@cache
def operations() -> tuple[Operation, ...]:
    """All operations in the order of their addresses; made once a process, because code alone decides them."""
    generator = SchemaGenerator()  # type: ignore[no-untyped-call]
    schema: Schema = generator.get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
    return tuple(_operations(schema))


def _operations(schema: Schema) -> Iterator[Operation]:
    for path, methods in schema["paths"].items():
        for method in METHODS:
            if method in methods:
                yield _operation(path, method, methods[method], schema)


def _operation(path: str, method: str, described: Schema, schema: Schema) -> Operation:
    return Operation(
        method=method.upper(),
        path=path,
        anchor=described["operationId"],
        summary=described.get("description") or described.get("summary") or "",
        needs_token={} not in described.get("security", [{}]),
        fields=(*_parameters(described), *_body(described, schema)),
        answers=tuple(_answer(status, answer) for status, answer in described["responses"].items()),
    )


def _parameters(described: Schema) -> Iterator[Field]:
    for parameter in described.get("parameters", ()):
        yield Field(
            name=parameter["name"],
            place=parameter["in"],
            kind=_kind(parameter.get("schema", {})),
            required=parameter.get("required", False),
            description=parameter.get("description", ""),
        )


def _body(described: Schema, schema: Schema) -> Iterator[Field]:
    content = described.get("requestBody", {}).get("content", {}).get("application/json", {})
    body = _resolved(content.get("schema", {}), schema)
    for name, member in body.get("properties", {}).items():
        yield Field(
            name=name,
            place="body",
            kind=_kind(member),
            required=name in body.get("required", ()),
            description=member.get("description", ""),
        )


def _resolved(described: Schema, schema: Schema) -> Schema:
    reference = described.get("$ref")
    if reference is None:
        return described
    found: Schema = schema["components"]["schemas"][reference.rsplit("/", 1)[-1]]
    return found


def _answer(status: str, answer: Schema) -> Answer:
    content: Schema = next(iter(answer.get("content", {}).values()), {})
    return Answer(status=status, description=answer.get("description", ""), kind=_kind(content.get("schema", {})))


def _kind(described: Schema) -> str:
    """A schema in one word: its type, the name of its component, or a list of one."""
    if "$ref" in described:
        return str(described["$ref"]).rsplit("/", 1)[-1]
    if described.get("type") == "array":
        return f"list of {_kind(described.get('items', {}))}"
    kind = str(described.get("type", "any" if described else ""))
    return f"{kind} ({described['format']})" if "format" in described else kind
