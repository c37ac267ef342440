"""The connections that an operator gives to a process: a file, or what it holds."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias

import msgspec

from perdure.errors import TOLD_MAX, PerdureError
from perdure.model.problem import Problem
from perdure.tasks.mcp.connection import Connection
from perdure.tasks.mcp.reading import read_connections

GivenConnections: TypeAlias = str | Path | Mapping[str, Any] | None


class BadConnections(PerdureError, code="bad_connections"):
    """Connections cannot be read. `problems` says all that is wrong with them."""

    def __init__(self, name: str, problems: tuple[Problem, ...]) -> None:
        self.name, self.problems = name, problems
        told = "; ".join(f"{each.path}: {each.message}" if each.path else each.message for each in problems[:TOLD_MAX])
        more = f"; and {len(problems) - TOLD_MAX} more" if len(problems) > TOLD_MAX else ""
        super().__init__(f"{name}: {told}{more}")


def given_connections(given: GivenConnections) -> dict[str, Connection]:
    """Raises `BadConnections` with all that is wrong."""
    if given is None:
        return {}
    if isinstance(given, Mapping):
        return _understood("connections", dict(given))
    name = str(given)
    try:
        value = msgspec.json.decode(Path(given).read_bytes())
    except OSError as error:
        raise BadConnections(name, (Problem("no_such_file", f"it cannot be read: {error.strerror}"),)) from error
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise BadConnections(name, (Problem("invalid_json", f"it is not JSON: {error}"),)) from error
    return _understood(name, value)


def _understood(name: str, value: Any) -> dict[str, Connection]:
    found = read_connections(value)
    if found.problems:
        raise BadConnections(name, found.problems)
    return found.connections
