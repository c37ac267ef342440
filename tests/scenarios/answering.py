"""What the tasks of a scenario do when they are called. One `Answering` sees all calls of a run, whichever worker makes them."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any, assert_never

import msgspec
from msgspec import UnsetType

from perdure.model.values import Json
from perdure.tasks.context import TaskContext
from perdure.tasks.failing import NonRetryable, Retryable
from perdure.tasks.results import Result
from scenarios.scenario import Answer, Answers, Hangs, Raises, Returns, Scenario

HOURS_SECONDS = 3_600.0


class Answering:
    """`calls` counts by step how many have begun. `effects` counts by idempotency key and attempt."""

    def __init__(self, scenario: Scenario) -> None:
        self._answers = scenario.answers
        self.calls: Counter[str] = Counter()
        self.effects: Counter[tuple[str, int]] = Counter()
        self._seen: dict[tuple[str, str, bytes], list[tuple[str, int]]] = {}
        """By execution, step and input: the calls, each once, however often it was made."""

    async def call(self, given: Json, context: TaskContext) -> Result:
        """The body of every task of a scenario."""
        answer = self.answer(given, context)
        self.effects[context.idempotency_key, context.attempt] += 1
        self.calls[context.step] += 1
        if not isinstance(answer, Hangs):
            for name, value in answer.parts:
                await context.run(name, lambda value=value: value)
        match answer:
            case Returns():
                if answer.after_ms:
                    await asyncio.sleep(answer.after_ms / 1_000)
                return Result(
                    given if isinstance(answer.output, UnsetType) else answer.output, answer.port, answer.meta
                )
            case Raises():
                raise _raised(answer)
            case Hangs():
                await asyncio.sleep(HOURS_SECONDS)
                raise AssertionError("nobody has told it to stop")
            case _:
                assert_never(answer)

    def answer(self, given: Json, context: TaskContext) -> Answer:
        """What this call comes to. The same call made twice, because its worker died, gets the same answer twice."""
        answers = next((each for each in self._answers if _fits(each, context.step, given)), None)
        if answers is None:
            return Returns()
        call = (context.idempotency_key, context.attempt)
        seen = self._seen.setdefault((context.execution_id, context.step, _bytes(given)), [])
        if call not in seen:
            seen.append(call)
        return answers.each[min(seen.index(call), len(answers.each) - 1)]


def _fits(answers: Answers, step: str, given: Json) -> bool:
    return answers.step == step and (isinstance(answers.given, UnsetType) or answers.given == given)


def _bytes(value: Json) -> bytes:
    return msgspec.json.encode(value, order="deterministic")


def _raised(answer: Raises) -> Exception:
    error: Any
    if answer.retriable:
        error = Retryable(answer.message, retry_after_ms=answer.retry_after_ms, code=answer.code)
    else:
        error = NonRetryable(answer.message, code=answer.code)
    error.category = answer.category
    return error  # type: ignore[no-any-return]
