"""Reader: what may be asked beside whoever writes. It sees all that has been committed."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from perdure.core import facts as f
from perdure.model.records import ExecutionRecord
from perdure.model.steps import Step, Task
from perdure.model.workflow import Entry, Workflow
from perdure.store import port as p
from store.stores import Kept
from store.words import COMMITTED, T0, advance, fact, held, one, running

ORDERS = Workflow("orders", (Step("a", Task("t")),), (Entry("a"),))


@pytest.fixture
def reader(store: Kept) -> Iterator[p.Reader]:
    opened = store.reader()
    yield opened
    opened.close()


def ended(execution: str = "e1", seq: int = 1, at: int = T0) -> ExecutionRecord:
    return running(execution, seq, status="completed", live=False, output=42, ended_at=at)


def end(store: Kept, execution: str = "e1", after: int = 0, at: int = T0) -> None:
    completed = f.ExecutionCompleted(at, 42)
    record = ended(execution, after + 1, at)
    assert one(store, advance(completed, execution=execution, after=after, record=record)) == COMMITTED


def test_a_reader_sees_what_has_just_been_committed(store: Kept, reader: p.Reader) -> None:
    assert reader.record("e1") is None
    held(store)
    assert reader.record("e1") == store.record("e1")
    end(store)
    assert reader.record("e1") == ended()


def test_a_reader_knows_the_active_version(store: Kept, reader: p.Reader) -> None:
    assert reader.active_version("default", "orders") is None
    digest = store.save(ORDERS)
    assert reader.active_version("default", "orders") == digest
    assert reader.active_version("acme", "orders") is None


def test_a_reader_answers_in_a_thread_of_its_own(store: Kept, reader: p.Reader) -> None:
    held(store)
    seen: list[object] = []
    thread = threading.Thread(target=lambda: seen.append(reader.record("e1")))
    thread.start()
    thread.join()
    assert seen == [store.record("e1")]


def test_who_asks_for_ends_for_the_first_time_is_told_only_the_place(store: Kept, reader: p.Reader) -> None:
    held(store)
    end(store)
    place, ends = reader.ends_after(None)
    assert ends == []
    assert reader.ends_after(place) == (place, [])


def test_an_end_is_told_once_to_whoever_asks_from_where_it_was(store: Kept, reader: p.Reader) -> None:
    place, _ = reader.ends_after(None)
    held(store)
    place, ends = reader.ends_after(place)
    assert ends == []
    end(store)
    place, ends = reader.ends_after(place)
    assert ends == ["e1"]
    assert reader.ends_after(place) == (place, [])


def test_all_the_ends_of_one_commit_are_told(store: Kept, reader: p.Reader) -> None:
    names = [f"e{number}" for number in range(20)]
    for name in names:
        held(store, name)
    place, _ = reader.ends_after(None)
    store.commit(
        [advance(f.ExecutionCompleted(T0, 42), execution=name, record=ended(name), release=True) for name in names]
    )
    assert sorted(reader.ends_after(place)[1]) == sorted(names)


def test_facts_that_end_nothing_are_no_ends(store: Kept, reader: p.Reader) -> None:
    held(store)
    place, _ = reader.ends_after(None)
    one(store, advance(fact(), fact()))
    assert reader.ends_after(place)[1] == []


def test_what_ends_again_is_told_again(store: Kept, reader: p.Reader) -> None:
    held(store)
    place, _ = reader.ends_after(None)
    end(store)
    place, first = reader.ends_after(place)
    one(store, advance(fact(), after=1, record=running("e1", 2)))
    end(store, after=2, at=T0 + 5)
    assert (first, reader.ends_after(place)[1]) == (["e1"], ["e1"])


def test_two_readers_are_told_the_same(store: Kept, reader: p.Reader) -> None:
    other = store.reader()
    place, _ = reader.ends_after(None)
    held(store)
    end(store)
    assert reader.ends_after(place) == other.ends_after(place)
    other.close()
