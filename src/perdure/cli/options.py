"""The options that many commands share."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

DatabaseUrl = Annotated[
    str | None,
    Parameter(name="--db", help="the database, sqlite:///path (default: $PERDURE_DATABASE_URL)"),
]
AsJson = Annotated[bool, Parameter(name="--json", help="print one JSON object and nothing else")]
Organization = Annotated[str, Parameter(name="--organization", help="whose it is")]
Tasks = Annotated[
    tuple[str, ...],
    Parameter(name="--tasks", help="FILE.py or module with tasks (@task, @node); may be given several times"),
]
Limit = Annotated[int, Parameter(name="--limit", help="how many at most, 1 to 500")]
Cursor = Annotated[str | None, Parameter(name="--cursor", help="go on after a page: what it said is next")]
ExecutionId = Annotated[str, Parameter(name="ID", help="the execution, by its id")]
