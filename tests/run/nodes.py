"""Node executors for the cases: a module that is given to `perdure run --tasks`."""

from __future__ import annotations

import asyncio
from typing import Any

from perdure import NonRetryable, node


@node("ADD")
async def add(params: Any) -> dict[str, Any]:
    """Puts what its data holds into the context."""
    return {**params.context, **params.data}


@node("SYNC_ADD")
def sync_add(params: Any) -> dict[str, Any]:
    return {**params.context, **params.data}


@node("MUTATE")
async def mutate(params: Any) -> dict[str, Any]:
    """Changes the very object that it was given."""
    params.context.update(params.data)
    params.context.get("list", []).append("mutated")
    context: dict[str, Any] = params.context
    return context


@node("COUNT")
async def count(params: Any) -> dict[str, Any]:
    return {**params.context, "n": params.context.get("n", 0) + 1}


@node("DROP")
async def drop(params: Any) -> dict[str, Any]:
    return {name: value for name, value in params.context.items() if name not in params.data["keys"]}


@node("ARRIVES", trigger=True)
async def arrives(params: Any) -> dict[str, Any]:
    """A trigger of somebody's own, whose type does not say so."""
    return {**params.context, "arrived": True}


@node("BRANCH")
async def branch(params: Any) -> dict[str, Any]:
    return {**params.context, "_branch": params.data["to"]}


@node("AGAIN")
async def again(params: Any) -> dict[str, Any]:
    """Goes round until it has counted so far."""
    return {**params.context, "_branch": "again" if params.context["n"] < params.data["until"] else "done"}


@node("SLOW")
async def slow(params: Any) -> dict[str, Any]:
    await asyncio.sleep(params.data.get("seconds", 0.05))
    return {**params.context, **params.data.get("set", {})}


@node("SEES")
async def sees(params: Any) -> dict[str, Any]:
    """Keeps what it was given, under its own name."""
    return {**params.context, params.node_id: {"context": params.context, "data": params.data}}


@node("INPUTS")
async def inputs(params: Any) -> dict[str, Any]:
    return {**params.context, "inputs": params.inputs}


@node("WAITS")
async def waits(params: Any) -> dict[str, Any]:
    return {**params.context, **params.data}


@node("BREAKS")
async def breaks(params: Any) -> dict[str, Any]:
    raise NonRetryable(params.data.get("message", "broken on purpose"))


@node("FLAKY")
async def flaky(params: Any) -> dict[str, Any]:
    """Fails until its so-manieth attempt."""
    if params.attempt < params.data["until"]:
        raise RuntimeError(f"attempt {params.attempt} fails")
    return {**params.context, "attempts": params.attempt}


@node("HANGS")
async def hangs(params: Any) -> dict[str, Any]:
    await asyncio.sleep(3600)
    return dict(params.context)


@node("NOTHING")
async def nothing(params: Any) -> None:
    """Forgets to return the context."""


@node("A_LIST")
async def a_list(params: Any) -> list[int]:
    return [1]


@node("NOT_JSON")
async def not_json(params: Any) -> dict[str, Any]:
    return {**params.context, "bad": object()}


@node("CHECKPOINTS")
async def checkpoints(params: Any) -> dict[str, Any]:
    """Calls each of its steps once over all of its attempts, and fails in between."""
    seen: list[str] = []

    def told(name: str) -> str:
        seen.append(name)
        return f"{name} in attempt {params.attempt}"

    first = await params.step.run("page", told, "first")
    if params.attempt == 1:
        raise RuntimeError("after the first page")
    second = await params.step.run("page", told, "second")
    return {**params.context, "pages": [first, second], "called": seen}


@node("PUBLISHES")
async def publishes(params: Any) -> dict[str, Any]:
    await params.publish({"progress": 50})
    return {**params.context, "told": True}
