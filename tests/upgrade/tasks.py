"""Healthy versions of the tasks that were blocked, failed or killed their process when the databases were written."""

from __future__ import annotations

from typing import Any

from perdure import node, task


@node("EXPLODE")
async def explode(params: Any) -> Any:
    return {**params.context, "exploded": False}


@node("HOLD")
async def hold(params: Any) -> Any:
    return {**params.context, "held": True}


@node("FLAKY")
async def flaky(params: Any) -> Any:
    return {**params.context, "flaky": "done"}


@task("double")
async def double(given: dict[str, float]) -> dict[str, float]:
    return {"n": given["n"] * 2}


@task("fragile")
async def fragile(given: Any) -> Any:
    return {"n": given["n"]}


@task("use_secret")
async def use_secret(given: Any) -> Any:
    return {"length": len(given["token"]), "token": given["token"]}


@task("held")
async def held(given: Any) -> Any:
    return {"held": given["order"]}


@task("stock.reserve")
async def reserve(given: Any) -> Any:
    return {"reservation": f"r-{given['order']}"}


@task("stock.release")
async def release(given: Any) -> Any:
    return {"released": given["reservation"]}


@task("parcel.send")
async def send(given: Any) -> Any:
    return {"sent": given["order"], "method": given["method"]}
