"""Workflows and their versions, as every store keeps them."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from perdure.model import codec
from perdure.model.workflow import EventStart, Workflow
from perdure.store import port as p
from perdure.store.questions import Questions
from perdure.store.versions import Kept as KeptVersion
from perdure.store.versions import NewVersion, Version
from store.stores import Kept
from store.words import COMMITTED, FAR, T0, advance, candidates, event, fact, held, one, pending


def keep(store: Any, number: int = 1, workflow: str = "wf_1", **more: Any) -> KeptVersion:
    model = Workflow(more.pop("name", "orders"), starts=(EventStart("order.paid"),), steps_max=number)
    given = {"dialect": "graph", "at": T0 + number, "document": f'{{"n":{number}}}', **more}
    kept: KeptVersion = store.keep(NewVersion(workflow, model, **given))
    return kept


INLINE = Workflow("inline")


def inline(execution: str = "e1") -> tuple[p.Create, str]:
    """An execution of what nobody has saved, and the digest of that."""
    digest, given = codec.digest(INLINE), pending(execution)
    record = replace(given.record, digest=digest)
    return p.Create(p.Pending(record, given.start), model=p.Model(codec.encode(INLINE), "graph")), digest


def told(versions: list[Version]) -> list[tuple[str, str]]:
    return [(each.version, each.status) for each in versions]


def test_the_first_version_is_number_1(store: Kept, asked: Questions) -> None:
    kept = keep(store)
    version = kept.version
    assert (kept.created, version.workflow, version.name, version.number) == (True, "wf_1", "orders", 1)
    assert (version.version, version.dialect, version.status) == ("1", "graph", "active")
    assert (version.created_at, version.document) == (T0 + 1, '{"n":1}')
    assert asked.version("default", "wf_1", "1") == version
    assert codec.decode(asked.model(version.digest)).steps_max == 1
    assert asked.dialect(version.digest) == "graph"


def test_what_is_the_newest_already_makes_no_new_version(store: Kept, asked: Questions) -> None:
    first = keep(store)
    again = keep(store, at=T0 + 99)
    assert (again.created, again.version) == (False, first.version)
    assert told(asked.versions_of("default", "wf_1")) == [("1", "active")]


@pytest.mark.parametrize("change", [{"document": '{"n":2}'}, {"dialect": "ports"}, {"name": "others"}])
def test_whatever_changes_makes_a_new_version(store: Kept, asked: Questions, change: dict[str, Any]) -> None:
    keep(store)
    assert keep(store, **change).created
    assert told(asked.versions_of("default", "wf_1")) == [("2", "active"), ("1", "inactive")]


def test_what_was_an_older_version_becomes_a_new_one(store: Kept, asked: Questions) -> None:
    for number in (1, 2, 1):
        keep(store, number)
    assert told(asked.versions_of("default", "wf_1")) == [("3", "active"), ("2", "inactive"), ("1", "inactive")]


def test_a_draft_leaves_the_active_version_as_it_is(store: Kept, asked: Questions) -> None:
    first = keep(store)
    draft = keep(store, 2, activate=False)
    assert (draft.version.version, draft.version.status) == ("2", "draft")
    row = asked.workflow("default", "wf_1")
    assert row is not None
    assert (row.active, row.digest, row.newest, row.status) == ("1", first.version.digest, "2", "draft")
    assert asked.active_version("default", "wf_1") == first.version.digest


def test_a_draft_that_is_saved_again_can_become_active(store: Kept, asked: Questions) -> None:
    keep(store, activate=False)
    assert asked.active_version("default", "wf_1") is None
    again = keep(store)
    assert (again.created, again.version.status) == (False, "active")


def test_another_version_is_made_the_active_one(store: Any, asked: Questions) -> None:
    first, _ = keep(store, 1), keep(store, 2)
    activated = store.activate("default", "wf_1", "1")
    assert (activated.version, activated.status) == ("1", "active")
    assert told(asked.versions_of("default", "wf_1")) == [("2", "inactive"), ("1", "active")]
    assert asked.active_version("default", "wf_1") == first.version.digest
    one(store, p.Publish(event()))
    assert candidates(store)["ev1"].workflows == ((first.version.digest, 0, "wf_1"),)


def test_a_version_that_is_not_there_is_not_activated(store: Any, asked: Questions) -> None:
    keep(store)
    assert store.activate("default", "wf_1", "7") is None
    assert store.activate("acme", "wf_1", "1") is None
    assert told(asked.versions_of("default", "wf_1")) == [("1", "active")]


def test_a_workflow_is_found_by_its_id_and_else_by_its_name(store: Kept, asked: Questions) -> None:
    mine = keep(store, 1, "wf_1").version.digest
    other = keep(store, 2, "orders", name="others").version.digest
    assert asked.active_version("default", "wf_1") == mine
    assert asked.active_version("default", "orders") == other, "an id goes before a name"
    assert asked.active_version("default", "others") == other
    assert asked.active_version("acme", "wf_1") is None
    assert asked.workflow("default", "nobody") is None


def with_name(store: Any, execution: str, workflow: str, name: str) -> p.Create:
    """It is started by this name."""
    made = pending(execution)
    active = store.active_version("default", workflow)
    assert active is not None
    return p.Create(
        p.Pending(replace(made.record, workflow=workflow, digest=active), made.start), active=True, name=name
    )


@pytest.mark.parametrize("count", [1, 9], ids=["alone", "with others"])
def test_an_execution_is_created_while_the_name_means_its_workflow(store: Kept, count: int) -> None:
    def commit(prefix: str) -> list[p.Outcome]:
        return store.commit([with_name(store, f"{prefix}{n}", "wf_1", "orders") for n in range(count)])

    keep(store, 1, "wf_1")
    assert commit("before") == [COMMITTED] * count
    keep(store, 2, "wf_0", activate=False)
    assert commit("beside-a-draft") == [COMMITTED] * count
    keep(store, 2, "wf_0")
    assert commit("beside-an-older-id") == [p.GuardFailed(p.OUTDATED)] * count
    assert store.commit([with_name(store, "other", "wf_0", "orders")]) == [COMMITTED]
    keep(store, 3, "orders", name="others")
    assert commit("beside-an-id") == [p.GuardFailed(p.OUTDATED)] * count
    assert store.commit([with_name(store, "nobody", "wf_1", "no such name")]) == [p.GuardFailed(p.OUTDATED)]


def test_of_several_with_one_name_one_that_is_active_is_found(store: Kept, asked: Questions) -> None:
    keep(store, 1, "wf_1", activate=False)
    active = keep(store, 2, "wf_2")
    found = asked.workflow("default", "orders")
    assert found is not None
    assert (found.id, found.digest) == ("wf_2", active.version.digest)


def test_workflows_are_listed_by_name_and_then_by_id(store: Kept, asked: Questions) -> None:
    for id_, name in (("c", "x"), ("a", "y"), ("b", "x")):
        keep(store, 1, id_, name=name)
    keep(store, 1, "d", organization="acme")
    found = asked.workflows("default", None, 10)
    assert [(row.name, row.id) for row in found] == [("x", "b"), ("x", "c"), ("y", "a")]
    assert [row.id for row in asked.workflows("default", None, 2)] == ["b", "c"]
    assert [row.id for row in asked.workflows("default", ("x", "b"), 2)] == ["c", "a"]
    assert [row.id for row in asked.workflows("acme", None, 10)] == ["d"]


def test_a_version_is_found_by_its_model(store: Kept, asked: Questions) -> None:
    for number in (1, 2, 1):
        keep(store, number)
    digest = keep(store, 1).version.digest
    found = asked.version_of("default", "wf_1", digest, FAR)
    assert found is not None
    assert (found.version, found.document) == ("3", '{"n":1}')
    assert asked.version_of("default", "wf_2", digest, FAR) is None
    keep(store, 2, at=FAR)
    keep(store, 1, at=FAR)
    then = asked.version_of("default", "wf_1", digest, FAR - 1)
    assert then is not None
    assert then.version == "3", "there was no other at that time"
    assert asked.version_of("acme", "wf_1", digest, FAR) is None


def test_versions_are_listed_without_their_documents(store: Kept, asked: Questions) -> None:
    keep(store)
    assert [each.document for each in asked.versions_of("default", "wf_1")] == [None]
    assert asked.versions_of("default", "nobody") == []


def test_the_name_of_a_workflow_is_that_of_its_newest_version(store: Kept, asked: Questions) -> None:
    keep(store, name="before")
    keep(store, 2, name="after")
    assert asked.workflow("default", "before") is None
    found = asked.workflow("default", "after")
    assert found is not None
    assert found.id == "wf_1"


def test_what_a_program_built_has_its_name_for_an_id(store: Kept, asked: Questions) -> None:
    digest = store.save(Workflow("orders"))
    found = asked.version("default", "orders", "1")
    assert found is not None
    assert (found.workflow, found.dialect, found.document, found.digest) == ("orders", "model", None, digest)


def test_a_model_that_nobody_has_saved_comes_with_its_execution(store: Kept, asked: Questions) -> None:
    create, digest = inline()
    assert one(store, create) == COMMITTED
    assert (asked.dialect(digest), asked.workflow("default", "inline")) == ("graph", None)
    assert asked.model(digest) == codec.encode(INLINE)
    assert asked.dialect("no such digest") is None
    while store.forget(FAR, 10):
        pass
    assert asked.model(digest), "its execution has not ended"


def test_a_model_that_was_forgotten_comes_again_with_the_next_execution(store: Kept, asked: Questions) -> None:
    digest = store.save(INLINE)
    store.save(replace(INLINE, steps_max=7))
    assert store.forget(T0, 10) == 1
    create, _ = inline()
    plain = [p.Create(pending(f"plain-{number}")) for number in range(5)]
    assert store.commit([*plain, create, *plain]) == [COMMITTED] * 11
    assert asked.model(digest) == codec.encode(INLINE)


@pytest.mark.parametrize("refused", ["key", "id", "version"])
def test_an_execution_that_is_not_created_leaves_no_model(store: Kept, asked: Questions, refused: str) -> None:
    one(store, p.Create(pending("e0"), key="order-7"))
    create, digest = inline("e0" if refused == "id" else "e1")
    create = replace(create, key="order-7" if refused == "key" else None, active=refused == "version")
    assert one(store, create) == (p.GuardFailed(p.OUTDATED) if refused == "version" else p.Duplicate("e0"))
    with pytest.raises(KeyError):
        asked.model(digest)


def test_what_the_model_of_an_execution_was_lowered_from_is_told_by_its_document(store: Kept, asked: Questions) -> None:
    digest = store.save(INLINE)
    one(store, inline("e1")[0])
    assert asked.dialect(digest) == "graph"
    one(store, replace(inline("e2")[0], model=p.Model(codec.encode(INLINE), "model")))
    assert asked.dialect(digest) == "graph"


def test_what_is_started_by_name_is_known_by_its_id(store: Kept) -> None:
    keep(store)
    held(store)
    child = pending("child", parent="e1", parent_op=1)  # of a workflow that it calls "orders"
    assert one(store, advance(fact(), changes=p.Changes(starts=(child,)))) == COMMITTED
    record = store.record("child")
    assert record is not None
    assert record.workflow == "wf_1"


def test_versions_with_a_document_are_never_forgotten(store: Kept, asked: Questions) -> None:
    old = keep(store, 1).version
    keep(store, 2)
    while store.forget(T0 + 1_000_000, 10):
        pass
    assert asked.model(old.digest)
    assert told(asked.versions_of("default", "wf_1")) == [("2", "active"), ("1", "inactive")]


def test_a_version_that_is_its_model_alone_is_forgotten_with_it(store: Kept, asked: Questions) -> None:
    store.save(Workflow("orders"))
    store.save(Workflow("orders", steps_max=7))
    assert store.forget(T0, 10) == 1
    assert told(asked.versions_of("default", "orders")) == [("2", "active")]
    assert keep(store, 3, "orders").version.number == 3


def test_the_newest_version_is_not_forgotten_though_an_older_one_is_active(store: Any, asked: Questions) -> None:
    store.save(Workflow("orders"))
    store.save(Workflow("orders", steps_max=7))
    store.activate("default", "orders", "1")
    assert store.forget(T0, 10) == 0
    assert told(asked.versions_of("default", "orders")) == [("2", "inactive"), ("1", "active")]
