"""Transforms that are TypeScript, and yet no JavaScript that could run: only who runs it finds that, and it is told at save."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from perdure.service.engine import Engine
from perdure.service.errors import Refused

TYPES = "interface Input { n: number }\ninterface Output { n: number }\n"
BODY = "export default (input: Input): Output => ({ n: input.n })"
TWICE = f"{TYPES}const k = 1;\nconst k = 2;\n{BODY}"
REGEX = f"{TYPES}const r = /(/;\n{BODY}"


def pipeline(*transforms: str) -> dict[str, Any]:
    steps = [[{"name": f"t{number}", "transform": text}] for number, text in enumerate(transforms)]
    return {"name": "pipeline", "steps": steps}


def graph(code: str) -> dict[str, Any]:
    nodes = [
        {"id": "start", "type": "MANUAL_TRIGGER"},
        {"id": "c", "type": "CODE", "data": {"code": code, "variableName": "x"}},
    ]
    return {"name": "coded", "nodes": nodes, "connections": [{"fromNodeId": "start", "toNodeId": "c"}]}


async def refused(engine: Engine, document: dict[str, Any]) -> list[tuple[str, str, str, str]]:
    """By whoever keeps it, and whoever only runs it."""
    told = []
    for ask in (engine.workflows.save, engine.executions.start):
        with pytest.raises(Refused) as error:
            await ask(document)
        told.append([(each.type, each.step, each.path, each.message) for each in error.value.problems])
    checked = await engine.workflows.check(document)
    told.append([(each.type, each.step, each.path, each.message) for each in checked.problems])
    assert told[0] == told[1] == told[2]
    assert (await engine.workflows.list()).items == ()
    return told[0]


def test_all_that_cannot_be_compiled_is_told_where_it_stands() -> None:
    async def scenario() -> None:
        async with Engine() as engine:
            found = await refused(engine, pipeline(TWICE, f"{TYPES}{BODY}", REGEX))
            assert [each[:3] for each in found] == [
                ("invalid_typescript", "t0", "/steps/0/0/transform"),
                ("invalid_typescript", "t2", "/steps/2/0/transform"),
            ]
            assert found[0][3] == (
                "it is no JavaScript that can run: invalid redefinition of lexical identifier (line 4, column 9)"
            )

    asyncio.run(scenario())


@pytest.mark.parametrize(
    ("code", "says"),
    [
        (REGEX, "in the regular expression '/(/' (line 3, column 11)"),
        (
            f"{TYPES}const a = 4 / 2 / 1;\n{BODY.replace('input.n', '(/x/.test(``), /a/gg.test(``), 1)')}",
            "'/a/gg' (line 4, column 63)",
        ),
        (f"{TYPES}const a = `${{/b/}} ${{ /[z-a]/ }}`;\n{BODY}", "'/[z-a]/' (line 3, column 22)"),
    ],
)
def test_a_regular_expression_that_is_none_is_told_where_it_stands(code: str, says: str) -> None:
    async def scenario() -> None:
        async with Engine() as engine:
            ((*_, message),) = await refused(engine, pipeline(code))
            assert message.endswith(says)

    asyncio.run(scenario())


def test_it_is_told_with_everything_else() -> None:
    async def scenario() -> None:
        async with Engine() as engine:
            document = pipeline(TWICE)
            document["steps"].append([{"name": "s", "sleep": {}}])
            found = await refused(engine, document)
            assert sorted(each[0] for each in found) == ["invalid_document", "invalid_typescript"]

    asyncio.run(scenario())


def test_the_code_of_a_node_is_compiled_too() -> None:
    async def scenario() -> None:
        async with Engine() as engine:
            ((type_, step, path, _),) = await refused(engine, graph(REGEX))
            assert (type_, step, path) == ("invalid_typescript", "c", "/nodes/1/data/code")

    asyncio.run(scenario())


def test_nothing_of_it_runs() -> None:
    """A loop at the top would never end."""

    async def scenario() -> None:
        async with Engine() as engine:
            assert (await engine.workflows.check(pipeline(f"{TYPES}for (;;) {{}}\n{BODY}"))).problems == ()

    asyncio.run(scenario())
