"""How much is asked of a store to see whether workflows start each other in a circle."""

from __future__ import annotations

import pytest

from perdure.model.steps import Compute, Step
from perdure.model.workflow import Chain, Entry, Workflow
from perdure.service.circles import circle
from perdure.store.memory.store import MemoryStore
from perdure.store.versions import WorkflowRow


class Asked(MemoryStore):
    """Notes which workflows it is asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.refs: list[str] = []

    def workflow(self, organization: str, ref: str) -> WorkflowRow | None:
        self.refs.append(ref)
        return super().workflow(organization, ref)


def starting(*names: str) -> Workflow:
    return Workflow("first", (Step("a", Compute()),), (Entry("a"),), chains=tuple(map(Chain, names)))


@pytest.mark.parametrize(
    ("names", "asked"),
    [
        (["second"] * 20_000, ["second"]),
        ([f"w{number}" for number in range(20_000)], [f"w{number}" for number in range(500)]),
    ],
    ids=["the same again and again", "others each time"],
)
def test_however_many_are_started_few_are_asked_for(names: list[str], asked: list[str]) -> None:
    store = Asked()
    assert circle(store, "org", "id", starting(*names)) == ()
    assert store.refs == asked


def test_what_is_started_again_and_again_is_told_of_once() -> None:
    (problem,) = circle(Asked(), "org", "id", starting("second", "first", "second", "first"))
    assert problem.actual == ["first", "first"]
