"""Variables that `set_variables` seals: encrypted in facts and variables, usable as secrets, hidden in what comes back."""

from __future__ import annotations

import json
from typing import Any

import pytest

from perdure.hosts.envelopes import Keys
from perdure.model.values import Json
from perdure.service.engine import Engine
from perdure.service.errors import ExecutionFailed, Refused
from service.words import waiting
from vault.words import NEW, OLD, engine, run

PART = "p4rt0f1t"
TOKEN = f"tok-{PART}-end"
"""Made of what a login answers with; the whole of it stands nowhere."""

STEPS: list[dict[str, Any]] = [
    {
        "stepSlug": "login",
        "stepType": "action",
        "config": {"type": "login"},
        "nextSteps": {"success": "keep"},
    },
    {
        "stepSlug": "keep",
        "stepType": "action",
        "config": {
            "type": "set_variables",
            "parameters": {
                "variables": [{"name": "token", "value": "tok-{{ lastOutput.data.part }}-end", "secure": True}]
            },
        },
        "nextSteps": {"success": "use"},
    },
    {
        "stepSlug": "use",
        "stepType": "action",
        "config": {"type": "use", "parameters": {"authorization": "Bearer {{ secrets.token }}"}},
        "nextSteps": {"success": "again"},
    },
    {
        "stepSlug": "again",
        "stepType": "action",
        "config": {
            "type": "use",
            "parameters": {"key": "{{ secrets.token }}"},
            "retryPolicy": {"maxRetries": 1, "backoffMs": 1},
        },
    },
]
DOCUMENT: Json = {"name": "session", "steps": STEPS}


def _tasks(of: Engine, *, breaks: int = 0) -> list[Any]:
    """What calls are given. Of those with a key, the first `breaks` fail."""
    seen: list[Any] = []
    failures = iter(range(breaks))

    @of.task("login")
    def login(given: Any) -> Any:
        return {"part": PART}

    @of.task("use")
    def use(given: Any) -> Any:
        seen.append(given)
        if "key" in given and next(failures, None) is not None:
            raise RuntimeError(f"no luck with {given['key']}")
        return {"echo": given, "in text": f"<{given.get('key')}>"}

    return seen


def test_the_whole_way(url: str) -> None:
    async def scenario() -> None:
        async with engine(url) as one:
            seen = _tasks(one, breaks=1)
            saved = await one.workflows.save(DOCUMENT)
            assert [warning.type for warning in saved.warnings] == ["visible_value"]
            execution = await one.executions.start("session")
            output = await execution.result()
            assert seen == [{"authorization": f"Bearer {TOKEN}"}, {"key": TOKEN}, {"key": TOKEN}]
            assert output == {"echo": {"key": "***"}, "in text": "<***>"}
            view = await execution.view()
            assert view["variables"]["token"] == "***"
            assert view["variables"]["secrets"] == {"token": "***"}
            assert view["variables"]["steps"]["keep"]["output"]["data"] == {"token": "***"}
            told = json.dumps(view) + repr((await execution.history()).items)
            assert TOKEN not in told
            assert "no luck with ***" in told

    run(scenario())


def test_without_a_key_the_step_fails_and_says_what_to_do(tmp_path: Any) -> None:
    async def scenario() -> None:
        async with Engine(f"sqlite:///{tmp_path}/flows.db") as one:
            _tasks(one)
            await one.workflows.save(DOCUMENT)
            execution = await one.executions.start("session")
            with pytest.raises(ExecutionFailed, match="PERDURE_SECRET_KEY") as failed:
                await execution.result()
            assert failed.value.failure is not None
            assert failed.value.failure.code == "NO_SECRET_KEY"
            assert "'keep'" in str(failed.value)
            assert TOKEN not in str(failed.value)
        async with engine(f"sqlite:///{tmp_path}/flows.db") as two:
            seen = _tasks(two)
            handle = await two.executions.get(execution.id)
            await handle.retry()
            await handle.result()
            assert seen[-1] == {"key": TOKEN}

    run(scenario())


def test_the_database_holds_the_envelope_and_not_the_value(tmp_path: Any) -> None:
    async def scenario() -> None:
        async with engine(f"sqlite:///{tmp_path}/flows.db") as one:
            _tasks(one)
            await (await one.executions.start(DOCUMENT)).result()

    run(scenario())
    held = b"".join(path.read_bytes() for path in tmp_path.iterdir() if path.is_file())
    assert TOKEN.encode() not in held
    assert PART.encode() in held  # in the output of the login, of which saving warns
    assert f"pse1.{Keys(OLD).current}".encode() in held


@pytest.mark.parametrize(
    "value", ["{{ ('tok-' + lastOutput.data.part)|parseDate }}", "{{ 5|isoDate('tok-' + lastOutput.data.part) }}"]
)
def test_a_value_that_cannot_be_computed_stands_in_no_message(value: str, tmp_path: Any) -> None:
    keep = {
        **STEPS[1],
        "config": {"type": "set_variables", "variables": [{"name": "t", "value": value, "secure": True}]},
    }

    async def scenario() -> None:
        async with engine(f"sqlite:///{tmp_path}/flows.db") as one:
            _tasks(one)
            execution = await one.executions.start({"name": "broken", "steps": [STEPS[0], {**keep, "nextSteps": {}}]})
            with pytest.raises(ExecutionFailed, match=r"step 'keep': .+ could not be computed") as failed:
                await execution.result()
            assert f"tok-{PART}" not in str(failed.value) + json.dumps(await execution.view())

    run(scenario())
    held = b"".join(path.read_bytes() for path in tmp_path.iterdir() if path.is_file())
    assert f"tok-{PART}".encode() not in held


def test_another_key_does_not_open_it_and_the_old_one_behind_it_does(tmp_path: Any) -> None:
    url = f"sqlite:///{tmp_path}/flows.db"
    waits = {**STEPS[2], "nextSteps": {}}
    gate = {
        "stepSlug": "gate",
        "stepType": "approval",
        "config": {"approverRole": "boss"},
        "nextSteps": {"approved": "use"},
    }
    document = {"name": "gated", "steps": [STEPS[0], {**STEPS[1], "nextSteps": {"success": "gate"}}, gate, waits]}

    async def scenario() -> None:
        async with engine(url) as one:
            _tasks(one)
            await one.workflows.save(document)
            ids = [(await one.executions.start("gated")).id for _ in range(2)]
            for id_ in ids:
                handle = await one.executions.get(id_)
                await waiting(handle)
        async with engine(url, NEW) as two:
            seen = _tasks(two)
            await _approve(two, ids[0])
            with pytest.raises(ExecutionFailed, match="cannot be opened"):
                await (await two.executions.get(ids[0])).result()
            assert seen == []
        async with engine(url, NEW, OLD) as three:
            seen = _tasks(three)
            await _approve(three, ids[1])
            await (await three.executions.get(ids[1])).result()
            assert seen == [{"authorization": f"Bearer {TOKEN}"}]

    run(scenario())


async def _approve(of: Engine, execution: str) -> None:
    (approval,) = (await of.approvals.list(execution=execution)).items
    await of.approvals.decide(approval.id, "approve")


def test_a_fork_goes_on_with_the_sealed_value_and_cannot_replace_it(url: str) -> None:
    async def scenario() -> None:
        async with engine(url) as one:
            seen = _tasks(one)
            await one.workflows.save(DOCUMENT)
            execution = await one.executions.start("session")
            await execution.result()
            seen.clear()
            forked = await execution.fork(at_step="again")
            await forked.result()
            assert seen == [{"key": TOKEN}]
            for name in ("token", "secrets/token"):
                with pytest.raises(Refused, match="is a sealed variable, which a fork cannot change"):
                    await execution.fork(at_step="again", variables={name: "pse1.forged"})

    run(scenario())
