"""What a language model said, as values: JSON that has to fit a schema, calls of tools that have to be among those it has."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

import jsonschema_rs
import msgspec
from openai.types.chat import ChatCompletion, ChatCompletionMessage

from perdure.expressions.canonical import NotJson, canonical
from perdure.model.values import Json

CALLS_MAX: Final = 32
"""So many calls may be asked for at once; the others are refused, and the model is told."""

_FAULTS_MAX: Final = 10
_FENCE: Final = re.compile(r"\s*```(?:json)?\s*\n(.*?)\n?\s*```\s*", re.DOTALL | re.IGNORECASE)
_LETTERS_PER_TOKEN: Final = 4


def answered_json(value: Json) -> str:
    return msgspec.json.encode(value).decode()


def fitting(content: str, schema: dict[str, Any] | None) -> tuple[Json, list[str]]:
    """The value of an answer, and what is wrong with it: nothing, if it fits."""
    fenced = _FENCE.fullmatch(content)
    try:
        value = canonical(msgspec.json.decode((fenced.group(1) if fenced else content).encode()))
    except (msgspec.DecodeError, NotJson, UnicodeEncodeError) as error:
        return None, [f"it is not JSON: {error}"]
    return (value, []) if schema is None else (value, misfits(value, schema))


def misfits(value: Json, schema: dict[str, Any]) -> list[str]:
    found = []
    for error in validator(schema).iter_errors(value):
        place = "".join(f"/{part}" for part in error.instance_path)
        found.append(f"{place or 'the value'}: {error.message}")
        if len(found) >= _FAULTS_MAX:
            break
    return found


def validator(schema: dict[str, Any]) -> Any:
    """Raises `ValueError` for what is no schema. Nothing is fetched from anywhere."""
    return jsonschema_rs.validator_for(schema, retriever=_fetch_nothing)


def _fetch_nothing(uri: str) -> Json:
    raise ValueError(f"a schema may only refer to itself, not to {uri}")


def correction(faults: Sequence[str]) -> dict[str, Any]:
    listed = "\n".join(f"- {fault}" for fault in faults)
    return {
        "role": "user",
        "content": f"That answer does not fit:\n{listed}\nSay it again, as one JSON value and nothing else.",
    }


def calls_of(
    said: ChatCompletionMessage, tools: Sequence[str]
) -> tuple[dict[str, Any], list[dict[str, Any]], list[dict[str, Any]]]:
    """The message as it was said, the calls that are made, and what is answered to those that are not."""
    calls: list[dict[str, Any]] = []
    refused: list[dict[str, Any]] = []
    asked: list[dict[str, Any]] = []
    for call in said.tool_calls or ():
        function = getattr(call, "function", None)
        name, text = (function.name, function.arguments) if function is not None else ("", "")
        asked.append({"id": call.id, "type": "function", "function": {"name": name, "arguments": text}})
        why, arguments = _arguments(name, text, tools)
        if why is None and len(calls) >= CALLS_MAX:
            why = f"{CALLS_MAX} calls at once are the most"
        if why is None:
            calls.append({"id": call.id, "name": name, "arguments": arguments})
        else:
            refused.append({"role": "tool", "tool_call_id": call.id, "content": f"error: {why}"})
    return {"role": "assistant", "content": said.content, "tool_calls": asked}, calls, refused


def _arguments(name: str, text: str, tools: Sequence[str]) -> tuple[str | None, Json]:
    if name not in tools:
        return f"there is no tool {name!r}; there are {', '.join(tools)}", None
    try:
        arguments = canonical(msgspec.json.decode((text or "{}").encode()))
    except (msgspec.DecodeError, NotJson, UnicodeEncodeError) as error:
        return f"the arguments of {name} are not JSON: {error}", None
    if not isinstance(arguments, dict):
        return f"the arguments of {name} have to be an object", None
    return None, arguments


def spent(completion: ChatCompletion, messages: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """As the provider says; where it does not, what it must have been about."""
    usage = completion.usage
    if usage is not None and usage.total_tokens is not None:
        return {
            "promptTokens": usage.prompt_tokens or 0,
            "completionTokens": usage.completion_tokens or 0,
            "totalTokens": usage.total_tokens,
        }
    asked = -(-len(answered_json(list(messages))) // _LETTERS_PER_TOKEN)
    answer = -(-len(completion.choices[0].message.content or "") // _LETTERS_PER_TOKEN)
    return {"promptTokens": asked, "completionTokens": answer, "totalTokens": asked + answer, "estimated": True}
