"""What control carries along on its path: the loops that it is in, and the variables that it has seen set."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any

from perdure.expressions.protocol import UNDEFINED
from perdure.model.values import Json


class Thing(SimpleNamespace):  # noqa: PLW1641  (nothing is looked up by one)
    """Has fields, and is equal to itself only."""

    __eq__ = object.__eq__


class Token(Thing):
    """Control: before a `step`, in it, or in one `item` of it. It `came` from steps, with `vars` that were set by steps in
    its `past`, inside of a `loop`, and perhaps `back` to begin a cycle again. In a step it is `due` with an `outcome`.
    """

    loop = whole = None
    item, back, paused = -1, False, False


class Loop(Thing):
    """A `step` that hands out `items` in so many `ticks`, inside of a `parent`, and the `errors` that befell them."""

    complete = gone = False

    def tick(self) -> dict[str, Any]:
        size, total, before = self.step.work.batch_size, len(self.items), self.ticks - (not self.complete)
        start = total if self.complete else before * size
        state = {"currentIndex": start, "totalItems": total, "iterations": before, "batchesProcessed": before}
        if self.complete:
            return {"state": {**state, "isComplete": True}, "batch": None}
        batch = self.items[start : start + size]
        place = {"index": before, "startIndex": start, "endIndex": start + len(batch) - 1, "size": len(batch)}
        one = {"item": batch[0]} if size == 1 else {}
        return {"state": {**state, "isComplete": False}, "batch": {**place, "items": batch}, **one}

    def seen(self) -> dict[str, Any]:
        seen = {"owner": self.step.id, "items": self.items, **self.tick()}
        seen |= {"index": seen["state"]["currentIndex"]} if "item" in seen else {}
        seen |= {"errors": self.errors} if self.errors else {}
        return seen | ({"parent": self.parent.seen()} if self.parent else {})


def around(loop: Any) -> list[Any]:
    """The loops that control is in, the innermost first."""
    return [*([] if loop.gone else [loop]), *around(loop.parent)] if loop else []


def variables(path: Any) -> dict[str, Json]:
    return {name: write.value for name, write in path.vars.items() if write.value is not UNDEFINED}


def write(path: Any, step: str, values: Mapping[str, Json], order: int) -> None:
    """The step has ended on this path, as the `order`th thing that happened, and set these."""
    path.vars.update({name: Thing(value=value, step=step, order=order) for name, value in values.items()})
    path.past = {**path.past, step: order}


def merge(there: Any, path: Any, place: Callable[[str], int]) -> None:
    """A path comes to where another is. A write that the other path has seen gives way to its; of two unseen ones that
    stays which is later in the graph."""
    for name, old in there.vars.items() if there.vars is not path.vars else ():
        new = path.vars.setdefault(name, old)
        if old.order > path.past.get(old.step, 0):
            seen = new.order <= there.past.get(new.step, 0)
            path.vars[name] = old if seen or place(old.step) > place(new.step) else new
    path.past = {step: max(there.past.get(step, 0), path.past.get(step, 0)) for step in there.past | path.past}


def join(there: Any, token: Any, place: Callable[[str], int]) -> None:
    """Two tokens before one step are one."""
    merge(there, token, place)
    token.came = [*(step for step in there.came if step not in token.came), *token.came]
    token.since, token.back = there.since, there.back and token.back
    token.loop = next((loop for loop in around(token.loop) if loop in around(there.loop)), None)
