"""The tools of a fan-out: one that lists, and one that notes each call of it as a line in a file, whose place the environment names."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from perdure import task


@task("list", connection="fan")
async def list_(given: dict[str, Any]) -> dict[str, Any]:
    return {"items": [{"n": n, "text": f"item {n}"} for n in range(given["count"])], "batch": "b1"}


@task("work", connection="fan")
async def work(given: dict[str, Any]) -> dict[str, Any]:
    with (Path(os.environ["FAN_FOLDER"]) / f"{os.getpid()}").open("a") as file:
        file.write(f"{given['n']}\n")
    return {"did": given["n"]}
