"""Good documents with something changed in them, and models that can be run and shown however they stand."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from copy import deepcopy
from typing import Any

from dialects.test_fuzz import judged
from dialects.words import KNOWN
from perdure import dialects
from perdure.dialects import Seen
from perdure.expressions.language import compile_value
from perdure.model.catalog import Catalog
from perdure.model.values import Json
from perdure.testing.script import Fixed
from perdure.testing.world import World

GIVEN = {"items": [1, 2], "amount": 1}


def changes_are_judged(
    name: str, good: Json, texts: Sequence[str], dialect: str, times: int = 150, catalog: Catalog = KNOWN
) -> None:
    """Each is compiled or refused; of those that are compiled, some are run. `name` is what chance depends on."""
    chance = random.Random(name)
    for _ in range(times):
        document = deepcopy(good)
        for _ in range(chance.randint(1, 3)):
            _change(document, chance, texts)
        compiled = dialects.compile(document, catalog)
        judged(compiled)
        dialects.requirements(document)
        if compiled.workflow is not None and chance.random() < 0.2:
            seen(compiled.workflow, document, dialect)


def _change(document: Json, chance: random.Random, texts: Sequence[str]) -> None:
    """Somewhere in it, something else, or nothing, or a key under another name."""
    held: Json = document
    while isinstance(held, dict | list) and held:
        key = chance.choice(list(held) if isinstance(held, dict) else range(len(held)))
        if not isinstance(held[key], dict | list) or not held[key] or chance.random() < 0.25:
            break
        held = held[key]
    if not isinstance(held, dict | list) or not held:
        return
    match chance.randrange(3):
        case 0:
            held[key] = chance.choice([None, 1, -1, True, "", [], {}, [1], {"a": 1}, *texts])
        case 1:
            del held[key]
        case _:
            if isinstance(held, dict):
                held[f"{key}x"] = held.pop(key)


def seen(workflow: Any, document: Json, dialect: str) -> None:
    """It can be run, and shown however it stands."""
    world = World(compile_value, Fixed())
    world.start(workflow, GIVEN)
    world.run()
    row = world.store.rows["main"]
    shown = Seen(row.record, tuple(row.facts), workflow, document, "1")
    json.dumps(dialects.view(dialect, shown))
    for each in workflow.steps[:3]:
        json.dumps(dialects.step_view(dialect, shown, each.id))
