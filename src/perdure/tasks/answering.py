"""What a language model said, as values: a completion, JSON that has to fit a schema, calls of tools that it has."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import msgspec
from msgspec import Struct

from perdure import schemas
from perdure.expressions.canonical import NotJson, canonical
from perdure.model.values import Json
from perdure.tasks.decoding import decode_json
from perdure.tasks.llm_input import ToolAnswer, ToolSpec, Usage
from perdure.tasks.results import AMOUNT_MAX

CALLS_MAX: Final = 32
"""Maximum number of tool calls in one answer. The others are refused before their arguments are read, and the model is told."""

_REFUSED_MAX: Final = 32
"""Maximum number of calls beyond these that are refused one by one. The rest is dropped: a model may ask for 100,000."""

ANSWER_LETTERS_MAX: Final = 200_000
"""So much the model is told of what one tool answers."""

ANSWERS_LETTERS_MAX: Final = 4_000_000
"""And of all in the same step. After that it is told of each how it begins."""

_BEGINNING: Final = 1_000
_ARGUMENTS_LETTERS_MAX: Final = 500_000
_FAULTS_MAX: Final = 10
_NAME_LETTERS_MAX: Final = 100
_FENCE: Final = "```"
_BYTES_PER_TOKEN: Final = 4
_BYTES_PER_TOKEN_LEAST: Final = 2
_UNREADABLE: Final = (msgspec.DecodeError, NotJson, UnicodeEncodeError, RecursionError)


class Piece(Struct, frozen=True):
    text: str = ""


class Function(Struct, frozen=True):
    """`arguments` are JSON in a text; some providers leave out the text."""

    name: str = ""
    arguments: str | dict[str, Any] | None = None


class ToolCall(Struct, frozen=True):
    id: str | None = None
    function: Function = Function()


class Message(Struct, frozen=True):
    content: str | list[Piece] | None = None
    refusal: str | None = None
    tool_calls: list[ToolCall] | None = None

    @property
    def text(self) -> str:
        return "".join(piece.text for piece in self.content) if isinstance(self.content, list) else self.content or ""


class Choice(Struct, frozen=True):
    message: Message
    finish_reason: str | None = None


class Completion(Struct, frozen=True):
    """Only what is read of it; a provider may say more. `usage` is believed only if it makes sense."""

    choices: list[Choice]
    model: str | None = None
    usage: Any = None

    @property
    def message(self) -> Message:
        return self.choices[0].message


def read_completion(content: bytes, hide: Callable[[Json], Json]) -> Completion:
    """Raises `ValueError`: it is none. `hide` takes out what nobody may read."""
    try:
        found = msgspec.convert(hide(decode_json(content)), Completion)
    except (msgspec.DecodeError, RecursionError) as error:
        raise ValueError(str(error)) from error
    if not found.choices:
        raise ValueError("there is no choice in it")
    return found


def as_json(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def fitting(content: str, schema: dict[str, Any] | None) -> tuple[Json, list[str]]:
    """The value of an answer, and what is wrong with it: nothing, if it fits."""
    try:
        value = canonical(decode_json(_unfenced(content).encode()))
    except _UNREADABLE as error:
        return None, [f"it is not JSON: {error}"]
    return (value, []) if schema is None else (value, misfits(value, schema))


def _unfenced(content: str) -> str:
    """Without a regular expression: whoever answers could make one take for ever."""
    text = content.strip()
    if len(text) < 2 * len(_FENCE) or not (text.startswith(_FENCE) and text.endswith(_FENCE)):
        return content
    text = text.removeprefix(_FENCE).removesuffix(_FENCE)
    return (text[4:] if text[:4].lower() == "json" else text).strip()


def misfits(value: Json, schema: dict[str, Any]) -> list[str]:
    """Raises `ValueError` for what is no schema."""
    return _faults(schemas.checker(schema), value)


def _faults(checker: schemas.Checker, value: Json) -> list[str]:
    found = checker.violations(value, _FAULTS_MAX)
    return [f"{violation.path or 'the value'}: {violation.message}" for violation in found]


def _short(text: str, letters_max: int) -> str:
    return text if len(text) <= letters_max else f"{text[:letters_max]}…"


def correction(faults: Sequence[str]) -> dict[str, Any]:
    listed = "\n".join(f"- {fault}" for fault in faults)
    return {
        "role": "user",
        "content": f"That answer does not fit:\n{listed}\nSay it again, as one JSON value and nothing else.",
    }


def calls_of(
    said: Message, tools: Sequence[ToolSpec]
) -> tuple[dict[str, Any], list[dict[str, Any]], list[dict[str, Any]]]:
    """The message as it was said, the calls that are made, and what is answered to those that are not. Of too many calls, the
    message has the first ones.
    """
    known = {tool.name: _Checked(tool) for tool in tools}
    calls: list[dict[str, Any]] = []
    refused: list[dict[str, Any]] = []
    asked: list[dict[str, Any]] = []
    listed = said.tool_calls or []
    dropped = max(0, len(listed) - CALLS_MAX - _REFUSED_MAX)
    for number, call in enumerate(listed[: CALLS_MAX + _REFUSED_MAX], 1):
        id_, name, given = call.id or f"call-{number}", call.function.name, call.function.arguments
        text = given if isinstance(given, str) else as_json(given or {})
        asked.append({"id": id_, "type": "function", "function": {"name": name, "arguments": text}})
        arguments: Json = None
        if number > CALLS_MAX:
            counted = f", and there were {len(listed):,}" if dropped else ""
            why: str | None = f"{CALLS_MAX} calls at once are the most{counted}"
        else:
            why, arguments = _arguments(name, text, known)
        if why is None:
            calls.append({"id": id_, "name": name, "arguments": arguments})
        else:
            refused.append({"role": "tool", "tool_call_id": id_, "content": f"error: {why}"})
    return {"role": "assistant", "content": said.text or None, "tool_calls": asked}, calls, refused


class _Checked:
    """A tool whose schema is compiled when it is called, and once for all of its calls."""

    def __init__(self, tool: ToolSpec) -> None:
        self._tool = tool
        self._checker: schemas.Checker | None = None

    def misfits(self, arguments: Json) -> list[str]:
        """Raises `ValueError` if its schema is none."""
        if self._checker is None:
            self._checker = schemas.checker(self._tool.parameters)
        return _faults(self._checker, arguments)


def _arguments(name: str, text: str, tools: dict[str, _Checked]) -> tuple[str | None, Json]:
    if len(text) > _ARGUMENTS_LETTERS_MAX:
        return f"the arguments have {len(text):,} characters; {_ARGUMENTS_LETTERS_MAX:,} are the most", None
    if name not in tools:
        return f"there is no tool {_short(name, _NAME_LETTERS_MAX)!r}; there are {', '.join(tools)}", None
    try:
        arguments = canonical(decode_json((text.strip() or "{}").encode()))
    except _UNREADABLE as error:
        return f"the arguments of {name} are not JSON: {error}", None
    if not isinstance(arguments, dict):
        return f"the arguments of {name} have to be an object", None
    faults = tools[name].misfits(arguments)
    return (f"the arguments of {name} do not fit: {'; '.join(faults)}" if faults else None), arguments


def told(answers: ToolAnswer | None, turns: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """What tools came to, as messages to the model, in the order of its calls. `turns` were told before."""
    listed: list[ToolAnswer] = []
    while answers is not None:
        listed.append(answers)
        answers = answers.before
    left = ANSWERS_LETTERS_MAX - sum(len(turn["content"]) for turn in turns if turn["role"] == "tool")
    messages = []
    for answer in reversed(listed):
        text = as_json(answer.value) if answer.error is None else f"error: {answer.error}"
        text = _beginning(text, min(ANSWER_LETTERS_MAX, max(_BEGINNING, left)))
        left -= len(text)
        messages.append({"role": "tool", "tool_call_id": answer.id, "content": text})
    return messages


def _beginning(text: str, letters_max: int) -> str:
    if len(text) <= letters_max:
        return text
    return f"{text[:letters_max]}\n[cut off here: these are the first {letters_max:,} of {len(text):,} characters]"


def weight(messages: Sequence[dict[str, Any]], tools: Sequence[dict[str, Any]]) -> int:
    """The tokens that a question has at most. One is mostly four bytes, and hardly ever less than two."""
    return 16 + _tokens([list(messages), list(tools)], _BYTES_PER_TOKEN_LEAST)


def spent(completion: Completion, messages: Sequence[dict[str, Any]]) -> Usage:
    """As the provider says; where it does not, what it must have been about."""
    told = completion.usage if isinstance(completion.usage, dict) else {}
    asked, answer, total = (told.get(f"{name}_tokens") or 0 for name in ("prompt", "completion", "total"))
    if total and all(_is_amount(amount) for amount in (asked, answer, total)):
        return Usage(asked, answer, _saturated(max(total, asked + answer)))
    calls = [call.function for call in completion.message.tool_calls or ()]
    asked = _tokens(list(messages), _BYTES_PER_TOKEN)
    answer = -(-len(completion.message.text.encode("utf-8", "replace")) // _BYTES_PER_TOKEN)
    answer += _tokens(calls, _BYTES_PER_TOKEN) if calls else 0
    return Usage(asked, answer, asked + answer, estimated=True)


def together(usage: Usage, before: Usage) -> Usage:
    return Usage(
        _saturated(usage.prompt_tokens + before.prompt_tokens),
        _saturated(usage.completion_tokens + before.completion_tokens),
        _saturated(usage.total_tokens + before.total_tokens),
        usage.estimated or before.estimated,
    )


def _is_amount(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= AMOUNT_MAX


def _saturated(amount: int) -> int:
    """The most that a usage may say, for a sum that is more: the answer is paid for, and is not lost for its price."""
    return min(amount, AMOUNT_MAX)


def _tokens(value: Any, bytes_each: int) -> int:
    return -(-len(msgspec.json.encode(value)) // bytes_each)
