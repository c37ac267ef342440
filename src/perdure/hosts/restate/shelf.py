"""What an execution keeps in its virtual object, each thing under a key of its own, so that a turn reads only what it needs.

control        the record and the control state
f:12           fact 12
i:12:0         the first thousand items of the loop or forEach that fact 12 opened
w:12:0         the numbers of the first facts that ended items of that scope
c:payment-1    this event has been consumed
k:12           the invocation that calls the task of operation 12
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, assert_never

import msgspec
from msgspec.structs import replace
from restate import ObjectContext

from perdure.core import facts as f
from perdure.core.state import State
from perdure.core.values import (
    CHUNK_ITEMS,
    WITH_ITEMS,
    Chunk,
    Consumed,
    Known,
    Ref,
    Takes,
    Within,
    chunk,
    consumed_by,
    scope_of,
)
from perdure.hosts.restate.messages import BYTES, Control, decoded, encoded

CONTROL = "control"
WITHIN_MAX = 256
"""So many numbers stand under one key; with each item one of these lists is written anew."""

_fact: msgspec.json.Decoder[f.Fact] = msgspec.json.Decoder(f.Fact)
_items = msgspec.json.Decoder(list[Any])
_numbers = msgspec.json.Decoder(list[int])


async def read_control(ctx: ObjectContext) -> Control | None:
    data = await ctx.get(CONTROL, BYTES)
    return None if data is None else decoded(Control, data)


def write_control(ctx: ObjectContext, control: Control) -> None:
    ctx.set(CONTROL, encoded(control), BYTES)


async def read_values(ctx: ObjectContext, control: Control | None, refs: Iterable[Ref]) -> dict[Ref, Any]:
    """What the references stand for; of workflows, only a store knows."""
    found: dict[Ref, Any] = {}
    for ref in sorted(refs, key=repr):  # in one order: what is read is replayed
        match ref:
            case int():
                found[ref] = await _read_fact(ctx, ref)
            case Chunk():
                found[ref] = await _read_chunk(ctx, ref) or []
            case Within():
                found[ref] = await _read_within(
                    ctx, ref.scope, 0 if control is None else control.within.get(ref.scope, 0)
                )
            case Consumed():
                found[ref] = await ctx.get(f"c:{ref.event_id}", BYTES) is not None
            case Known() | Takes():
                pass
            case _:
                assert_never(ref)
    return found


def write_facts(ctx: ObjectContext, facts: tuple[f.Fact, ...], seq: int) -> None:
    """The facts after number `seq`."""
    for number, fact in enumerate(facts, seq + 1):
        if isinstance(fact, f.LoopOpened | f.ForEachOpened):
            for part in range(-(-len(fact.items) // CHUNK_ITEMS)):
                ctx.set(f"i:{number}:{part}", encoded(chunk(fact.items, part)), BYTES)
            fact = replace(fact, items=[])  # noqa: PLW2901  the items are kept apart
        ctx.set(f"f:{number}", encoded(fact), BYTES)
        consumed = consumed_by(fact)
        if consumed is not None:
            ctx.set(f"c:{consumed}", b"true", BYTES)


async def count_within(
    ctx: ObjectContext, facts: tuple[f.Fact, ...], seq: int, state: State, within: dict[int, int]
) -> dict[int, int]:
    """Note which facts belong to which scope; how many each has that is still open."""
    counts, lists = dict(within), {}
    for number, fact in enumerate(facts, seq + 1):
        scope = scope_of(fact)
        if not scope:
            continue
        count = counts.get(scope, 0)
        key = f"w:{scope}:{count // WITHIN_MAX}"
        if key not in lists:
            lists[key] = await _read_numbers(ctx, key) if count % WITHIN_MAX else []
        lists[key].append(number)
        counts[scope] = count + 1
    for key, numbers in lists.items():
        ctx.set(key, encoded(numbers), BYTES)
    return {scope: count for scope, count in counts.items() if scope in state.scopes}


async def _read_fact(ctx: ObjectContext, seq: int) -> f.Fact:
    data = await ctx.get(f"f:{seq}", BYTES)
    assert data is not None, seq
    fact = _fact.decode(data)
    if type(fact) not in WITH_ITEMS:
        return fact
    items: list[Any] = []
    while part := await _read_chunk(ctx, Chunk(seq, len(items) // CHUNK_ITEMS)):
        items += part
        if len(part) < CHUNK_ITEMS:
            break
    return replace(fact, items=items)


async def _read_chunk(ctx: ObjectContext, ref: Chunk) -> list[Any] | None:
    data = await ctx.get(f"i:{ref.seq}:{ref.number}", BYTES)
    return None if data is None else _items.decode(data)


async def _read_within(ctx: ObjectContext, scope: int, count: int) -> list[f.Fact]:
    numbers: list[int] = []
    for part in range(-(-count // WITHIN_MAX)):
        numbers += await _read_numbers(ctx, f"w:{scope}:{part}")
    return [await _read_fact(ctx, number) for number in numbers]


async def _read_numbers(ctx: ObjectContext, key: str) -> list[int]:
    data = await ctx.get(key, BYTES)
    assert data is not None, key
    return _numbers.decode(data)
