"""Tasks for the cases: a module that is given to `perdure run --tasks`."""

from __future__ import annotations

import asyncio
from typing import Any, Literal

from msgspec import UNSET, Struct, UnsetType

from perdure import NonRetryable, Result, Retryable, TaskContext, task


@task("echo")
async def echo(given: Any) -> Any:
    """Comes to what it is given."""
    return given


@task("spell")
async def spell(given: Any) -> Any:
    """Comes to its text with a space after each letter."""
    return " ".join(given["text"])


@task("sync_echo")
def sync_echo(given: Any) -> Any:
    return given


@task("value")
def value(given: dict[str, Any]) -> Any:
    return given["value"]


@task("leave")
def leave(given: dict[str, Any]) -> Result:
    """Leaves by a port of its choice."""
    return Result(given.get("data"), port=given.get("port"), meta=given.get("meta"))


@task("breaks")
def breaks(given: dict[str, Any]) -> None:
    raise NonRetryable(given.get("message", "broken on purpose"), code=given.get("code"))


@task("picky")
def picky(given: dict[str, Any]) -> Any:
    """Takes everything but what is bad."""
    if given["item"] == "bad":
        raise NonRetryable("this one is bad")
    return given["item"]


@task("flaky")
def flaky(given: dict[str, Any], context: TaskContext) -> dict[str, Any]:
    """Fails until its so-manieth attempt; with a code, if one is given."""
    if context.attempt < given["until"]:
        message = f"attempt {context.attempt} fails"
        raise Retryable(message, code=given["code"]) if "code" in given else RuntimeError(message)
    return {"attempts": context.attempt}


@task("hangs")
async def hangs(given: dict[str, Any], context: TaskContext) -> dict[str, Any]:
    """Until its so-manieth attempt; for ever, if none is told."""
    if context.attempt < given.get("until", 99):
        await asyncio.sleep(3600)
    return {"attempts": context.attempt}


@task("nothing")
def nothing(given: dict[str, Any]) -> None:
    """Comes to nothing."""


@task("not_json")
def not_json(given: dict[str, Any]) -> Any:
    return {"bad": object()}


@task("page")
def page(given: dict[str, Any]) -> dict[str, Any]:
    """Two pages of three."""
    pages = {1: [1, 2], 2: [3]}
    return {"items": pages[given["number"]], "next": 2 if given["number"] == 1 else None}


@task("seen")
def seen(given: dict[str, Any], context: TaskContext) -> dict[str, Any]:
    """What it was given, and as which step."""
    return {"given": given, "step": context.step}


USERS = [
    {"id": "u1", "name": "Ann", "email": "ann@example.com", "active": True},
    {"id": "u2", "name": "Bob", "email": "bob@example.com", "active": False},
]
TEXTS = {"type": "array", "items": {"type": "string"}}


def _object(*required: str, **properties: Any) -> dict[str, Any]:
    """The schema of an object that has these keys."""
    return {"type": "object", "properties": properties, "required": list(required)}


USER = _object(
    *("id", "name", "email", "active"),
    id={"type": "string"},
    name={"type": "string"},
    email={"type": "string"},
    active={"type": "boolean"},
)


@task(
    "list-users",
    connection="api",
    input_schema=_object(),
    output_schema=_object("users", users={"type": "array", "items": USER}),
)
def list_users(given: dict[str, Any]) -> Any:
    return {"users": USERS}


@task(
    "send-batch",
    connection="email",
    input_schema=_object("recipients", recipients=TEXTS, subject={"type": "string"}),
    output_schema={**_object("sent", sent={"type": "integer"}), "additionalProperties": False},
)
def send_batch(given: dict[str, Any]) -> Any:
    return {"sent": len(given["recipients"])}


class Query(Struct):
    id: str
    limit: int = 10


class Address(Struct):
    city: str
    zip: str | None = None


class Customer(Struct):
    """`score` is a number that is not whole."""

    id: str
    score: float
    level: Literal["low", "high"]
    tags: list[str]
    address: Address
    note: str | UnsetType = UNSET


@task("find", connection="crm")
def find(given: Query) -> Customer:
    """Its types say what its schemas are."""
    return Customer(given.id, 1.5, "high", ["new", "vip"], Address("Oslo"))


@task(
    "record",
    connection="crm",
    input_schema={
        **_object("id", id={"type": "string"}, points={"type": "integer"}, level={"enum": ["low", "high"]}, tags=TEXTS),
        "additionalProperties": False,
    },
    output_schema={
        **_object(
            "ok",
            "rows",
            ok={"type": "boolean"},
            rows={"type": "array", "items": {**USER, "additionalProperties": False}},
        ),
        "additionalProperties": False,
    },
)
def record(given: dict[str, Any]) -> Any:
    return {"ok": True, "rows": USERS}


@task("tally", connection="crm", output_schema=_object("total", total={"type": "integer"}, last=True))
def tally(given: Any) -> Any:
    """It may have more keys than it tells of, and takes whatever it is given."""
    return {"total": 3, "extra": {"given": given}}


@task("loose", connection="crm")
def loose(given: Any) -> Any:
    """Says nothing of what it takes and answers with."""
    return given
