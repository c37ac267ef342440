"""An execution that kills its workers is parked; one that merely had bad luck is not."""

from __future__ import annotations

from pathlib import Path

from perdure.model.steps import Route, Step, Task
from perdure.model.workflow import Entry, Workflow
from perdure.testing import Fixed, World, compile_value, violations
from perdure.testing.inspected import InspectedSqlite

STEPS, FACTS = 8, 4
"""In each life another step is completed, and the next one begun; one attempt is lost."""

SEQUENCE = Workflow(
    "sequence",
    (
        *(Step(f"s{number}", Task("t"), (Route((f"s{number + 1}",)),)) for number in range(STEPS - 1)),
        Step(f"s{STEPS - 1}", Task("t")),
    ),
    (Entry("s0"),),
)


def test_what_gets_a_step_further_in_each_life_is_not_parked_however_many_there_are(tmp_path: Path) -> None:
    store = InspectedSqlite(str(tmp_path / "flows.db"), crashes_max=3)
    world = World(compile_value, Fixed(), store=store)
    names = ("one", "other")
    for name in names:
        world.start(SEQUENCE, execution=name)
    further = FACTS
    while world.step():
        if all(name in store.rows and store.rows[name].record.seq >= further for name in names):
            world.kill(world.workers[0])
            further += FACTS
    assert world.crashes >= 5
    assert [store.rows[name].record.status for name in names] == ["completed", "completed"]
    assert violations(world) == []
    store.close()
