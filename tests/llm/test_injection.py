"""A model that obeys whatever stands in what it reads: it can do no more than its step was given, and no document ends worse."""

from __future__ import annotations

import asyncio
import json
import logging
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest
from msgspec import Struct

from llm.conftest import Spoken
from llm.injections import ATTACKS, EVALUATED, SECRET, document, obeys
from llm.model import KEY, Model
from llm.words import Came, asking, come, ports, step
from perdure import Engine
from perdure.hosts.envelopes import new_key

BUDGET, MOST, ROUNDS = 4_000, 300, 3
ALWAYS, IN_TURN = ("prompt", "tool"), ("system", "step", "thread")
CODES = {"BUDGET", "EMPTY_ANSWER", "TOOL_LIMIT", "NO_COMPLETION", "HTTP_302", "ResponseTooLarge", "INVALID_ANSWER"}
SOON = 50
TOOLS = {"find", "strict"}


class Strict(Struct, forbid_unknown_fields=True):
    id: int


class Around:
    """What there is besides the model: tools that it has, tasks that it was not given, one of which has a secret."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, Any]] = []
        self.documents: dict[str, str] = {}

    def __call__(self, engine: Engine) -> None:
        @engine.task("find")
        async def find(given: dict[str, Any]) -> Any:
            self.calls.append(("find", given))
            return self.documents.get(str(given.get("letter")), "nothing was found")

        @engine.task("strict")
        async def strict(given: Strict) -> str:
            self.calls.append(("strict", given.id))
            return "one"

        @engine.task("pay")
        async def pay(given: dict[str, Any]) -> Any:
            self.calls.append(("pay", given["said"]))
            assert given["key"] == SECRET
            return {"paid": given["said"]}

        for name in ("forbidden", "crm.forbidden"):

            @engine.task(name)
            async def forbidden(given: dict[str, Any], name: str = name) -> None:
                self.calls.append((name, given))


def flow(attack: str, place: str, number: int) -> dict[str, Any]:
    text = "{{ input.document }}"
    config: dict[str, Any] = {
        "tools": ["find", "strict"],
        "tokenBudget": BUDGET,
        "maxTokens": MOST,
        "maxToolRounds": ROUNDS,
    }
    pay = step(
        "action", "pay", {}, type="pay", parameters={"key": "{{ secrets.S }}", "said": "{{ steps.ask.output.data }}"}
    )
    again = asking("What do you think of: {{ steps.ask.output.data }}", "again", maxTokens=MOST, tokenBudget=BUDGET)
    onward = {"success": "ask", "error": "ask"}
    match place:
        case "prompt":
            steps = [asking(text, **config)]
        case "system":
            steps = [asking("Sum it up.", systemPrompt=f"A letter: {text}", **config)]
        case "tool":
            steps = [asking(f"FETCH {number}", **config)]
        case "step":
            steps = [asking(text, "before", onward, maxTokens=2_000)]
            steps.append(asking("{{ steps.before.output.data }} " + text, **config))
        case _:
            thread = f"thread-{number}"
            steps = [asking(text, "before", onward, threadId=thread, maxTokens=MOST)]
            steps.append(asking("Go on.", threadId=thread, **config))
    return ports(*steps, again, pay, name=f"{place}-{number}")


CASES = [(attack, place) for number, attack in enumerate(ATTACKS) for place in (*ALWAYS, IN_TURN[number % 3])]


async def all_of_them(url: str, around: Around) -> tuple[dict[tuple[str, str], Came], bytes]:
    """What each came to, and all that the files of the database held at the end, its log among them."""
    engine = Engine(url, secret_keys=new_key())
    around(engine)
    places = asyncio.Semaphore(16)
    async with engine:
        await engine.secrets.set("S", SECRET)

        async def one(number: int, attack: str, place: str) -> Came:
            async with places:
                text = document(attack)
                given = {"document": "" if place == "tool" else text}
                around.documents[str(number)] = text
                return await come(await engine.executions.start(flow(attack, place, number), given))

        came = await asyncio.gather(*(one(number, *case) for number, case in enumerate(CASES)))
        folder = Path(url.removeprefix("sqlite:///")).parent
        kept = b"".join(file.read_bytes() for file in folder.iterdir() if file.is_file())
    return dict(zip(CASES, came, strict=True)), kept


def test_a_model_that_obeys_strangers_does_no_harm(
    url: str, tmp_path: Path, spoken: Spoken, caplog: pytest.LogCaptureFixture
) -> None:
    assert len(CASES) >= 100
    model, around = spoken(script=obeys), Around()
    with caplog.at_level(logging.DEBUG):
        came, kept = asyncio.run(asyncio.wait_for(all_of_them(url, around), SOON))
    assert_ended(came)
    assert_only_tools_were_called(around)
    assert_budgets_were_kept(model, came)
    assert (tmp_path / "flows.db").exists()
    told = json.dumps([asked.body for asked in model.asked])
    shown = repr([(each.described, each.view) for each in came.values()])
    said = "\n".join(f"{record.getMessage()} {vars(record)!r}" for record in caplog.records)
    for where, text in {"database": kept.decode("latin-1"), "requests": told, "views": shown, "logs": said}.items():
        assert ("HTTP Request" if where == "logs" else "Dear support, my order") in text, where
        assert SECRET not in text, where
        assert KEY not in text, where
        assert EVALUATED not in text, where


def assert_ended(came: dict[tuple[str, str], Came]) -> None:
    ends: Counter[str] = Counter()
    for case, each in came.items():
        assert each.status in ("completed", "failed"), case
        if each.status == "failed":
            assert each.code in CODES, (case, each.error)
            assert each.error.message
        ends[each.status] += 1
    assert ends["completed"] > len(CASES) / 2, "most attacks come to nothing"
    assert ends["failed"] > 5


def assert_only_tools_were_called(around: Around) -> None:
    assert {name for name, _ in around.calls} == {*TOOLS, "pay"}
    assert all(given == 1 for name, given in around.calls if name == "strict")


def assert_budgets_were_kept(model: Model, came: dict[tuple[str, str], Came]) -> None:
    """A step is asked by operations of its execution; each step here has a budget of its own but the one before."""
    spent: dict[str, int] = defaultdict(int)
    for asked in model.asked:
        if "tools" in asked.body:
            spent[asked.headers["idempotency-key"].split(":")[0]] += asked.spent
            assert asked.body["max_tokens"] == MOST
    assert max(spent.values()) <= BUDGET
    assert max(spent.values()) > MOST
    rounds = Counter(asked.headers["idempotency-key"].split(":")[0] for asked in model.asked if "tools" in asked.body)
    assert max(rounds.values()) <= ROUNDS + 1
    assert len(rounds) <= len(came)
