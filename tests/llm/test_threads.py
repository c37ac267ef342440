"""threadId: what was said under it before is told again, in another step and in another execution."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from llm.conftest import Spoken
from llm.model import Asked, Call, Replies, Says
from llm.tooling import Tools
from llm.words import asking, come, ports, ran, running
from perdure import Engine, TaskContext
from perdure.hosts import conversations
from perdure.model.values import Json
from perdure.tasks import Result
from perdure.tasks.checkpoints import Checkpoints
from perdure.tasks.limits import Limits
from perdure.tasks.llm import LlmFailed, LlmRefused, llm_task
from perdure.tasks.llm_input import LlmInput, LlmSettings


def numbered(asked: Asked) -> Says:
    return Says(f"answer {asked.number}")


def contents(asked: Asked) -> list[str]:
    return [message["content"] for message in asked.messages]


@pytest.mark.parametrize("config", [{}, {"tokenBudget": 100_000}, {"outputFormat": "json"}])
def test_the_next_step_goes_on_where_the_last_one_was(url: str, spoken: Spoken, config: dict[str, Any]) -> None:
    model = spoken(script=lambda asked: Says(f'"answer {asked.number}"'))
    first = asking("One?", "one", threadId="t-{{ input.n }}", systemPrompt="S1", **config)
    second = asking("Two?", "two", threadId="t-{{ input.n }}", systemPrompt="S2", **config)
    came = ran(url, ports(first, second, asking("Three?", "three", threadId="other")), {"n": 1})
    assert contents(model.asked[1])[1:] == ["One?", '"answer 1"', "Two?"]
    assert contents(model.asked[1])[0].startswith("S2")
    assert contents(model.asked[2]) == ["Three?"]
    assert came.output("two")["meta"]["threadId"] == "t-1"


def test_the_next_execution_goes_on_and_another_organization_does_not(url: str, spoken: Spoken) -> None:
    model = spoken(script=numbered)

    async def scenario() -> None:
        for organization in ("default", "default", "other"):
            async with Engine(url) as engine:
                await come(await engine.executions.start(ports(asking("Hi", threadId="t")), organization=organization))

    running(scenario())
    assert [contents(asked) for asked in model.asked] == [["Hi"], ["Hi", "answer 1", "Hi"], ["Hi"]]


def test_what_tools_said_is_a_part_of_it(url: str, spoken: Spoken) -> None:
    tools = Tools()
    model = spoken(Says(calls=[Call("add", {"a": 1})]), Says("It is 1."), Says("Yes."))
    document = ports(asking("One?", "one", threadId="t", tools=["add"]), asking("Sure?", "two", threadId="t"))
    ran(url, document, None, tools)
    assert model.asked[1].roles == ["user", "assistant", "tool"]
    assert model.asked[2].roles == ["user", "assistant", "tool", "assistant", "user"]


def test_a_question_that_failed_leaves_nothing_behind(url: str, spoken: Spoken) -> None:
    model = spoken(Replies(500), Says("Yes."))
    failing = asking("One?", "one", threadId="t", then={"error": "two"})
    ran(url, ports(failing, asking("Two?", "two", threadId="t")))
    assert contents(model.asked[1]) == ["Two?"]


def test_of_a_long_thread_the_last_questions_are_told(
    url: str, spoken: Spoken, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(conversations, "QUESTIONS_MAX", 10)
    model = spoken(script=numbered)

    async def scenario() -> None:
        async with Engine(url) as engine:
            for number in range(25):
                await come(await engine.executions.start(ports(asking(f"q{number}", threadId="t"))))

    running(scenario())
    questions = [message["content"] for message in model.asked[-1].messages if message["role"] == "user"]
    assert questions == [f"q{number}" for number in range(14, 25)]


def test_a_long_thread_counts_for_the_budget(url: str, spoken: Spoken) -> None:
    model = spoken(Says("a" * 8_000), Says("Yes."))
    document = ports(
        asking("One?", "one", threadId="t"), asking("Two?", "two", threadId="t", tokenBudget=1_000, maxTokens=100)
    )
    came = ran(url, document)
    assert (came.status, came.code) == ("failed", "BUDGET")
    assert len(model.asked) == 1


def test_what_is_asked_again_after_a_crash_takes_the_place_of_what_it_had_added(url: str, spoken: Spoken) -> None:
    spoken(script=numbered)

    async def scenario() -> None:
        async with Engine(url) as engine:
            execution = await engine.executions.start(ports(asking("Hi", threadId="t")))
            await come(execution)
            host = engine.host
            kept = conversations.Conversations(host.read, host.shell.commit, lambda: host.shell.worker)
            for text in ("first", "second"):
                await kept.add(execution.id, "u", "e:9", [{"role": "user", "content": text}])
            assert await kept.said(execution.id, "u", "e:10") == [[{"role": "user", "content": "second"}]]
            assert await kept.said(execution.id, "u", "e:9") == []

    running(scenario())


class Full:
    """Has room for a question at the second try."""

    def __init__(self) -> None:
        self.added: list[list[dict[str, Any]]] = []
        self.tries = 0

    async def said(self, *_: Any, **__: Any) -> list[list[dict[str, Any]]]:
        return []

    async def add(self, *given: Any, **_: Any) -> None:
        self.tries += 1
        if self.tries == 1:
            raise OSError("the disk is full")
        self.added.append(given[-1])


def test_an_answer_that_the_thread_has_no_room_for_is_paid_for_and_not_bought_again(spoken: Spoken) -> None:
    model, full = spoken(Says("Fine.", tokens=(20, 10))), Full()
    llm = llm_task(LlmSettings("sk-1", "m", model.url), None, Limits(), full)
    known: list[tuple[str, int, Json]] = []

    async def keep(name: str, n: int, value: Json) -> None:
        known.append((name, n, value))

    async def attempt(number: int) -> Result:
        checkpoints = Checkpoints(known, keep, asyncio.get_running_loop())
        return await llm(
            LlmInput(prompt="Hi", plain=True, thread_id="t"),
            TaskContext("e", "s", number, "k", checkpoints=checkpoints),
        )

    async def scenario() -> Result:
        with pytest.raises(LlmFailed, match="the disk is full") as failed:
            await attempt(1)
        assert failed.value.usage == {"tokens": 30}
        return await attempt(2)

    result = running(scenario())
    assert (result.data, result.usage) == ("Fine.", None)
    assert result.meta["llm"]["usage"]["totalTokens"] == 30
    assert full.added == [[{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Fine."}]]
    assert len(model.asked) == 1


def test_a_bad_answer_under_a_thread_is_asked_for_again(url: str, spoken: Spoken) -> None:
    model = spoken(Says("{", finish="length"), Says('"Fine."'))
    again = {"maxAttempts": 2, "backoffMs": 1}
    assert ran(url, ports(asking(threadId="t", outputFormat="json", retryPolicy=again))).data() == "Fine."
    assert len(model.asked) == 2


def test_a_thread_where_nobody_keeps_any_is_a_failure_that_says_so(spoken: Spoken) -> None:
    model = spoken(Says("Fine."))
    llm = llm_task(LlmSettings("sk-1", "m", model.url), None, Limits())
    with pytest.raises(LlmRefused, match="threadId"):
        running(llm(LlmInput(prompt="Hi", thread_id="t"), TaskContext("e", "s", 1, "k")))
    assert model.asked == []


class Counted:
    """A store, and how many cards were read of it."""

    def __init__(self) -> None:
        self.store: Any = None
        self.cards_read = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self.store, name)

    def cards(self, *given: Any) -> Any:
        found = self.store.cards(*given)
        self.cards_read += len(found)
        return found


def test_to_go_on_with_a_thread_costs_the_same_however_long_it_is(url: str, spoken: Spoken) -> None:
    spoken(script=numbered)
    counted = Counted()

    async def scenario() -> None:
        async with Engine(url) as engine:
            execution = await engine.executions.start(ports(asking("Hi")))
            await come(execution)
            host = engine.host

            def read(asked: Any) -> Any:
                def found(store: Any) -> Any:
                    counted.store = store
                    return asked(counted)

                return host.read(found)

            kept = conversations.Conversations(read, host.shell.commit, lambda: host.shell.worker)
            for number in range(250):
                await kept.add(execution.id, "u", f"e:{number}", [{"role": "user", "content": str(number)}])
            counted.cards_read = 0
            told = await kept.said(execution.id, "u", "e/250")
            assert len(told) == 100
            assert {turns[0]["content"] for turns in told} > {str(number) for number in range(160, 250)}
            assert counted.cards_read <= 101

    running(scenario())
