"""A step that asks a model, and what becomes of its answer: text, JSON, JSON that has to be said again."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from llm.conftest import Spoken
from llm.model import KEY, NAME, Replies, Says
from llm.words import SCHEMA, asking, ports, ran
from perdure.tasks.answering import fitting

GOOD = '{"score": 0.5, "why": "she said so"}'


def test_the_answer_is_the_output_and_what_it_cost_stands_beside_it(url: str, spoken: Spoken) -> None:
    model = spoken(Says("Well, thanks.", tokens=(11, 4)))
    came = ran(url, ports(asking(systemPrompt="Be kind.", temperature=0.2)))
    assert came.data() == "Well, thanks."
    about = came.llm()
    assert about.pop("latencyMs") >= 0
    usage = {"promptTokens": 11, "completionTokens": 4, "totalTokens": 15}
    assert about == {"model": f"{NAME}-2026", "temperature": 0.2, "usage": usage}
    (asked,) = model.asked
    assert asked.path == "/v1/chat/completions"
    assert asked.headers["authorization"] == f"Bearer {KEY}"
    assert asked.body["model"] == NAME
    assert asked.messages == [
        {"role": "system", "content": "Be kind."},
        {"role": "user", "content": "How are you?"},
    ]


def test_temperature_and_max_tokens_are_sent_only_if_they_are_given(url: str, spoken: Spoken) -> None:
    model = spoken(Says("Yes."))
    ran(
        url,
        ports(
            asking(slug="a", temperature=0, maxTokens=77), asking(slug="b"), asking(slug="c", maxTokens="{{ input.n }}")
        ),
        {"n": 5},
    )
    first, second, third = (asked.body for asked in model.asked)
    assert (first["temperature"], first["max_tokens"]) == (0, 77)
    assert {"temperature", "max_tokens", "tools", "response_format"}.isdisjoint(second)
    assert third["max_tokens"] == 5


def test_prompts_are_rendered_and_what_is_no_text_is_told_as_json(url: str, spoken: Spoken) -> None:
    model = spoken(Says("Yes."))
    ran(
        url,
        ports(asking("{{ input.who }}", systemPrompt="For {{ input.who.name }}, {{ input.n + 1 }}")),
        {"who": {"name": "Zoë"}, "n": 1},
    )
    assert [message["content"] for message in model.asked[0].messages] == ["For Zoë, 2", '{"name":"Zoë"}']


def test_llm_node_around_the_config_changes_nothing(url: str, spoken: Spoken) -> None:
    model = spoken(Says("Yes."))
    step: dict[str, Any] = {
        "stepSlug": "ask",
        "stepType": "llm",
        "config": {"llmNode": {"systemPrompt": "Be kind.", "temperature": 1}},
    }
    assert ran(url, ports(step)).data() == "Yes."
    assert model.asked[0].messages == [{"role": "system", "content": "Be kind."}]


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        f"```json\n{GOOD}\n```",
        f"  ```JSON\n{GOOD}```\n",
        f"```\n{GOOD}\n```",
        f"```json {GOOD} ```",
        f"\n{GOOD}\n",
    ],
)
def test_json_that_fits_is_a_value_whether_it_is_fenced_or_not(url: str, spoken: Spoken, text: str) -> None:
    model = spoken(Says(text))
    came = ran(url, ports(asking(outputFormat="json", outputSchema=SCHEMA)))
    assert came.data() == {"score": 0.5, "why": "she said so"}
    assert len(model.asked) == 1
    assert model.asked[0].body["response_format"] == {"type": "json_object"}
    assert json.dumps(SCHEMA, separators=(",", ":")) in model.asked[0].messages[0]["content"]


@pytest.mark.parametrize(("text", "value"), [("[1, 2]", [1, 2]), ("null", None), ('"yes"', "yes"), ("0.10", 0.1)])
def test_without_a_schema_any_json_will_do(url: str, spoken: Spoken, text: str, value: Any) -> None:
    spoken(Says(text))
    assert ran(url, ports(asking(outputFormat="json"))).data() == value


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('{"score": 7}', "/score: 7 is greater than"),
        ("{}", '"score" is a required property'),
        ('{"score": 1, "why": 5}', "/why: 5 is not of type"),
        ("the score is 1", "it is not JSON"),
        ("", "it is not JSON"),
        ('{"score": 1} and more', "it is not JSON"),
        ("[" * 5_000 + "]" * 5_000, "it is not JSON"),
        ('{"score": 1e999}', "it is not JSON"),
    ],
)
def test_what_does_not_fit_is_said_again_once_and_told_where_it_was_wrong(
    url: str, spoken: Spoken, text: str, place: str
) -> None:
    model = spoken(Says(text, tokens=(10, 5)), Says(GOOD, tokens=(20, 6)))
    came = ran(url, ports(asking(outputSchema=SCHEMA)))
    assert came.data() == {"score": 0.5, "why": "she said so"}
    assert came.llm()["usage"] == {"promptTokens": 30, "completionTokens": 11, "totalTokens": 41}
    first, again = model.asked
    assert again.messages[: len(first.messages)] == first.messages
    said, correction = again.messages[len(first.messages) :]
    assert said == {"role": "assistant", "content": text}
    assert correction["role"] == "user"
    assert place in correction["content"]


def test_twice_wrong_is_a_failure_that_says_where(url: str, spoken: Spoken) -> None:
    model = spoken(Says("sorry"), Says('{"score": 2}'))
    came = ran(url, ports(asking(outputSchema=SCHEMA)))
    assert (came.status, came.code) == ("failed", "INVALID_ANSWER")
    assert "/score: 2 is greater than" in came.error.message
    assert len(model.asked) == 2


def test_twice_wrong_goes_by_the_error_port(url: str, spoken: Spoken) -> None:
    spoken(Says("sorry"))
    instead = step_set("instead", told="{{ lastOutput.data }}")
    came = ran(url, ports(asking(outputFormat="json", then={"success": "end", "error": "instead"}), instead))
    assert came.status == "completed"


def step_set(slug: str, **values: Any) -> dict[str, Any]:
    return {
        "stepSlug": slug,
        "stepType": "action",
        "config": {
            "type": "set_variables",
            "parameters": {"variables": [{"name": name, "value": value} for name, value in values.items()]},
        },
    }


def test_text_that_was_cut_off_is_taken_and_says_so(url: str, spoken: Spoken) -> None:
    spoken(Says("a" * 1_000))
    came = ran(url, ports(asking(maxTokens=10)))
    assert came.data() == "a" * 40
    assert came.llm()["truncated"] is True


def test_json_that_was_cut_off_is_not_asked_for_again(url: str, spoken: Spoken) -> None:
    model = spoken(Says('{"score": 0.5, "why": "' + "a" * 100 + '"}'))
    came = ran(url, ports(asking(outputFormat="json", maxTokens=10)))
    assert (came.status, came.code) == ("failed", "TRUNCATED")
    assert "raise maxTokens" in came.error.message
    assert len(model.asked) == 1


@pytest.mark.parametrize(
    "usage",
    [
        None,
        {},
        {"prompt_tokens": 5},
        {"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": -7},
        {"total_tokens": "many"},
        "none",
        {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 2.5},
    ],
)
@pytest.mark.parametrize("config", [{}, {"tokenBudget": 10_000}])
def test_usage_that_is_not_told_is_estimated(url: str, spoken: Spoken, usage: Any, config: dict[str, Any]) -> None:
    spoken(Says("Well, thanks.", usage=usage))
    found = ran(url, ports(asking(**config))).llm()["usage"]
    assert found["estimated"] is True
    assert found["promptTokens"] >= len("How are you?") // 4
    assert found["completionTokens"] == 4
    assert found["totalTokens"] == found["promptTokens"] + 4


def test_an_answer_in_pieces_is_one_text(url: str, spoken: Spoken) -> None:
    spoken(Says([{"type": "text", "text": "Well, "}, {"type": "text", "text": "thanks."}]))
    assert ran(url, ports(asking())).data() == "Well, thanks."


def test_a_model_that_declines_is_a_failure_in_its_own_words(url: str, spoken: Spoken) -> None:
    spoken(
        Replies(
            body={
                "choices": [
                    {
                        "message": {"role": "assistant", "content": None, "refusal": "I will not."},
                        "finish_reason": "stop",
                    }
                ]
            }
        )
    )
    came = ran(url, ports(asking()))
    assert (came.status, came.code) == ("failed", "REFUSED")
    assert "I will not." in came.error.message


@pytest.mark.parametrize(
    "schema", [{"type": "objekt"}, {"$ref": "https://example.com/schema.json"}, {"minimum": "low"}]
)
def test_what_is_no_schema_is_a_problem_before_anything_is_asked(url: str, spoken: Spoken, schema: Any) -> None:
    model = spoken(Says("{}"))
    came = None
    with pytest.raises(Exception, match="outputSchema"):
        came = ran(url, ports(asking(outputSchema=schema)))
    assert came is None
    assert model.asked == []


def test_an_answer_is_data_and_never_a_template(url: str, spoken: Spoken) -> None:
    spoken(Says("{{ 1 + 1 }} ${ 2 + 2 } {{ secrets.KEY }}"))
    came = ran(url, ports(asking(slug="ask"), asking("You said: {{ steps.ask.output.data }}", slug="again")))
    assert came.data() == "{{ 1 + 1 }} ${ 2 + 2 } {{ secrets.KEY }}"
    assert came.data("again") == came.data()


@pytest.mark.parametrize(
    "text", ["```" + " " * 3_000 + "x", "```json" + "\n" * 3_000 + "``", " " * 3_000 + "`" * 3_000]
)
def test_no_answer_takes_long_to_be_read(text: str) -> None:
    began = time.process_time()
    value, faults = fitting(text, None)
    assert (value, len(faults)) == (None, 1)
    assert time.process_time() - began < 1


@pytest.mark.parametrize(
    ("schema", "is_wanted"),
    [
        (None, True),
        ({}, True),
        (SCHEMA, True),
        ({"type": ["object", "null"]}, True),
        ({"type": "array"}, False),
        ({"type": ["string", "null"]}, False),
        ({"enum": [1, "a"]}, False),
        ({"const": 1}, False),
    ],
)
def test_an_object_is_insisted_on_only_where_one_may_be_the_answer(
    url: str, spoken: Spoken, schema: Any, is_wanted: bool
) -> None:
    model = spoken(Says("nothing that fits"))
    ran(url, ports(asking(outputFormat="json", **({} if schema is None else {"outputSchema": schema}))))
    assert ("response_format" in model.asked[0].body) is is_wanted


NULLABLE = {
    "type": "object",
    "required": ["score", "lines"],
    "properties": {
        "score": {"type": "number", "nullable": True},
        "lines": {
            "type": "array",
            "items": {"type": "object", "properties": {"note": {"type": "string", "nullable": True}}},
        },
    },
}


def test_a_nullable_field_may_be_null_also_below_and_the_model_is_asked_once(url: str, spoken: Spoken) -> None:
    model = spoken(Says('{"score": null, "lines": [{"note": null}, {"note": "x"}]}'))
    came = ran(url, ports(asking(outputFormat="json", outputSchema=NULLABLE)))
    assert came.data() == {"score": None, "lines": [{"note": None}, {"note": "x"}]}
    assert len(model.asked) == 1
    spoken(Says("null"))
    came = ran(url, ports(asking(outputFormat="json", outputSchema={**NULLABLE, "nullable": True})))
    assert came.data() is None


def test_what_is_not_nullable_is_still_refused(url: str, spoken: Spoken) -> None:
    spoken(Says('{"score": 1, "lines": null}'), Says('{"score": 1, "lines": null}'))
    came = ran(url, ports(asking(outputFormat="json", outputSchema=NULLABLE)))
    assert came.code == "INVALID_ANSWER"
