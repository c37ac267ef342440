"""The feed: the facts of all executions, in the order in which they became durable."""

from __future__ import annotations

import pytest

from perdure.core import facts as f
from perdure.core.events import Continued
from perdure.model.failure import Category, Failure
from perdure.store import port as p
from perdure.store.feed import Glimpse, Told, glimpse
from perdure.store.questions import Questions
from store.stores import Kept
from store.words import ANN, COMMITTED, T0, advance, fact, held, one, pending, running, step_done


def _texts(told: list[Told]) -> list[str]:
    return [one.fact.message for one in told if one.kind == "warning" and isinstance(one.fact, Glimpse)]


def _held_by(store: Kept, execution: str, organization: str) -> None:
    held(store, execution, organization=organization)
    record = running(execution, 1, organization=organization)
    assert one(store, advance(fact(f"of {organization}"), execution=execution, record=record)) == COMMITTED


def test_nothing_is_told_of_an_empty_store(store: Kept, asked: Questions) -> None:
    assert asked.feed(0, 10).told == []


def test_an_execution_that_has_not_begun_is_not_told_of(store: Kept, asked: Questions) -> None:
    one(store, p.Create(pending()))
    assert asked.feed(0, 10).told == []


def test_facts_of_all_executions_are_told_in_the_order_of_their_commits(store: Kept, asked: Questions) -> None:
    held(store, "e1")
    held(store, "e2")
    one(store, advance(fact("first"), execution="e2"))
    one(store, advance(fact("second"), fact("third")))
    one(store, advance(fact("fourth"), execution="e2", after=1))
    assert _texts(asked.feed(0, 10).told) == ["first", "second", "third", "fourth"]


def test_a_fact_is_told_with_its_execution_organization_number_and_kind(store: Kept, asked: Questions) -> None:
    held(store, organization="acme")
    one(store, advance(fact("a"), step_done({"n": 1}), record=running(seq=2, organization="acme")))
    (first, second) = asked.feed(0, 10).told
    assert (second.execution, second.organization, second.seq) == ("e1", "acme", 2)
    assert (second.workflow, second.digest) == ("orders", "digest-1")
    assert (second.kind, second.fact) == ("step.completed", glimpse(step_done({"n": 1})))
    assert second.pos > first.pos > 0


def test_the_feed_goes_on_after_a_position(store: Kept, asked: Questions) -> None:
    held(store)
    one(store, advance(fact("a"), fact("b"), fact("c")))
    (first, *_) = asked.feed(0, 10).told
    assert _texts(asked.feed(first.pos, 10).told) == ["b", "c"]


def test_after_the_last_position_there_is_nothing_until_something_happens(store: Kept, asked: Questions) -> None:
    held(store)
    one(store, advance(fact("a")))
    last = asked.feed(0, 10).told[-1].pos
    assert asked.feed(last, 10).told == []
    one(store, advance(fact("b"), after=1))
    assert _texts(asked.feed(last, 10).told) == ["b"]


def test_the_feed_has_so_many_at_most(store: Kept, asked: Questions) -> None:
    held(store)
    one(store, advance(*(fact(str(number)) for number in range(5))))
    assert _texts(asked.feed(0, 2).told) == ["0", "1"]


def test_read_in_parts_the_feed_is_whole(store: Kept, asked: Questions) -> None:
    held(store)
    one(store, advance(*(fact(str(number)) for number in range(7))))
    told: list[Told] = []
    while some := asked.feed(told[-1].pos if told else 0, 3).told:
        told += some
    assert _texts(told) == [str(number) for number in range(7)]


def test_the_feed_of_an_organization_has_nothing_of_another(store: Kept, asked: Questions) -> None:
    _held_by(store, "e1", "acme")
    _held_by(store, "e2", "globex")
    assert [one.execution for one in asked.feed(0, 10, "globex").told] == ["e2"]


def test_the_feed_of_an_organization_has_so_many_of_its_own(store: Kept, asked: Questions) -> None:
    for number in range(6):
        _held_by(store, f"e{number}", "acme" if number % 2 else "globex")
    assert [one.execution for one in asked.feed(0, 2, "acme").told] == ["e1", "e3"]


@pytest.mark.parametrize("organization", [None, "default"])
def test_the_feed_of_an_organization_goes_on_after_a_position(
    store: Kept, asked: Questions, organization: str | None
) -> None:
    held(store)
    one(store, advance(fact("a"), fact("b")))
    first = asked.feed(0, 1, organization).told[0].pos
    assert _texts(asked.feed(first, 10, organization).told) == ["b"]


def test_of_a_large_value_it_is_told_that_there_is_one(store: Kept, asked: Questions) -> None:
    held(store)
    large = step_done("🦆" * 70_000)
    loop = f.LoopOpened(T0, 0, list(range(2_500)), 1)
    one(store, advance(large, loop))
    assert [one.fact for one in asked.feed(0, 10).told] == [glimpse(large), glimpse(loop)]


FAILED = Failure("declined", Category.BUSINESS, "DECLINED")


@pytest.mark.parametrize(
    ("happened", "told"),
    [
        (f.ExecutionFailed(T0, FAILED), Glimpse(T0, error=FAILED)),
        (f.ExecutionCancelled(T0, "no longer", "ann", "USER"), Glimpse(T0, reason="no longer", by="ann")),
        (f.StepScheduled(T0, 3, {"n": 1}, item=7), Glimpse(T0, 3, item=7)),
        (f.StepRetrying(T0, 4, 2, T0 + 5, FAILED), Glimpse(T0, op=4, attempt=2, due_at=T0 + 5, error=FAILED)),
        (f.ChildStarted(T0, 1, "e2", "orders", "digest-1"), Glimpse(T0, 1, child="e2")),
        (f.WaitOpened(T0, 1, "order.*", T0 + 9), Glimpse(T0, 1, pattern="order.*", due_at=T0 + 9)),
    ],
    ids=lambda one: type(one).__name__,
)
def test_what_happened_is_told_without_its_values(
    store: Kept, asked: Questions, happened: f.Fact, told: Glimpse
) -> None:
    held(store)
    one(store, advance(happened))
    assert [one.fact for one in asked.feed(0, 10).told] == [told]


def test_its_place_is_that_of_the_last_that_can_be_told(store: Kept, asked: Questions) -> None:
    held(store)
    one(store, advance(fact("a"), fact("b")))
    place = asked.feed_place()
    assert place >= asked.feed(0, 10).told[-1].pos
    assert asked.feed(place, 10).told == []
    one(store, advance(fact("c"), after=2))
    assert _texts(asked.feed(place, 10).told) == ["c"]


def test_it_says_how_far_it_has_looked(store: Kept, asked: Questions) -> None:
    for number, organization in enumerate(["acme", "globex", "acme", "globex"]):
        _held_by(store, f"e{number}", organization)
    places = [one.pos for one in asked.feed(0, 10).told]
    assert asked.feed(0, 2).reached == places[1]
    assert asked.feed(0, 1, "acme").reached == places[0]
    assert asked.feed(0, 10, "acme").reached == places[3]
    assert asked.feed(places[3], 10).reached == asked.feed(places[3], 10, "acme").reached == places[3]


def test_of_one_organization_it_looks_at_so_many_facts_at_once(
    store: Kept, asked: Questions, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("memory", "sql"):
        monkeypatch.setattr(f"perdure.store.{module}.feed.LOOKED_AT", 3)
    for number in range(5):
        _held_by(store, f"e{number}", "acme" if number == 4 else "globex")
    places = [one.pos for one in asked.feed(0, 10).told]
    first = asked.feed(0, 10, "acme")
    assert (first.told, first.reached) == ([], places[2])
    assert [one.pos for one in asked.feed(first.reached, 10, "acme").told] == [places[4]]


def test_a_copy_for_a_fork_is_told_as_its_own(store: Kept, asked: Questions) -> None:
    """Whoever follows the feed knows it by what it says of its execution."""
    held(store)
    one(store, advance(fact("a"), fact("b")))
    forked = f.ExecutionForked(T0, "e2", "e1")
    assert one(store, p.Fork(running("e2", 2), "e1", 1, (forked,), Continued(T0))) == COMMITTED
    told = [(one.execution, one.seq, one.kind) for one in asked.feed(0, 10).told]
    assert told[2:] == [("e2", 1, "warning"), ("e2", 2, "execution.forked")]


def test_a_commit_that_is_fenced_is_not_told(store: Kept, asked: Questions) -> None:
    held(store)
    one(store, advance(fact(), owner="worker-nobody"))
    assert asked.feed(0, 10).told == []


def test_a_commit_sent_twice_is_told_once(store: Kept, asked: Questions) -> None:
    held(store)
    sent = advance(fact("once"), owner=ANN)
    store.commit([sent, sent])
    assert _texts(asked.feed(0, 10).told) == ["once"]
