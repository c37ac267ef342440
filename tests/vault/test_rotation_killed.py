"""The key of all secrets is changed by a program that is killed before and after every write: nothing is lost, and it goes on.

With PERDURE_PATIENCE=1 there are more cards, and it is done on Postgres, too.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from postgres import fresh_schema
from vault.words import NEW, OLD, calling, engine, key_id, run, seeing

PATIENCE = os.environ.get("PERDURE_PATIENCE") == "1"
COUNT = 20 if PATIENCE else 4
TESTS = Path(__file__).parents[1]


def rotating(url: str, step: int) -> subprocess.CompletedProcess[bytes]:
    typed = [sys.executable, "-m", "vault.rotating", url, str(step)]
    return subprocess.run(typed, cwd=TESTS, capture_output=True, check=False, timeout=60)


@pytest.mark.parametrize("kind", ["sqlite", "postgres"] if PATIENCE else ["sqlite"])
def test_whenever_it_is_killed_all_open_and_the_next_one_goes_on(kind: str, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/flows.db" if kind == "sqlite" else fresh_schema()
    names = [f"S{number:02}" for number in range(COUNT)]

    async def prepared() -> None:
        async with engine(url) as used:
            for name in names:
                await used.secrets.set(name, f"the value of {name}")
            await used.workflows.save({"name": "hooked", "nodes": [], "connections": []})
            await used.webhooks.create("hooked", scheme="standard")

    async def all_open(*keys: bytes) -> int:
        """How many have the new key by now."""
        used = engine(url, *keys)
        seen = seeing(used)
        async with used:
            given = {name: f"{{{{secrets.{name}}}}}" for name in names}
            await (await used.executions.start(calling(given), {})).result()
            assert seen == [{name: f"the value of {name}" for name in names}]
            page = await used.secrets.list(limit=500)
            chained = await used.host.read(lambda store: store.audit("default", None, 500))
            changed = [entry for entry in chained if entry.action.endswith("rotated")]
            listed = sum(each.key_id == key_id(NEW) for each in page.items)
            assert len(changed) == len({entry.subject for entry in changed})  # each card once
            assert len(changed) - listed in (0, 1)  # the webhook is one more
            return len(changed)

    run(prepared())
    found = []

    async def look() -> None:
        found.append(await all_open(NEW, OLD))

    # What is killed before its first write has written nothing, and after it one card; so each step is reached in its turn.
    for life in range(COUNT + 1):
        for step, done in ((0, life), (1, life + 1)):
            assert rotating(url, step).returncode == -signal.SIGKILL
            run(look())
            assert found[-1] == done
    ended = rotating(url, 10_000)
    assert (ended.returncode, ended.stdout.split()) == (0, [b"0", str(COUNT + 1).encode(), b"0"]), ended.stderr

    async def with_the_new_one_alone() -> None:
        assert await all_open(NEW) == COUNT + 1

    run(with_the_new_one_alone())


def test_killed_in_the_middle_of_several(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/flows.db"

    async def prepared() -> None:
        async with engine(url) as used:
            for number in range(6):
                await used.secrets.set(f"S{number}", "value")

    run(prepared())
    assert rotating(url, 7).returncode == -signal.SIGKILL
    ended = rotating(url, 10_000)
    assert ended.stdout.split() == [b"2", b"4", b"0"], ended.stderr
