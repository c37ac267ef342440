"""Values by every kind of reference, and values of every kind: what went in comes out, to the last character."""

from __future__ import annotations

from typing import Any

import pytest

from perdure.core import facts as f
from perdure.core.values import CHUNK_ITEMS, Chunk, Consumed, Known, Ref, Takes, Within
from perdure.model.failure import Category, Failure
from perdure.model.workflow import Workflow
from perdure.store import port as p
from store.stores import Kept
from store.words import HEIR, T0, advance, fact, held, looked_at, one, pending, running, step_done

ERROR = Failure("no", Category.TRANSIENT, "E1", retriable=False, details={"a": [1]}, stack="x\ny", exception="OSError")
LONG = 64_000
"""SQLite keeps a fact apart whose JSON is longer."""


def kept(store: Kept, *facts: f.Fact) -> None:
    held(store)
    one(store, advance(*facts))


def value(store: Kept, ref: Ref) -> Any:
    return store.values("e1", [ref])[ref]


FACTS: list[f.Fact] = [
    f.ExecutionStarted(T0, "e1", "d", "acme", "2", {"a": 1}, 0, "event", [1], "ev1", "c", "p", 3, 9, 1, {"v": 1}, True),
    f.ExecutionForked(T0, "e1", "e0", {"a": 1}, True, {0: "x", 12: None}, {"v": 1}, (1, 2), 99, True, "ann"),
    f.ExecutionCompleted(T0, {"z": 1, "a": 2}, 7),
    f.ExecutionFailed(T0, ERROR, (1, 2), True, ((3, 1), (4, 2))),
    f.ExecutionRetrying(T0, ERROR, T0 + 5, (1,)),
    f.ExecutionRetried(T0, "carol", 99),
    f.ExecutionCancelled(T0, "why", "carol", "USER", "ev1", True, ((3, 1),)),
    f.StepScheduled(T0, 2, {"a": "***"}, [["a", "secret"]], 3, 0, (("tokens", 5),), 4),
    f.StepCheckpointed(T0, 2, "page", 1, {"cursor": None}),
    f.StepRetrying(T0, 2, 2, T0 + 5, ERROR, (("tokens", 5),)),
    f.StepAttempted(T0, 2, 2),
    f.StepLost(T0, 2, 1, True),
    f.StepCompleted(
        T0, 1, 2, "out", "ok", {"m": 1}, {"v": 1}, ("w",), (3,), (1,), ((4, ("a", "b")),), 9, "l", (), "ev1"
    ),
    f.StepFailed(T0, 1, ERROR, 2, True, (3,), (1,), ((-1, ("a",)),), (("usd", 1),), 4, 5, True, "ev1"),
    f.PauseEnded(T0, 2, ((3, ("a",)),)),
    f.TimerOpened(T0, 1, T0 + 5, 2, 0),
    f.WaitOpened(T0, 1, "order.*", T0 + 5, 2, 0),
    f.ApprovalOpened(T0, 1, {"q": "?"}, T0 + 5, 2, 0),
    f.ApprovalOverdue(T0, 1, ["carol"]),
    f.ChildStarted(T0, 1, "child", "orders", "d", [1], 2, 0),
    f.ForEachOpened(T0, 1, [1, "a", None]),
    f.ForEachOpened(T0, 1, []),
    f.ItemCompleted(T0, 1, 2, 0, 3, "out", [1], (("usd", 1),), "ev1"),
    f.ItemFailed(T0, 1, 2, 0, ERROR, 3, True, (("usd", 1),), "ev1"),
    f.LoopOpened(T0, 1, [{"a": 1}], 10),
    f.LoopTicked(T0, 1, 2, 10, (3,), (4,)),
    f.LoopsLeft(T0, (2, 3)),
    f.DeadlineMoved(T0, T0 + 5, 10),
    f.CompensationPlanned(T0, ((1, 2), (3, 4)), (5,)),
    f.CompensationFinished(T0, (1,)),
    f.ChainPlanned(T0, 1, 3, [1, 2, 3]),
    f.ChainAdvanced(T0, 1, 3, (2,)),
    f.ChainSkipped(T0, "no value", 1, 2),
    f.ChainFailed(T0, 1, ERROR),
    f.Warned(T0, 1, "careful"),
]


@pytest.mark.parametrize("kept_fact", FACTS, ids=lambda fact: type(fact).__name__)
def test_a_fact_of_this_kind_comes_out_as_it_went_in(store: Kept, kept_fact: f.Fact) -> None:
    kept(store, kept_fact)
    assert value(store, 1) == kept_fact
    assert looked_at(store).facts == (kept_fact,)


def _nested(depth: int) -> Any:
    found: Any = "the bottom"
    for number in range(depth):
        found = {"in": found} if number % 2 else [found]
    return found


OUTPUTS: dict[str, Any] = {
    "nothing": None,
    "an_empty_text": "",
    "a_nul": "a\u0000b\u0000",
    "a_text_that_is_only_a_nul": "\u0000",
    "controls": "".join(map(chr, range(32))) + "\x7f\u2028\u2029\ufeff",
    "quotes_and_backslashes": "\\\"'\\u0000 \\",
    "letters_beyond_ascii": "naïve, 漢字, 🦆, \U0010ffff",
    "a_letter_and_its_accent_apart": "e\u0301 é",
    "a_long_text": "x" * (LONG * 3 + 17),
    "a_long_text_beyond_ascii": "🦆é漢" * LONG,
    "a_long_text_of_nuls": "\u0000" * LONG,
    "many_keys": {f"key {number}": number for number in range(20_000)},
    "deep_nesting": _nested(200),
    "long_and_deep": [_nested(100)] * 500,
    "the_largest_numbers_of_64_bits": [2**63 - 1, -(2**63), 2**64 - 1],
    "numbers_beyond_64_bits": [2**64, -(2**70), 10**40],
    "numbers_beyond_53_bits": [2**53 + 1, -(2**53) - 1],
    "floats": [0.1, -0.0, 1e308, 5e-324, 1.0, 123456789.123456789],
    "keys_in_no_order": {"z": 1, "a": {"y": 1, "b": 2}, "M": 3, "": 4},
    "keys_that_look_like_numbers": {"10": 1, "9": 2, "1": 3},
    "a_nul_in_a_key": {"a\u0000b": 1, "a": 2},
    "truth_and_numbers": [True, 1, False, 0, "1", None],
    "what_looks_like_a_fact": {"kind": "step.completed", "at": 1},
}


@pytest.mark.parametrize("output", OUTPUTS.values(), ids=OUTPUTS.keys())
def test_a_value_comes_out_as_it_went_in(store: Kept, output: Any) -> None:
    kept(store, step_done(output))
    found = value(store, 1).output
    # As text: the types, the sign of zero and the order of keys are part of it.
    assert repr(found) == repr(output)


def test_values_about_as_long_as_is_kept_in_one_piece_come_out_whole(store: Kept) -> None:
    facts = tuple(step_done("é" * length) for length in range(LONG - 80, LONG + 3))
    kept(store, *facts)
    assert looked_at(store).facts == facts


def test_a_long_input_is_there_to_begin_with(store: Kept) -> None:
    long = pending(input={"z": "🦆\u0000" * LONG, "a": 1})
    one(store, p.Create(long))
    (claim,) = store.claim(HEIR, now=T0, limit=1)
    assert repr(claim.start) == repr(long.start)


def test_a_long_output_is_in_the_record(store: Kept) -> None:
    held(store)
    output = {"z": "🦆\u0000" * LONG, "a": 1}
    one(store, advance(fact(), record=running(seq=1, output=output)))
    assert repr(looked_at(store).record.output) == repr(output)


def test_a_long_fact_stands_in_its_place_among_short_ones(store: Kept) -> None:
    facts = (fact("one"), step_done("x" * LONG * 2), fact("three"), step_done("y" * LONG * 2), fact("five"))
    kept(store, *facts)
    assert looked_at(store).facts == facts


def test_a_fact_has_its_number_from_1(store: Kept) -> None:
    kept(store, fact("one"), fact("two"), fact("three"))
    assert store.values("e1", [3, 1]) == {3: fact("three"), 1: fact("one")}


def test_an_execution_that_is_not_there_has_no_values(store: Kept) -> None:
    assert store.values("nobody", [1, Consumed("event"), Known("w")]) == {}


def test_no_references_have_no_values(store: Kept) -> None:
    kept(store, fact())
    assert store.values("e1", []) == {}


def test_references_of_every_kind_are_answered_together(store: Kept) -> None:
    kept(store, f.ForEachOpened(T0, 0, ["a"]), f.ItemCompleted(T0, 0, 1, 0, output="A"))
    refs: list[Ref] = [1, 2, Chunk(1, 0), Within(1), Consumed("ev1"), Known("orders")]
    assert store.values("e1", iter(refs)) == {
        1: f.ForEachOpened(T0, 0, ["a"]),
        2: f.ItemCompleted(T0, 0, 1, 0, output="A"),
        Chunk(1, 0): ["a"],
        Within(1): [f.ItemCompleted(T0, 0, 1, 0, output="A")],
        Consumed("ev1"): False,
        Known("orders"): "",
    }


MANY = [{"n": number, "text": "é\u0000"} for number in range(2 * CHUNK_ITEMS + 300)]


@pytest.mark.parametrize(
    "opened", [f.ForEachOpened(T0, 0, MANY), f.LoopOpened(T0, 0, MANY, 10)], ids=["forEach", "loop"]
)
def test_the_items_come_in_chunks_of_which_the_last_is_shorter(store: Kept, opened: f.Fact) -> None:
    kept(store, fact(), opened)
    chunks = [value(store, Chunk(2, number)) for number in range(3)]
    assert [len(chunk) for chunk in chunks] == [CHUNK_ITEMS, CHUNK_ITEMS, 300]
    assert [item for chunk in chunks for item in chunk] == MANY


@pytest.mark.parametrize(
    "opened", [f.ForEachOpened(T0, 0, MANY), f.LoopOpened(T0, 0, MANY, 10)], ids=["forEach", "loop"]
)
def test_the_fact_that_opened_many_items_has_them_all(store: Kept, opened: f.Fact) -> None:
    kept(store, opened)
    assert value(store, 1) == opened
    assert looked_at(store).facts == (opened,)


def test_a_chunk_after_the_last_is_empty(store: Kept) -> None:
    kept(store, f.ForEachOpened(T0, 0, MANY))
    assert value(store, Chunk(1, 3)) == []


def test_a_full_last_chunk_is_followed_by_an_empty_one(store: Kept) -> None:
    kept(store, f.ForEachOpened(T0, 0, list(range(CHUNK_ITEMS))))
    assert [len(value(store, Chunk(1, number))) for number in (0, 1)] == [CHUNK_ITEMS, 0]


def test_no_items_are_an_empty_chunk(store: Kept) -> None:
    kept(store, f.LoopOpened(T0, 0, [], 10))
    assert value(store, Chunk(1, 0)) == []


def test_a_chunk_of_long_items_comes_whole(store: Kept) -> None:
    items = ["🦆" * LONG, ["x" * LONG]]
    kept(store, f.ForEachOpened(T0, 0, items))
    assert value(store, Chunk(1, 0)) == items


def test_items_that_are_arrays_stay_arrays(store: Kept) -> None:
    kept(store, f.ForEachOpened(T0, 0, [[1, 2], [], [[3]]]))
    assert value(store, Chunk(1, 0)) == [[1, 2], [], [[3]]]


def test_within_a_scope_are_the_facts_that_ended_its_items_in_their_order(store: Kept) -> None:
    third, first = f.ItemCompleted(T0, 0, 1, 2, output="c"), f.ItemFailed(T0, 0, 1, 0, ERROR, passed=True)
    kept(store, f.ForEachOpened(T0, 0, ["a", "b", "c"]), third, fact(), first)
    assert value(store, Within(1)) == [third, first]


def test_within_a_loop_are_the_failures_that_ended_its_ticks(store: Kept) -> None:
    ended = f.StepFailed(T0, 2, ERROR, handled=True, loop=1)
    kept(store, f.LoopOpened(T0, 0, ["a"], 1), ended, f.StepFailed(T0, 2, ERROR, scope=1), f.LoopTicked(T0, 0, 1, 0))
    assert value(store, Within(1)) == [ended]


def test_within_a_scope_is_nothing_of_another(store: Kept) -> None:
    kept(store, f.ItemCompleted(T0, 0, 1, 0, output="of 1"), f.ItemCompleted(T0, 0, 2, 0, output="of 2"))
    assert value(store, Within(2)) == [f.ItemCompleted(T0, 0, 2, 0, output="of 2")]


def test_within_a_scope_of_which_nothing_has_ended_is_nothing(store: Kept) -> None:
    kept(store, f.ForEachOpened(T0, 0, ["a"]))
    assert value(store, Within(1)) == []


def test_within_a_scope_is_what_several_commits_put_there(store: Kept) -> None:
    kept(store, f.ItemCompleted(T0, 0, 9, 0, output="x" * LONG * 2))
    one(store, advance(f.ItemCompleted(T0, 0, 9, 1, output="b"), after=1))
    assert [found.output for found in value(store, Within(9))] == ["x" * LONG * 2, "b"]


def test_within_the_scope_of_one_execution_is_nothing_of_another(store: Kept) -> None:
    kept(store, f.ItemCompleted(T0, 0, 1, 0))
    held(store, "e2")
    assert store.values("e2", [Within(1)]) == {Within(1): []}


def test_who_asks_for_what_is_within_may_keep_the_list_for_itself(store: Kept) -> None:
    kept(store, f.ItemCompleted(T0, 0, 1, 0))
    value(store, Within(1)).append("a fact that no store knows yet")
    assert value(store, Within(1)) == [f.ItemCompleted(T0, 0, 1, 0)]


CONSUMING: list[f.Fact] = [
    f.ExecutionStarted(T0, "e1", "d", event_id="ev1"),
    f.ExecutionCancelled(T0, "why", "x", "EVENT", "ev1"),
    f.StepCompleted(T0, 0, event_id="ev1"),
    f.StepFailed(T0, 0, ERROR, event_id="ev1"),
    f.ItemCompleted(T0, 0, 1, 0, event_id="ev1"),
    f.ItemFailed(T0, 0, 1, 0, ERROR, event_id="ev1"),
]


@pytest.mark.parametrize("consuming", CONSUMING, ids=lambda fact: type(fact).__name__)
def test_an_event_is_consumed_by_this_fact(store: Kept, consuming: f.Fact) -> None:
    kept(store, consuming)
    assert value(store, Consumed("ev1")) is True


def test_an_event_that_no_fact_names_is_not_consumed(store: Kept) -> None:
    kept(store, f.StepCompleted(T0, 0, event_id="ev1"))
    assert value(store, Consumed("ev2")) is False


def test_an_event_consumed_by_one_execution_is_not_by_another(store: Kept) -> None:
    kept(store, f.StepCompleted(T0, 0, event_id="ev1"))
    held(store, "e2")
    assert store.values("e2", [Consumed("ev1")]) == {Consumed("ev1"): False}


def test_an_event_may_be_consumed_by_two_facts(store: Kept) -> None:
    kept(store, f.StepCompleted(T0, 0, event_id="ev1"), f.StepCompleted(T0, 1, event_id="ev1"))
    assert value(store, Consumed("ev1")) is True


def test_a_name_stands_for_the_version_that_is_active(store: Kept) -> None:
    kept(store, fact())
    first = store.save(Workflow("refunds"))
    assert value(store, Known("refunds")) == first
    second = store.save(Workflow("refunds", steps_max=5))
    assert value(store, Known("refunds")) == second != first


def test_a_version_takes_what_its_schema_says_and_one_that_is_not_there_anything(store: Kept) -> None:
    kept(store, fact())
    strict = store.save(Workflow("refunds", input_schema={"required": ["q"]}))
    assert value(store, Takes(strict)).reason({"q": 1}) is None
    assert "does not fit" in value(store, Takes(strict)).reason({"x": 1})
    for digest in (store.save(Workflow("anything")), "0" * 64):
        assert value(store, Takes(digest)).reason(7) is None


def test_a_name_that_nobody_has_saved_stands_for_nothing(store: Kept) -> None:
    kept(store, fact())
    assert value(store, Known("refunds")) == ""


def test_a_name_stands_for_nothing_in_another_organization(store: Kept) -> None:
    kept(store, fact())
    store.save(Workflow("refunds"), "acme")
    assert value(store, Known("refunds")) == ""
