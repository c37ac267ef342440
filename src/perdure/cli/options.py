"""The options that many commands share."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

DatabaseUrl = Annotated[
    str | None,
    Parameter(
        name="--db",
        metavar="URL",
        help="the database, sqlite:///path or postgresql://user@host/database (default: $PERDURE_DATABASE_URL)",
    ),
]
AsJson = Annotated[bool, Parameter(name="--json", help="print one JSON object and nothing else")]
Organization = Annotated[str, Parameter(name="--organization", metavar="NAME", help="whose it is (default: default)")]
Tasks = Annotated[
    tuple[str, ...],
    Parameter(name="--tasks", metavar="FILE.py|MODULE", help="where tasks are declared (@task, @node); repeatable"),
]
ConnectionsFile = Annotated[
    str | None,
    Parameter(
        name="--connections",
        metavar="FILE",
        help='connections to MCP servers, as JSON: {"mcpServers": {"fs": {"command": ["npx", "…"]}, "api": {"url": "https://…"}}}',
    ),
]
AsOperator = Annotated[
    str | None,
    Parameter(name="--as", metavar="MEMBER", help="who acts: an operator or an editor (default: the program)"),
]
AsEditor = Annotated[
    str | None, Parameter(name="--as", metavar="MEMBER", help="who acts: an editor or an admin (default: the program)")
]
Limit = Annotated[int, Parameter(name="--limit", metavar="N", help="how many at most, 1 to 500")]
Cursor = Annotated[
    str | None, Parameter(name="--cursor", metavar="CURSOR", help="go on after a page: what it said is next")
]
ExecutionId = Annotated[
    str, Parameter(name="ID", help="the execution, by its id or the beginning of it (6 characters or more)")
]
