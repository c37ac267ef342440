"""What the task `llm` is given. By itself, so that whoever only has to know that does not wait for the library of a provider."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct

from perdure.model.values import Json


class ToolSpec(Struct, frozen=True):
    """What the model is told of a tool that it may ask for."""

    name: str
    description: str = ""
    parameters: dict[str, Any] = {}


class Usage(Struct, frozen=True, rename="camel", omit_defaults=True):
    prompt_tokens: int
    completion_tokens: int
    total_tokens: int
    estimated: bool = False


class SoFar(Struct, frozen=True, rename="camel"):
    usage: Usage
    latency_ms: int = 0


class ToolAnswer(Struct, frozen=True):
    """What a call came to, and the calls `before` it in the same round."""

    id: str
    value: Json = None
    error: str | None = None
    before: ToolAnswer | None = None


class LlmInput(Struct, frozen=True, rename="camel"):
    """
    max_tokens  a whole number, also as a text of digits: what a template makes of one
    turns       what has been said since the prompt: answers, and what tools came to; nothing, if the step `begins`
    answers     what tools came to after that, each with those before it
    format      json: the answer is read as JSON, and held against `schema`
    may_call    whether it may still ask for tools
    may_repair  whether an answer that does not fit is to be said again, and not a failure yet
    plain       the answer alone is the output; else it is said of which kind it is
    so_far      what the questions before in the same step have cost, as `meta.llm` tells it; this one is added to it
    weigh       nothing is asked: the output is how many tokens the question has at most
    weight      so many it had when it was weighed, and for so many there is a budget
    refused     nothing is asked: it fails of this, at the first attempt
    """

    system: Json = None
    prompt: Json = None
    temperature: float | None = None
    max_tokens: Json = None
    thread_id: Json = None
    begins: bool = False
    turns: list[dict[str, Any]] = []
    answers: ToolAnswer | None = None
    format: Literal["text", "json"] = "text"
    schema: dict[str, Any] | None = None
    tools: list[ToolSpec] = []
    may_call: bool = True
    may_repair: bool = False
    plain: bool = False
    so_far: SoFar | None = None
    weigh: bool = False
    weight: int | None = None
    refused: str | None = None


class LlmSettings(Struct, frozen=True):
    """What the operator has set: OPENAI_API_KEY, OPENAI_MODEL, OPENAI_BASE_URL."""

    api_key: str = ""
    model: str = ""
    base_url: str = ""

    @property
    def missing(self) -> tuple[str, ...]:
        needed = {"OPENAI_API_KEY": self.api_key, "OPENAI_MODEL": self.model}
        return tuple(name for name, value in needed.items() if not value)
