"""Tasks whose results are hostile, for `--tasks`. The input says which: `{"n": 3}`."""

from __future__ import annotations

from typing import Any

from hostile.values import readable
from perdure import NonRetryable, Result, node, task

VALUES = readable()


@task("hostile")
async def hostile(given: Any) -> Any:
    """The value itself, and the same as its meta."""
    value = VALUES[given["n"]]
    return Result({"x": value, "n": given["n"]}, meta={"x": value})


@task("hostile-port")
async def hostile_port(given: Any) -> Any:
    value = VALUES[given["n"]]
    return Result(1, port=value if isinstance(value, str) and value else "success")


@task("hostile-error")
async def hostile_error(given: Any) -> Any:
    value = VALUES[given["n"]]
    raise NonRetryable(str(value)[:5_000], code=str(value)[:500], details={"x": value})


@node("HOSTILE")
async def hostile_node(params: Any) -> Any:
    """`x` is the value; it is also the name of a variable, if it is a text."""
    value = VALUES[params.context["n"]]
    named = {value: 1} if isinstance(value, str) else {}
    return {**params.context, "x": value, **named}


@node("HOSTILE_CONTROL")
async def hostile_control(params: Any) -> Any:
    value = VALUES[params.context["n"]]
    is_number = isinstance(value, int | float)
    return {**params.context, "_branch": value, "_wait": None if is_number and 0 < value < 1e12 else value}
