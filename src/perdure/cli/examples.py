"""The examples that come with Perdure, for a database that is empty."""

from __future__ import annotations

from pathlib import Path

import perdure
from perdure.cli.wording import many
from perdure.errors import PerdureError
from perdure.service.engine import Engine
from perdure.tasks.loading import load_all

DIALECTS = ("graph", "orchestration", "phases", "ports")


def folder() -> Path | None:
    """Where they are: beside the package, or beside its source."""
    package = Path(perdure.__file__).parent
    return next((each for each in (package / "examples", package.parents[1] / "examples") if each.is_dir()), None)


async def load_examples(engine: Engine) -> str:
    """Save them, with their tasks. What is said of it; nothing, where there is something already."""
    place = folder()
    if place is None:
        return ""
    there = (await engine.workflows.list(limit=1)).items
    saved, left = 0, []
    for dialect in DIALECTS:
        tasks = place / dialect / "tasks.py"
        if tasks.exists():
            engine.tasks.include(load_all([str(tasks)]))
        for file in sorted((place / dialect).glob("*.json")):
            if not there and file.name != "connections.json":
                try:
                    await engine.workflows.save(file.read_bytes(), name=file.stem)
                except PerdureError:
                    left.append(f"{dialect}/{file.name}")
                    continue
                saved += 1
    without = f", without {', '.join(left)}, which needs a connection: its page tells how" if left else ""
    return f"{many(saved, 'example')} from {place}{without}" if saved else ""
