"""What a catalog has to hold for a phases document: its tools, and its secrets."""

from __future__ import annotations

from collections.abc import Iterator

from perdure.dialects.faults import Faults
from perdure.dialects.phases.document import read_document
from perdure.dialects.port import Requirements
from perdure.expressions.refs import Ref, refs_in
from perdure.model.catalog import LOCAL
from perdure.model.values import Json


def requirements_of(value: Json) -> Requirements:
    document = read_document(value, Faults())
    tools = [step.fields.given.get("tool") for step in document.steps]
    called = [(tool.get("connectionId"), tool.get("toolName")) for tool in tools if isinstance(tool, dict)]
    known = [(connection, tool) for connection, tool in called if isinstance(connection, str) and isinstance(tool, str)]
    names = document.definition.object("secrets")
    secrets = [name for step in document.steps for name in _secrets(step.fields.given.get("input"))]
    return Requirements(
        tasks=tuple(dict.fromkeys(tool for connection, tool in known if connection == LOCAL)),
        tools=tuple(dict.fromkeys((connection, tool) for connection, tool in known if connection != LOCAL)),
        secrets=tuple(dict.fromkeys(named for name in secrets if (named := _of_organization(name, names)) is not None)),
    )


def _secrets(given: Json) -> Iterator[str]:
    match given:
        case str():
            for part in refs_in(given):
                if isinstance(part, Ref) and part.name == "secrets" and part.path and not part.is_in_word(given):
                    yield str(part.path[0])
        case dict():
            for item in given.values():
                yield from _secrets(item)
        case list():
            for item in given:
                yield from _secrets(item)
        case _:
            pass


def _of_organization(name: str, names: dict[str, Json]) -> str | None:
    """What the organization calls it; None, if it comes with the document."""
    source = names.get(name, name)
    return source if isinstance(source, str) else None
