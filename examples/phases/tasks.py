"""Python tasks that stand in for the connections of these documents: each is a tool of the connection that it names.

What a tool takes and gives is read from its type hints, and the documents are checked against it before they run.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, NotRequired, TypedDict

from perdure import Retryable, TaskContext, task

USERS = [
    {"id": "u1", "name": "Ann", "email": "ann@example.com", "active": True},
    {"id": "u2", "name": "Ben", "email": "ben@example.com", "active": False},
    {"id": "u3", "name": "Cleo", "email": "cleo@example.com", "active": True},
]
COLLECTED = Path(os.environ.get("COLLECTED", "collected.jsonl"))
"""Where the items of a batch leave what came of them; a database, say, in earnest."""


class User(TypedDict):
    id: str
    name: str
    email: str
    active: bool


class Users(TypedDict):
    users: list[User]


class Batch(TypedDict):
    recipients: list[str]


class Sent(TypedDict):
    sent: int


class Customer(TypedDict):
    email: str


class Processed(TypedDict):
    """What became of an order: which of the fields are there depends on it."""

    success: bool
    order: NotRequired[dict[str, Any]]
    customer: NotRequired[Customer]
    error: NotRequired[str]
    orderId: NotRequired[str]


class Items(TypedDict):
    items: list[Any]


class Result(TypedDict):
    batchId: str
    id: str
    length: float


class Results(TypedDict):
    items: list[Result]


class Wanted(TypedDict):
    batchId: str
    count: float


@task("get-data", connection="api")
def get_data(given: dict[str, Any]) -> dict[str, Any]:
    return {"rows": [3, 4, 5], "query": given.get("query", "all")}


@task("run", connection="processor")
def run(given: dict[str, Any]) -> dict[str, Any]:
    return {"sum": sum(given["rows"]), "query": given["query"]}


@task("insert", connection="db")
def insert(given: dict[str, Any]) -> dict[str, Any]:
    return {"id": 1, "stored": given}


@task("fetch", connection="api")
def fetch(given: dict[str, Any]) -> dict[str, Any]:
    return {"data": given.get("text", "a text to work on")}


@task("processB", connection="svc")
def process_b(given: dict[str, Any]) -> dict[str, Any]:
    return {"xpto": given["data"].upper()}


@task("processC", connection="svc")
def process_c(given: dict[str, Any]) -> dict[str, Any]:
    return {"xpto": len(given["data"])}


@task("processD", connection="svc")
def process_d(given: dict[str, Any]) -> dict[str, Any]:
    return {"xpto": given["data"].split()}


@task("processE", connection="svc")
def process_e(given: dict[str, Any]) -> dict[str, Any]:
    return {"xpto": given["data"][::-1]}


@task("aggregate", connection="svc")
def aggregate(given: dict[str, Any]) -> dict[str, Any]:
    return {"together": given}


@task("list-users", connection="api")
def list_users(given: dict[str, Any]) -> Users:
    return {"users": USERS[: given.get("limit")]}  # type: ignore[typeddict-item]


@task("send", connection="email")
def send(given: Batch) -> Sent:
    return {"sent": len(given["recipients"])}


@task("send-batch", connection="email")
def send_batch(given: Batch) -> Sent:
    return {"sent": len(given["recipients"])}


@task("list", connection="api")
def list_(given: dict[str, Any]) -> Items:
    return {"items": given.get("items", [{"id": "a", "text": "first"}, {"id": "b", "text": "second"}])}


@task("process", connection="processor")
def process(given: dict[str, Any]) -> dict[str, Any]:
    return {"processed": given["data"]}


@task("start", connection="api")
def start(given: dict[str, Any]) -> dict[str, Any]:
    return {"job": given.get("job", "j1")}


@task("status", connection="api")
def status(given: dict[str, Any]) -> dict[str, Any]:
    return {"job": "j1", "state": "done", "slept": given["ms"]}


@task("process", connection="orders")
def process_order(given: dict[str, Any]) -> Processed:
    if given.get("count", 1) > 10:
        return {"success": False, "error": "there are only ten", "orderId": given["orderId"]}
    return {"success": True, "order": given, "customer": {"email": given["email"]}}


@task("put", connection="collected")
def put(given: Result) -> Result:
    """One line for each item; whoever writes it twice, because an attempt was lost, is counted once."""
    with COLLECTED.open("a") as file:
        file.write(json.dumps(given) + "\n")
    return given


@task("all", connection="collected")
def all_(given: Wanted, ctx: TaskContext) -> Results:
    """All items of a batch; as long as some are missing, it is tried again."""
    lines = COLLECTED.read_text().splitlines() if COLLECTED.exists() else []
    items = {item["id"]: item for item in map(json.loads, lines) if item["batchId"] == given["batchId"]}
    if len(items) < given["count"]:
        raise Retryable(f"{len(items)} of {given['count']} items are there, at attempt {ctx.attempt}")
    return {"items": [items[id_] for id_ in sorted(items)]}
