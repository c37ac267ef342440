"""Budgets: what a call may cost is set aside before it is made, and what would be too much is not bought."""

from __future__ import annotations

from typing import Any

import pytest

from llm.conftest import Spoken
from llm.model import Asked, Call, Model, Replies, Says
from llm.tooling import Tools
from llm.words import Came, asking, come, ports, ran, running, step, until
from perdure import Engine
from perdure.dialects import compile as compiled

FINE = Says("Fine.", tokens=(20, 10))
ADDING = Says(calls=[Call("add", {"a": 1})], tokens=(100, 100))


def test_a_step_within_its_budget_is_asked_with_the_most_it_may_answer(url: str, spoken: Spoken) -> None:
    model = spoken(FINE)
    came = ran(url, ports(asking(slug="a", tokenBudget=500, maxTokens=50), asking(slug="b", tokenBudget=10_000)))
    assert came.data("a") == "Fine."
    assert [asked.body["max_tokens"] for asked in model.asked] == [50, 4_096]
    assert came.llm("a")["usage"]["totalTokens"] == 30


@pytest.mark.parametrize("where", ["step", "execution"])
def test_over_budget_is_not_asked(url: str, spoken: Spoken, where: str) -> None:
    model = spoken(FINE)
    budget: dict[str, Any] = {"tokenBudget": 90}
    document = ports(asking(maxTokens=100, **budget)) if where == "step" else ports(asking(maxTokens=100), **budget)
    came = ran(url, document)
    assert (came.status, came.code) == ("failed", "BUDGET")
    assert f"the budget of the {where} has 90 left" in came.error.message
    assert model.asked == []


def test_the_budget_of_a_step_is_for_all_its_rounds(url: str, spoken: Spoken) -> None:
    model, tools = spoken(ADDING), Tools()
    came = ran(url, ports(asking(tools=["add"], tokenBudget=1_000, maxTokens=100)), None, tools)
    assert came.code == "BUDGET"
    assert 0 < model.spent <= 1_000
    assert len(model.asked) == len(tools.calls) < 5


def test_the_budget_of_an_execution_is_for_all_its_steps(url: str, spoken: Spoken) -> None:
    model = spoken(Says("y" * 4_000))
    came = ran(url, ports(*(asking(slug=f"s{number}", maxTokens=100) for number in range(9)), tokenBudget=500))
    assert came.code == "BUDGET"
    assert 2 <= len(model.asked) <= 4
    assert 200 < model.spent <= 500


def test_what_a_failed_attempt_has_cost_counts(url: str, spoken: Spoken) -> None:
    model = spoken(Says("{", finish="length", tokens=(200, 100)))
    came = ran(
        url,
        ports(
            asking(
                outputFormat="json", maxTokens=100, tokenBudget=1_000, retryPolicy={"maxAttempts": 9, "backoffMs": 1}
            )
        ),
    )
    assert came.code == "BUDGET"
    assert len(model.asked) == 3


def test_over_budget_goes_by_the_error_port(url: str, spoken: Spoken) -> None:
    spoken(FINE)
    document = ports(
        asking(tokenBudget=10, then={"success": "end", "error": "instead"}),
        step("action", "instead", {}, type="log", message="too dear"),
    )
    came = ran(url, document)
    assert came.status == "completed"
    assert "instead" in came.view["variables"]["steps"]


@pytest.mark.parametrize("text", ["好" * 1_000, "😀" * 700, "a" * 3_000, {"deep": ["x" * 2_000]}])
def test_the_budget_holds_in_every_alphabet(url: str, spoken: Spoken, text: Any) -> None:
    model = spoken(Says("y" * 100_000))
    ran(url, ports(asking("{{ input }}", tokenBudget=1_000, maxTokens=400)), text)
    ran(url, ports(asking("{{ input }}", tokenBudget=4_000, maxTokens=400)), text)
    assert len(model.asked) == 1
    assert model.spent <= 4_000


@pytest.mark.parametrize("most", [-1_000_000, 0, "many", None, 1.5])
def test_a_length_that_makes_no_sense_does_not_widen_the_budget(url: str, spoken: Spoken, most: Any) -> None:
    model = spoken(FINE)
    came = ran(url, ports(asking(tokenBudget=90, maxTokens="{{ input.most }}")), {"most": most})
    assert came.status == "failed"
    assert model.asked == []


def decided(url: str, document: Any, *decisions: str, prepare: Any = lambda _: None) -> Came:
    """Runs it, and decides what it asks people for, in turn."""

    async def scenario() -> Came:
        engine = Engine(url)
        prepare(engine)
        async with engine:
            execution = await engine.executions.start(document)
            for decision in decisions:

                async def opened() -> Any:
                    found = (await engine.approvals.list(execution=execution.id)).items
                    return [item for item in found if item.status == "pending"]

                (approval,) = await until(opened)
                assert "budget" in str(approval.submitted_data["reason"])
                await engine.approvals.decide(approval.id, decision, by="ann")  # type: ignore[arg-type]
            return await come(execution)

    return running(scenario())


def test_over_budget_people_may_be_asked_and_say_yes(url: str, spoken: Spoken) -> None:
    model = spoken(FINE)
    came = decided(url, ports(asking(tokenBudget=10, onBudget="approve", maxTokens=50)), "approve")
    assert came.data() == "Fine."
    assert came.llm()["usage"]["totalTokens"] == 30
    assert len(model.asked) == 1
    assert model.asked[0].body["max_tokens"] == 50


def test_over_budget_people_may_say_no(url: str, spoken: Spoken) -> None:
    model = spoken(FINE)
    came = decided(url, ports(asking(tokenBudget=10, onBudget="approve")), "reject")
    assert (came.status, came.code) == ("failed", "BUDGET")
    assert "rejected" in came.error.message
    assert model.asked == []


def test_whoever_tries_again_after_a_no_has_people_asked_again(url: str, spoken: Spoken) -> None:
    model = spoken(FINE)

    async def scenario() -> Came:
        async with Engine(url) as engine:
            execution = await engine.executions.start(ports(asking(tokenBudget=10, onBudget="approve", maxTokens=50)))

            async def opened() -> Any:
                found = (await engine.approvals.list(execution=execution.id)).items
                return [item for item in found if item.status == "pending"]

            for decision in ("reject", "reject", "approve"):
                (approval,) = await until(opened)
                await engine.approvals.decide(approval.id, decision, by="ann")
                came = await come(execution)
                if decision == "reject":
                    assert (came.status, came.code) == ("failed", "BUDGET")
                    assert model.asked == []
                    await execution.retry()
            return came

    assert running(scenario()).data() == "Fine."
    assert len(model.asked) == 1


def test_each_pass_of_a_loop_may_be_refused(url: str, spoken: Spoken) -> None:
    model = spoken(FINE)
    document = ports(
        step("loop", "each", {"loop": "ask", "done": "end"}, items=[1, 2], continueOnError=True),
        asking(tokenBudget=10, onBudget="approve", then={"success": "each"}),
    )
    assert decided(url, document, "reject", "reject").status == "completed"
    assert model.asked == []


def test_no_goes_by_the_error_port(url: str, spoken: Spoken) -> None:
    spoken(FINE)
    instead = step("action", "instead", {}, type="log", message="too dear")
    came = decided(url, ports(asking(tokenBudget=10, onBudget="approve", then={"error": "instead"}), instead), "reject")
    assert came.status == "completed"


def test_in_the_middle_of_a_conversation_people_are_asked_for_each_call_that_is_too_much(
    url: str, spoken: Spoken
) -> None:
    def script(asked: Asked) -> Says:
        return ADDING if asked.number < 4 else Says("Fine.", tokens=(100, 10))

    model, tools = spoken(script=script), Tools()
    document = ports(asking(tools=["add"], onBudget="approve", maxTokens=100), tokenBudget=700)
    came = decided(url, document, "approve", "approve", prepare=tools)
    assert came.data() == "Fine."
    assert len(tools.calls) == 3
    assert [len(asked.told) for asked in model.asked] == [0, 1, 2, 3]
    assert came.llm()["usage"]["totalTokens"] == 710


def test_a_provider_that_says_that_it_costs_nothing_is_not_believed(url: str, spoken: Spoken) -> None:
    free = {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}
    model = spoken(Says("z" * 400, usage=free))
    came = ran(url, ports(*(asking(slug=f"s{number}", maxTokens=100) for number in range(20)), tokenBudget=500))
    assert came.code == "BUDGET"
    assert model.spent <= 500


def test_a_retry_after_a_failure_that_cost_nothing_is_within_the_budget(url: str, spoken: Spoken) -> None:
    model: Model = spoken(Replies(500), FINE)
    came = ran(url, ports(asking(tokenBudget=300, maxTokens=100, retryPolicy={"maxAttempts": 2, "backoffMs": 1})))
    assert came.data() == "Fine."
    assert len(model.asked) == 2


def test_who_lets_one_call_be_made_lets_one_be_made(url: str, spoken: Spoken) -> None:
    model = spoken(Replies(500), FINE)
    again = {"maxAttempts": 5, "backoffMs": 1}
    came = decided(url, ports(asking(tokenBudget=10, onBudget="approve", retryPolicy=again)), "approve")
    assert (came.status, came.code) == ("failed", "HTTP_500")
    assert len(model.asked) == 1


@pytest.mark.parametrize("finish", ["content_filter", "stop"])
def test_nothing_has_its_price_too(url: str, spoken: Spoken, finish: str) -> None:
    model = spoken(Says("", finish=finish, tokens=(200, 150)), FINE)
    document = ports(
        asking(slug="a", maxTokens=200, then={"error": "b"}), asking(slug="b", maxTokens=40), tokenBudget=400
    )
    came = ran(url, document)
    assert (came.status, came.code) == ("failed", "BUDGET")
    assert "has 50 left" in came.error.message
    assert len(model.asked) == 1


@pytest.mark.parametrize(
    ("config", "told"),
    [
        ({"onBudget": "approve"}, [("no_effect", "onBudget")]),
        ({"onBudget": "approve", "tokenBudget": 5}, [("unassigned", "onBudget")]),
        ({"onBudget": "approve", "tokenBudget": 5, "approverRole": "boss"}, []),
        ({"onBudget": "fail"}, []),
    ],
)
def test_who_would_be_asked_in_vain_is_told_when_it_is_saved(
    config: dict[str, Any], told: list[tuple[str, str]]
) -> None:
    found = compiled(ports(asking(**config)))
    assert found.problems == ()
    assert [(warning.type, warning.field) for warning in found.warnings] == told


@pytest.mark.parametrize("budget", [{}, {"tokenBudget": 500}])
def test_a_length_that_a_template_makes_a_text_of_is_a_number(url: str, spoken: Spoken, budget: dict[str, Any]) -> None:
    model = spoken(FINE)
    came = ran(url, ports(asking(maxTokens="{{ input.most }}", **budget)), {"most": "100"})
    assert came.data() == "Fine."
    assert model.asked[0].body["max_tokens"] == 100


@pytest.mark.parametrize("budget", [{}, {"tokenBudget": 500}])
@pytest.mark.parametrize("most", [0, -1, "many", "1e3", "", " 5", "٣", "9" * 5_000, 1.5, True, [1]])
def test_a_length_that_is_none_is_said_by_its_name(url: str, spoken: Spoken, most: Any, budget: dict[str, Any]) -> None:
    model = spoken(FINE)
    came = ran(url, ports(asking(maxTokens="{{ input.most }}", **budget)), {"most": most})
    assert (came.status, came.code) == ("failed", "INVALID_INPUT")
    assert came.error.message.startswith("maxTokens is ")
    assert len(came.error.message) < 500
    assert model.asked == []
