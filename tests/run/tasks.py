"""Tasks for the cases: a module that is given to `perdure run --tasks`."""

from __future__ import annotations

import asyncio
from typing import Any

from perdure import NonRetryable, Result, Retryable, TaskContext, task


@task("echo")
async def echo(given: Any) -> Any:
    """Comes to what it is given."""
    return given


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
