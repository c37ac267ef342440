"""Ports documents in their corners: long ones, settings in other places, forks, and what is said of an expression that fails."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from perdure import dialects
from perdure.service.engine import Engine
from perdure.service.errors import Conflict, ExecutionFailed
from service.words import SOON


def _step(slug: str, type_: str, config: dict[str, Any], **next_steps: str) -> dict[str, Any]:
    return {"stepSlug": slug, "stepType": type_, "config": config, "nextSteps": next_steps}


def _set(slug: str, then: str, **values: Any) -> dict[str, Any]:
    return _step(slug, "action", {"type": "set_variables", "parameters": values}, success=then)


def _result(**mapping: Any) -> dict[str, Any]:
    return _step("result", "output", {"mapping": mapping})


def _document(*steps: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"name": "corner", "steps": [{**step, "order": number} for number, step in enumerate(steps, 1)], **more}


def _come_to(document: Any, given: Any = None) -> Any:
    return Engine("memory://").run(document, given)


def test_a_step_is_chosen_by_a_computed_name_among_many() -> None:
    chain = [_set(f"s{n}", f"s{n + 1}" if n < 59 else "result", n=n) for n in range(60)]
    found = _result(
        n="{{ steps[input.which].output.data.n }}", type="{{ steps[input.which].stepType }}", last="{{ lastOutput }}"
    )
    came = _come_to(_document(*chain, found), {"which": "s41"})
    assert (came["n"], came["type"], came["last"]["type"]) == (41, "action", "action")


def test_many_loops_may_give_their_items_the_same_name() -> None:
    steps: list[dict[str, Any]] = []
    for n in range(8):
        config = {"items": [n], "itemVariable": "item"}
        steps.append(_step(f"l{n}", "loop", config, loop=f"b{n}", done=f"l{n + 1}" if n < 7 else "result"))
        steps.append(_set(f"b{n}", f"l{n}", **{f"v{n}": "{{ item }}"}))
    came = _come_to(_document(*steps, _result(first="{{ v0 }}", last="{{ v7 }}")))
    assert came == {"first": 0, "last": 7}


def test_metadata_may_be_long_and_there_may_be_many_outputs() -> None:
    choose = [
        _step(f"is{n}", "condition", {"expr": f"input.n == {n}"}, true=f"o{n}", false=f"is{n + 1}") for n in range(40)
    ]
    outputs = [
        _step(f"o{n}", "output", {"mapping": {"n": n, "of": "{{ workflow.metadata.owner }}"}}) for n in range(41)
    ]
    choose[-1]["nextSteps"]["false"] = "o40"
    document = _document(*choose, *outputs, metadata={"owner": "ann", "notes": "x" * 6_000})
    assert [_come_to(document, {"n": n}) for n in (0, 39, 99)] == [{"n": n, "of": "ann"} for n in (0, 39, 40)]


def test_an_author_may_still_write_four_kilobytes_and_no_more() -> None:
    long = " + ".join(["1"] * 10) + " " * 4_090
    found = dialects.compile(_document(_result(n=f"{{{{ {long} }}}}")))
    assert [problem.type for problem in found.problems] == ["invalid_expression"]


def test_settings_may_stand_beside_config() -> None:
    beside = {"variables": {"a": 1}, "timeout": 5_000, "strictPorts": True, "retryPolicy": {"maxRetries": 3}}
    document = _document(_step("work", "action", {"type": "work"}, other="end"), **beside)
    found = dialects.compile(document).workflow
    assert found is not None
    (work,) = found.steps
    assert (found.deadline_ms, work.unrouted, work.work.retry.attempts_max) == (5_000, "fail", 4)  # type: ignore[union-attr]
    plain = dialects.compile({**document, "secrets": {"KEY": "plain text!"}})
    assert [problem.type for problem in plain.problems] == ["plain_secret"]


def test_a_language_model_is_no_action() -> None:
    found = dialects.compile(_document(_step("ask", "action", {"type": "llm", "prompt": "{{ secrets.KEY }}"})))
    assert [(problem.type, problem.step) for problem in found.problems] == [("unknown_type", "ask")]


def test_a_definition_that_stands_apart_says_what_it_is(url: str) -> None:
    async def scenario() -> None:
        async with Engine(url) as engine:
            apart = {"id": "inner-id", "name": "inner", "status": "draft"}
            saved = await engine.workflows.save({"name": "outer", "workflow": apart, "steps": [_result(n=1)]})
            assert (saved.id, saved.name, saved.status) == ("inner-id", "inner", "draft")

    asyncio.run(asyncio.wait_for(scenario(), SOON))


def test_a_definition_with_its_steps_after_it_is_started_however_it_is_printed(url: str) -> None:
    async def scenario() -> None:
        async with Engine(url) as engine:
            for printed in (json.dumps([{"name": "two"}, [_result(n=1)]], indent=n) for n in (None, 2)):
                assert await (await engine.executions.start(printed)).result() == {"n": 1}

    asyncio.run(asyncio.wait_for(scenario(), SOON))


def test_what_fails_is_told_as_it_was_written_though_others_begin_alike(url: str) -> None:
    async def scenario() -> None:
        async with Engine(url) as engine:
            long = "workflow.variables.a_name_that_is_long_enough_to_be_cut"
            first = _set("first", "second", x=f"{{{{ {long}.map(x => x) }}}}")
            second = _set("second", "end", x=f"{{{{ {long}.length }}}}")
            execution = await engine.executions.start(
                _document(first, second), {"a_name_that_is_long_enough_to_be_cut": 1}
            )
            with pytest.raises(ExecutionFailed, match=r"cut\.map\(x => x\)"):
                await execution.result()

    asyncio.run(asyncio.wait_for(scenario(), SOON))


def test_an_output_that_a_fork_changed_is_not_the_last_for_that(url: str) -> None:
    async def scenario() -> None:
        async with Engine(url) as engine:
            steps = (
                _set("a", "b", of="a"),
                _set("b", "x", of="b"),
                _step("x", "action", {"type": "break"}, success="end", error="result"),
                _result(last="{{ lastOutput.data.of }}"),
            )

            @engine.task("say")
            def say(given: Any) -> Any:
                return given

            @engine.task("break")
            def broken(_: Any) -> None:
                raise ValueError("out of order")

            await engine.workflows.save(_document(*steps))
            first = await engine.executions.start("corner")
            assert await first.result() == {"last": "b"}
            forked = await first.fork(at_step="x", variables={"more": 1})
            assert await forked.result() == {"last": "b"}
            with pytest.raises(Conflict, match="in the variables"):
                await first.fork(at_step="x", outputs={"a": {"of": "edited"}})
            told = [_step("a", "action", {"type": "say", "of": "a"}, success="b"), *steps[2:]]
            told.insert(1, _step("b", "action", {"type": "say", "of": "b"}, success="x"))
            await engine.workflows.save(_document(*told))
            first = await engine.executions.start("corner")
            await first.result()
            forked = await first.fork(at_step="x", outputs={"a": {"of": "edited"}})
            assert await forked.result() == {"last": "b"}
            view = await forked.view()
            assert view["variables"]["steps"]["a"]["output"]["data"] == {"of": "edited"}

    asyncio.run(asyncio.wait_for(scenario(), SOON))
