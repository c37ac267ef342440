"""The power goes at any moment: what was acknowledged is there, nothing is half there, and it goes on to the same end."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import apsw
import pytest

from disk.driving import FILE, Powered, Recorded, contents, emptied, written
from disk.scenarios import SCENARIOS, Scenario
from perdure.testing.disk import Disk
from perdure.testing.inspected import InspectedSqlite
from perdure.testing.invariants import violations
from perdure.testing.summary import summary
from test_crashes import same_end

MORE = int(os.environ.get("PERDURE_WORLDS", "1"))
LOOKED_AT = 100 * MORE
"""So many moments of each scenario leave an image that is looked into."""
LIVED_ON = 40 * MORE
"""So many moments of each scenario, of which the power goes and the scenario lives on."""
TWICE = 5
"""Of so many of these, in one it goes a second time while the first is being recovered from."""

scenarios = pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)


def again(test: str, scenario: Scenario, moment: int, *more: object) -> str:
    known = f"tests/disk/test_power_loss.py::{test}[{scenario.name}]"
    return f"moment {moment} {more or ''}; again: .venv/bin/pytest '{known}' --moment {moment}"


def chosen(scenario: Scenario, moments: int, count: int, only: int | None) -> Sequence[int]:
    """Of each stretch of the scenario one, by chance; or the one that is asked for."""
    if only is not None:
        return (only,)
    random, count = Random(f"moments of {scenario.name}"), min(count, moments)
    return [random.randrange(n * moments // count, (n + 1) * moments // count) for n in range(count)]


def complaint(image: dict[str, bytes], allowed: Sequence[str], folder: Path) -> str | None:
    """What is wrong with an image that must hold the one or the other."""
    connection = apsw.Connection(str(written(image, emptied(folder) / "image")))
    try:
        sound = connection.pragma("integrity_check")
        if sound != "ok":
            return f"it is corrupt: {sound}"
        return None if contents(connection) in allowed else "something that was acknowledged is lost, or half there"
    except (apsw.CorruptError, apsw.NotADBError) as error:
        return f"it is corrupt: {error}"
    finally:
        connection.close()


def complaints(recorded: Recorded, folder: Path) -> list[tuple[int, str]]:
    """Each image holds what was there after the last transaction that was answered, or after the one under way; by moment."""
    recorded.inner.close()
    found = []
    for moment, answered, image in recorded.images:
        text = complaint(image, recorded.states[answered : answered + 2], folder)
        if text is not None:
            found.append((moment, text))
    return found


@scenarios
def test_what_was_acknowledged_is_there_after_a_power_loss(
    scenario: Scenario, tmp_path: Path, only_moment: int | None
) -> None:
    calm = Recorded(scenario, emptied(tmp_path / "calm"))
    calm.played(scenario)
    calm.inner.close()
    wanted = set(chosen(scenario, calm.moments, LOOKED_AT, only_moment))
    recorded = Recorded(scenario, emptied(tmp_path / "recorded"), wanted.__contains__)
    recorded.played(scenario)
    found = complaints(recorded, tmp_path / "left")
    test = "test_what_was_acknowledged_is_there_after_a_power_loss"
    assert found == [], again(test, scenario, found[0][0])
    assert recorded.states == calm.states, "the same run twice"
    assert len(recorded.images) == len(wanted)


@pytest.mark.simulation
@scenarios
def test_after_a_power_loss_it_goes_on_to_the_same_end(
    scenario: Scenario, tmp_path: Path, only_moment: int | None
) -> None:
    calm = Recorded(scenario, emptied(tmp_path / "calm"))
    undisturbed = calm.played(scenario)
    expected, moments = summary(undisturbed), calm.moments
    calm.inner.close()
    for number, moment in enumerate(chosen(scenario, moments, LIVED_ON, only_moment)):
        cuts = (moment, moment % 23) if number % TWICE == 0 else (moment,)
        lives_on(scenario, cuts, expected, emptied(tmp_path / "powered"))


def lives_on(scenario: Scenario, cuts: tuple[int, ...], expected: list[Any], folder: Path) -> None:
    powered = Powered(scenario, folder, *cuts)
    world = powered.played(scenario)
    told = again("test_after_a_power_loss_it_goes_on_to_the_same_end", scenario, cuts[0], cuts)
    assert powered.losses >= 1, told
    assert violations(world) == [], told
    assert same_end(world, expected), told
    assert powered.inner.connection.pragma("integrity_check") == "ok", told
    powered.inner.close()


class Careless(Recorded):
    """A store that answers before what it says is on the disk."""

    synchronous = "OFF"

    def prepared(self, store: InspectedSqlite) -> InspectedSqlite:
        store.connection.execute(f"PRAGMA synchronous = {self.synchronous}")
        return store


class Relaxed(Careless):
    synchronous = "NORMAL"


@pytest.mark.parametrize("careless", [Careless, Relaxed])
def test_a_store_that_does_not_sync_loses_what_it_acknowledged(careless: type[Careless], tmp_path: Path) -> None:
    scenario = SCENARIOS[0]
    recorded = careless(scenario, emptied(tmp_path / "careless"), lambda moment: moment % 5 == 0)
    recorded.played(scenario)
    assert len(complaints(recorded, tmp_path / "left")) > 5


def test_a_write_that_is_not_synced_may_be_there_or_not_or_torn(tmp_path: Path) -> None:
    disk = Disk()
    connection = apsw.Connection(str(tmp_path / FILE), vfs=disk.name)
    connection.pragma("journal_mode", "WAL")
    connection.execute("CREATE TABLE t (a)")
    synced = {name: content for name, content in disk.after_power_loss(Random(0)).items() if name != f"{FILE}-wal"}
    connection.execute("PRAGMA synchronous = OFF")
    connection.execute("INSERT INTO t VALUES (zeroblob(9000))")
    images = [disk.after_power_loss(Random(seed)) for seed in range(200)]
    assert all({name: image[name] for name in synced} == synced for image in images), "what is synced stays"
    ahead = {image[f"{FILE}-wal"] for image in images}
    assert len({len(content) for content in ahead}) > 3
    assert len(ahead) > 50
    connection.close()
