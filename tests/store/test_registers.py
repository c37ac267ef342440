"""Registers: cards that an organization keeps, and the audit of their changes."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from perdure.store import port as p
from perdure.store.questions import Questions
from perdure.store.registers import FIRST, Card, WriteCard, sealed
from store.stores import Kept
from store.words import COMMITTED, T0, one


def put(id_: str = "ann", data: Any = None, **more: Any) -> WriteCard:
    written = {"name": "Ann"} if data is None else data
    return WriteCard("members", id_, written, **{"at": T0, "by": "root", "action": "member.added", **more})


def removal(id_: str = "ann", **more: Any) -> WriteCard:
    return replace(put(id_, **{"at": T0 + 9, "action": "member.removed", **more}), data=None)


def test_a_card_is_kept_as_it_was_given(store: Kept, asked: Questions) -> None:
    data = {"name": "Ann", "groups": ["finance", "käse"], "n": 1.5, "none": None}
    assert one(store, put(data=data)) == COMMITTED
    assert asked.card("default", "members", "ann") == Card("members", "ann", data, 1, T0)


def test_a_change_makes_a_new_revision(store: Kept, asked: Questions) -> None:
    store.commit([put(), put(data={"name": "Anna"}, at=T0 + 1)])
    assert asked.card("default", "members", "ann") == Card("members", "ann", {"name": "Anna"}, 2, T0 + 1)


def test_a_card_that_was_taken_out_is_gone(store: Kept, asked: Questions) -> None:
    store.commit([put(), removal()])
    assert asked.card("default", "members", "ann") is None
    assert asked.cards("default", "members", "", 10) == []


@pytest.mark.parametrize("after", [1, 2])
def test_a_card_that_is_not_there_is_at_no_revision(store: Kept, asked: Questions, after: int) -> None:
    refused = one(store, put(after=after))
    assert refused == p.GuardFailed("'ann' is not there any more; look again")
    assert asked.audit("default", None, 10) == []


def test_a_card_that_must_not_be_there_yet_is_not_written_twice(store: Kept, asked: Questions) -> None:
    assert one(store, put(after=0)) == COMMITTED
    refused = one(store, put(data={"name": "another"}, after=0, at=T0 + 1))
    assert refused == p.GuardFailed("'ann' has been changed since: it is at revision 1, not 0; look again")
    assert asked.card("default", "members", "ann").data == {"name": "Ann"}  # type: ignore[union-attr]


def test_of_two_changes_of_one_revision_the_first_is_made(store: Kept, asked: Questions) -> None:
    one(store, put())
    first, second = put(data={"name": "one"}, at=T0 + 1, after=1), put(data={"name": "two"}, at=T0 + 2, after=1)
    assert one(store, first) == COMMITTED
    assert isinstance(one(store, second), p.GuardFailed)
    assert len(asked.audit("default", None, 10)) == 2


@pytest.mark.parametrize("item", [put(), put(after=0)])
def test_what_is_sent_again_is_done_once(store: Kept, asked: Questions, item: WriteCard) -> None:
    assert [one(store, item), one(store, item)] == [COMMITTED, COMMITTED]
    assert [card.revision for card in asked.cards("default", "members", "", 10)] == [1]
    assert len(asked.audit("default", None, 10)) == 1


@pytest.mark.parametrize("item", [removal(), removal(after=1)])
def test_a_removal_that_is_sent_again_is_done_once(store: Kept, asked: Questions, item: WriteCard) -> None:
    one(store, put())
    assert [one(store, item), one(store, item)] == [COMMITTED, COMMITTED]
    assert [entry.action for entry in asked.audit("default", None, 10)] == ["member.removed", "member.added"]


def test_registers_and_organizations_are_apart(store: Kept, asked: Questions) -> None:
    one(store, put())
    one(store, put(organization="acme", data={"name": "other"}))
    one(store, WriteCard("secrets", "ann", {"cipher": "…"}, T0, "root", "secret.set"))
    assert [card.data for card in asked.cards("default", "members", "", 10)] == [{"name": "Ann"}]
    assert [card.data for card in asked.cards("acme", "members", "", 10)] == [{"name": "other"}]
    assert [card.id for card in asked.cards("default", "secrets", "", 10)] == ["ann"]
    assert asked.card("nobody", "members", "ann") is None
    assert {entry.organization for entry in asked.audit("acme", None, 10)} == {"acme"}


def test_cards_come_page_by_page_in_the_order_of_their_ids(store: Kept, asked: Questions) -> None:
    names = ["ann", "Zoe", "bob", "ärger", "cid"]
    store.commit([put(name) for name in names])
    pages, after = [], ""
    while page := asked.cards("default", "members", after, 2):
        pages.append([card.id for card in page])
        after = page[-1].id
    assert pages == [["Zoe", "ann"], ["bob", "cid"], ["ärger"]]


def test_cards_of_all_organizations_come_page_by_page(store: Kept, asked: Questions) -> None:
    places = [("b", "1"), ("a", "2"), ("a", "1"), ("c", "0")]
    store.commit([put(id_, organization=organization) for organization, id_ in places])
    found: list[tuple[str, str]] = []
    while page := asked.all_cards("members", found[-1] if found else ("", ""), 3):
        found += [(card.organization, card.id) for card in page]
    assert found == sorted(places)


def test_whether_a_card_is_as_it_was_can_be_asked_without_reading_it(store: Kept, asked: Questions) -> None:
    assert asked.card_mark("default", "members", "ann") is None
    store.commit([put(), put(data={"name": "Anna"}, at=T0 + 1)])
    assert asked.card_mark("default", "members", "ann") == (2, T0 + 1)
    assert asked.card_mark("acme", "members", "ann") is None


def test_what_is_written_with_a_card_is_written_with_it_or_not_at_all(store: Kept, asked: Questions) -> None:
    store.commit([put(), put("bob")])
    both = removal(after=1, also=(removal("bob"), removal("eve")))
    assert one(store, replace(both, after=2)) == p.GuardFailed(
        "'ann' has been changed since: it is at revision 1, not 2; look again"
    )
    assert [card.id for card in asked.cards("default", "members", "", 10)] == ["ann", "bob"]
    assert one(store, both) == COMMITTED
    assert asked.cards("default", "members", "", 10) == []
    assert [entry.subject for entry in asked.audit("default", None, 2)] == ["bob", "ann"]


def test_a_card_can_be_found_by_an_id_that_nobody_guesses(store: Kept, asked: Questions) -> None:
    one(store, put("0f3a", organization="acme"))
    found = asked.card_anywhere("members", "0f3a")
    assert found is not None
    assert found.organization == "acme"
    assert asked.card_anywhere("webhooks", "0f3a") is None


def test_every_change_is_in_the_audit_the_newest_first(store: Kept, asked: Questions) -> None:
    store.commit([put(details={"groups": ["finance"]}), removal(by="zoe")])
    removed, added = asked.audit("default", None, 10)
    assert (added.by, added.action, added.at, added.register, added.subject, added.details) == (
        *("root", "member.added", T0, "members", "ann"),
        {"groups": ["finance"]},
    )
    assert (removed.by, removed.action, removed.at) == ("zoe", "member.removed", T0 + 9)
    assert asked.audit("default", removed.place, 10) == [added]
    assert asked.audit("default", None, 1) == [removed]


def test_the_entries_of_each_writer_are_a_chain(store: Kept, asked: Questions) -> None:
    writers = ["w1", "w2", "w1", "w1", "w2"]
    store.commit([put(f"m{n}", writer=writer) for n, writer in enumerate(writers)])
    entries = list(reversed(asked.audit("default", None, 10)))
    assert [(entry.writer, entry.number) for entry in entries] == [
        ("w1", 1),
        ("w2", 1),
        ("w1", 2),
        ("w1", 3),
        ("w2", 2),
    ]
    for writer in ("w1", "w2"):
        before = FIRST
        for entry in [each for each in entries if each.writer == writer]:
            assert sealed(entry, before).hash == entry.hash
            before = entry.hash


@pytest.mark.parametrize("change", [{"by": "mallory"}, {"at": T0 + 1}, {"details": 1}, {"number": 2}, {"subject": "x"}])
def test_an_entry_that_was_changed_does_not_fit_its_hash(store: Kept, asked: Questions, change: dict[str, Any]) -> None:
    one(store, put())
    (entry,) = asked.audit("default", None, 10)
    assert sealed(replace(entry, **change), FIRST).hash != entry.hash


def test_what_is_refused_keeps_nothing_else_from_being_written(store: Kept, asked: Questions) -> None:
    one(store, put())
    outcomes = store.commit([put("bob"), put("ann", after=7), put("cid")])
    assert [type(outcome) for outcome in outcomes] == [p.Committed, p.GuardFailed, p.Committed]
    assert [card.id for card in asked.cards("default", "members", "", 10)] == ["ann", "bob", "cid"]
