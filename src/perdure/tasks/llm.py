"""The task `llm`: one question to a language model that speaks the protocol of OpenAI, and its answer as a value.

One call is one question: what asks for tools, or has to be said again, is told as such, and the workflow goes on from there. The
answer of an attempt that nobody waits for any more is lost, and is bought again; none that was recorded ever is.
"""

from __future__ import annotations

import asyncio
import ssl
import time
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from typing import Any, Final, Protocol, TypeAlias
from urllib.parse import urlsplit

import httpx2
import msgspec
import openai
from msgspec import Struct

from perdure.clock import now_ms
from perdure.expressions.wording import shown
from perdure.model.failure import Category
from perdure.model.values import Json
from perdure.tasks.addresses import Allowed
from perdure.tasks.answering import (
    CALLS_MAX,
    Completion,
    Message,
    as_json,
    calls_of,
    correction,
    fitting,
    read_completion,
    spent,
    together,
    told,
    weight,
)
from perdure.tasks.answers import retry_after_ms
from perdure.tasks.context import TaskContext
from perdure.tasks.disguises import LENGTH_MIN, Disguises
from perdure.tasks.door import Answer, Door, OutboundRefused
from perdure.tasks.failing import NonRetryable, Retryable
from perdure.tasks.limits import Limits
from perdure.tasks.llm_input import LlmInput, LlmSettings, Usage
from perdure.tasks.offload import INLINE_BYTES_MAX, run_by_size
from perdure.tasks.redaction import Redactor, hidden
from perdure.tasks.results import Result
from perdure.tasks.transport import ResponseTooLarge

_SECONDS_MAX: Final = 600.0
_CONNECT_SECONDS_MAX: Final = 10.0
_TRANSIENT: Final = (408, 409, 425, 429)
_ERRORS: Final = 400
_SERVER_ERROR: Final = 500
_NOT_ALLOWED: Final = (401, 403)
_OWN_URL: Final = "https://api.openai.com/v1"
_SAID_MAX: Final = 500
_DIGITS_MAX: Final = 15
_NO_COMPLETION: Final = "NO_COMPLETION"
_COMPILING_TIMES: Final = 4
"""Compiling a schema takes about this many times as long as reading as much JSON."""

LlmTask: TypeAlias = Callable[[LlmInput, TaskContext], Awaitable[Result]]


class LlmFailed(Retryable, public_name="LlmFailed"):
    """The provider could not answer now."""


class LlmTimedOut(Retryable, public_name="LlmTimedOut"):
    category = Category.TIMEOUT


class LlmRefused(NonRetryable, public_name="LlmRefused"):
    """The provider says that asking the same again would not help."""


class LlmNotAllowed(NonRetryable, public_name="LlmNotAllowed"):
    category = Category.SECURITY


class InvalidAnswer(Retryable, public_name="InvalidAnswer"):
    """The model did not answer as it was asked to, also when it was told so."""

    category = Category.VALIDATION


class NotGranted(NonRetryable, public_name="NotGranted"):
    """People were asked whether more may be spent, and said no."""

    category = Category.BUSINESS


class ToolLimit(NonRetryable, public_name="ToolLimit"):
    """The model asked for tools again and again."""


class Bought(Struct, frozen=True):
    """What became of an answer, and its text."""

    result: Result
    text: str


class Provider:
    """Who is asked. Nobody is told the key, also if the provider says it."""

    def __init__(self, settings: LlmSettings) -> None:
        self.key, self.model = settings.api_key, settings.model
        self.url = (settings.base_url or _OWN_URL).rstrip("/")
        self._redactor = Redactor([Disguises(self.key)] if self.key else [])

    @property
    def name(self) -> str:
        """Its address, without who is let in there."""
        return _without_user(self.url)

    def hidden(self, text: object) -> str:
        """What is said of it, or by it. Before it is cut: half a key is not found."""
        return hidden(self._redactor.text(str(text)))

    def read(self, content: bytes) -> Completion:
        """Raises `ValueError`: it is none. A short key is a word that a model may well say."""
        return read_completion(content, self._redactor.value if len(self.key) >= LENGTH_MIN else lambda value: value)


class Conversations(Protocol):
    """What was said before under the same thread, question by question. `key` is of the operation: what it adds, it adds once."""

    async def said(self, execution: str, thread: str, key: str) -> list[list[dict[str, Any]]]: ...

    async def add(self, execution: str, thread: str, key: str, turns: list[dict[str, Any]]) -> None: ...


def llm_task(
    settings: LlmSettings, allowed: Allowed | None, limits: Limits, conversations: Conversations | None = None
) -> LlmTask:
    """The task. The address that the operator has named may be called, wherever it is."""
    provider = Provider(settings)
    door = Door(_with(allowed, provider.url), limits, ssl_context=_ssl_context(provider.url))

    async def llm(given: LlmInput, context: TaskContext) -> Result:
        if given.refused is not None:
            return _rejected(given.refused, context.attempt)
        given = msgspec.structs.replace(given, max_tokens=_most_tokens(given.max_tokens))
        thread = None if given.thread_id in (None, "") else str(given.thread_id)
        if thread is not None and conversations is None:
            raise LlmRefused("there is a threadId, and nothing here keeps conversations", code="NO_THREADS")
        before: list[list[dict[str, Any]]] = []
        if thread is not None and conversations is not None:
            before = await conversations.said(context.execution_id, thread, context.idempotency_key)
        turns = [] if given.begins else [*given.turns, *told(given.answers, given.turns)]
        messages = _messages(given, before, turns)
        if given.weigh:
            return Result({"tokens": weight(messages, _told_tools(given))})

        async def bought() -> Bought:
            began = time.monotonic()
            completion = await _asked(door, provider, _request(given, provider, messages), context)
            latency_ms = round(1_000 * (time.monotonic() - began))
            result = await run_by_size(
                _reading_size(given, completion), lambda: _result(given, completion, messages, turns, latency_ms)
            )
            return Bought(result, completion.message.text)

        if thread is None or conversations is None:
            return (await bought()).result
        return await _continued(bought, _prompted(given) + turns, thread, conversations, context)

    return llm


def _rejected(message: str, attempt: int) -> Result:
    """There is one attempt, unless the execution failed of it and somebody has it tried again: then people are asked again."""
    if attempt > 1:
        return Result()
    raise NotGranted(message, code="BUDGET")


async def _continued(
    buy: Callable[[], Awaitable[Bought]],
    asked: list[dict[str, Any]],
    thread: str,
    conversations: Conversations,
    context: TaskContext,
) -> Result:
    """The answer, when the thread has it. It is kept before that: whoever cannot add it to the thread does not buy it again."""
    cost: dict[str, int] | None = None

    async def kept() -> Json:
        nonlocal cost
        found = await buy()
        cost = found.result.usage
        result: Json = msgspec.to_builtins(found)
        return result

    answer = msgspec.convert(await context.run("answer", kept), Bought)
    if answer.result.port in (None, "answer"):
        new = [*asked, {"role": "assistant", "content": answer.text}]
        try:
            await conversations.add(context.execution_id, thread, context.idempotency_key, new)
        except Exception as error:
            raise LlmFailed(
                f"what was said under thread {thread!r} could not be kept: {error}", code="THREAD", usage=cost
            ) from error
    return msgspec.structs.replace(answer.result, usage=cost)


def _ssl_context(url: str) -> ssl.SSLContext:
    """Now, and not in the loop at the first call: to read the system's certificates takes a while. Without TLS none is needed."""
    return httpx2.create_ssl_context() if url.startswith("https:") else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


def _without_user(url: str) -> str:
    parts = urlsplit(url)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()


def _with(allowed: Allowed | None, url: str) -> Allowed:
    parts = urlsplit(url)
    try:
        given = parts.port
    except ValueError as error:
        message = f"OPENAI_BASE_URL is {_without_user(url)!r}, which is no address: {error}"
        raise LlmRefused(message, code="BAD_SETTING") from error
    port = given or (443 if parts.scheme == "https" else 80)
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    return (allowed or Allowed()).with_host(f"{host}:{port}")


def _messages(given: LlmInput, before: list[list[dict[str, Any]]], turns: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What is told. Where it was weighed and others have gone on with the thread since, the oldest of that is left out."""
    system = [text for text in (_text(given.system), _wanted(given)) if text]
    first = [{"role": "system", "content": "\n\n".join(system)}] if system else []
    while True:
        earlier = [turn for question in before for turn in question]
        messages = [*first, *earlier, *_prompted(given), *turns]
        if not before or given.weight is None or weight(messages, _told_tools(given)) <= given.weight:
            return messages
        before = before[1:]


def _prompted(given: LlmInput) -> list[dict[str, Any]]:
    return [] if given.prompt is None else [{"role": "user", "content": _text(given.prompt)}]


def _text(value: Json) -> str:
    """A prompt that is one template may be any value."""
    return "" if value is None else value if isinstance(value, str) else as_json(value)


def _wanted(given: LlmInput) -> str:
    if given.format == "text":
        return ""
    schema = "" if given.schema is None else f" It has to fit this JSON Schema: {as_json(given.schema)}"
    return f"Answer with one JSON value and nothing else: no explanation, no code fence.{schema}"


def _request(given: LlmInput, provider: Provider, messages: list[dict[str, Any]]) -> dict[str, Any]:
    request: dict[str, Any] = {"model": provider.model, "messages": messages}
    if given.temperature is not None:
        request["temperature"] = given.temperature
    if given.max_tokens is not None:
        # OpenAI's newer models know only the longer name, others only the shorter.
        request["max_completion_tokens" if provider.url == _OWN_URL else "max_tokens"] = given.max_tokens
    if given.format == "json" and _may_be_object(given.schema):
        request["response_format"] = {"type": "json_object"}
    if given.tools:
        request["tools"] = _told_tools(given)
        request["tool_choice"] = "auto" if given.may_call else "none"
    return request


def _most_tokens(given: Json) -> int | None:
    if given is None:
        return None
    is_text = isinstance(given, str) and given.isascii() and given.isdecimal() and len(given) <= _DIGITS_MAX
    most = int(given) if isinstance(given, str) and is_text else given
    if isinstance(most, bool) or not isinstance(most, int) or most < 1:
        raise LlmRefused(
            f"maxTokens is {shown(as_json(given))}; it has to be a whole number from 1 on: look at its template, or leave it out",
            code="INVALID_INPUT",
        )
    return most


def _may_be_object(schema: dict[str, Any] | None) -> bool:
    """Whether an answer that fits can be an object; else nobody may insist on one."""
    if schema is None:
        return True
    values = [schema["const"]] if "const" in schema else schema.get("enum")
    if isinstance(values, list) and not any(isinstance(value, dict) for value in values):
        return False
    types = schema.get("type", "object")
    return "object" in types if isinstance(types, list) else types == "object"


def _told_tools(given: LlmInput) -> list[dict[str, Any]]:
    return [
        {
            "type": "function",
            "function": {"name": tool.name, "description": tool.description, "parameters": tool.parameters},
        }
        for tool in given.tools
    ]


async def _asked(door: Door, provider: Provider, request: dict[str, Any], context: TaskContext) -> Completion:
    """Once: to try again is for the policy of the step."""
    name = provider.name
    times = httpx2.Timeout(_SECONDS_MAX, connect=_CONNECT_SECONDS_MAX)
    http = httpx2.AsyncClient(
        transport=_ShortErrors(door.transport()), trust_env=False, follow_redirects=False, timeout=times
    )
    async with openai.AsyncOpenAI(
        api_key=provider.key, base_url=provider.url, max_retries=0, timeout=times, http_client=http
    ) as client:
        try:
            async with asyncio.timeout(_SECONDS_MAX):
                answer = await client.chat.completions.with_raw_response.create(
                    **request, extra_headers={"Idempotency-Key": context.idempotency_key}
                )
        except openai.APIStatusError as error:
            raise _status(error, provider) from error
        except (openai.APITimeoutError, TimeoutError) as error:
            raise LlmTimedOut(f"{name} did not answer in time", code="TIMEOUT") from error
        except openai.APIConnectionError as error:
            cause = error.__cause__
            if isinstance(cause, OutboundRefused | ResponseTooLarge):
                raise cause from error
            why = provider.hidden(str(cause or "") or error)
            raise LlmFailed(f"{name} cannot be reached: {why}", code="NETWORK") from error
        except openai.OpenAIError as error:
            why = provider.hidden(error)
            raise LlmFailed(f"{name} answered with what cannot be read: {why}", code=_NO_COMPLETION) from error
    content = answer.content
    try:
        return await run_by_size(len(content), lambda: provider.read(content))
    except ValueError as error:
        raise LlmFailed(f"{name} answered with what is no completion: {error}", code=_NO_COMPLETION) from error


class _ShortErrors(httpx2.AsyncBaseTransport):
    """Reads of an error only as much as is parsed in the event loop: the library parses all that it is given."""

    def __init__(self, transport: httpx2.AsyncBaseTransport) -> None:
        self._transport = transport

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        response = await self._transport.handle_async_request(request)
        if response.status_code < _ERRORS:
            return response
        body = bytearray()
        async with aclosing(response.aiter_raw()) as parts:
            async for part in parts:
                body += part
                if len(body) > INLINE_BYTES_MAX:
                    break
        await response.aclose()
        return httpx2.Response(
            response.status_code,
            headers=response.headers,
            stream=httpx2.ByteStream(bytes(body[:INLINE_BYTES_MAX])),
            request=request,
        )

    async def aclose(self) -> None:
        await self._transport.aclose()


def _status(error: openai.APIStatusError, provider: Provider) -> Exception:
    said = provider.hidden(_said(error))[:_SAID_MAX]
    message = f"{provider.name} was answered with {error.status_code}: {said}"
    code = f"HTTP_{error.status_code}"
    if error.status_code in _NOT_ALLOWED:
        return LlmNotAllowed(f"{message}; look at OPENAI_API_KEY", code=code)
    if error.status_code in _TRANSIENT or error.status_code >= _SERVER_ERROR:
        return LlmFailed(message, code=code, retry_after_ms=_retry_after_ms(error.response))
    return LlmRefused(message, code=code)


def _said(error: openai.APIStatusError) -> str:
    body = error.body
    inner = body.get("error", body) if isinstance(body, dict) else body
    told = inner.get("message") if isinstance(inner, dict) else inner
    return str(told or "nothing more")


def _retry_after_ms(response: httpx2.Response) -> int | None:
    try:
        return max(0, int(float(response.headers["retry-after-ms"])))
    except (KeyError, ValueError, OverflowError):
        return retry_after_ms(Answer(response.status_code, dict(response.headers), b""), now_ms())


def _reading_size(given: LlmInput, completion: Completion) -> int:
    """Characters to be read; schemas count too, because they are compiled for it."""
    message = completion.message
    if message.tool_calls:
        functions = [call.function for call in message.tool_calls[:CALLS_MAX]]
        called = {function.name for function in functions}
        compiled = [tool.parameters for tool in given.tools if tool.name in called]
        arguments = len(as_json(functions))
        return arguments + _COMPILING_TIMES * len(as_json(compiled))
    return len(message.text) + (0 if given.schema is None else _COMPILING_TIMES * len(as_json(given.schema)))


def _result(
    given: LlmInput,
    completion: Completion,
    messages: list[dict[str, Any]],
    turns: list[dict[str, Any]],
    latency_ms: int,
) -> Result:
    message, finish = completion.message, completion.choices[0].finish_reason
    usage = spent(completion, messages)
    cost = {"tokens": usage.total_tokens}
    meta = _about(given, completion, usage, latency_ms)
    if finish == "content_filter":
        raise LlmRefused("the provider has kept the answer back: its content filter", code="CONTENT_FILTER", usage=cost)
    if message.tool_calls:
        return _tools(given, message, turns, meta, cost)
    if message.refusal and not message.text:
        raise LlmRefused(
            f"the model declines to answer: {hidden(message.refusal)[:_SAID_MAX]}", code="REFUSED", usage=cost
        )
    if given.format == "text" and not message.text.strip():
        why = "; all of maxTokens went into what it does not tell: raise it" if finish == "length" else ""
        raise LlmRefused(f"the model answered with nothing{why}", code="EMPTY_ANSWER", usage=cost)
    if given.plain:
        return Result(message.text, meta=meta, usage=cost)
    if given.format == "text":
        return Result({"kind": "answer", "answer": message.text}, "answer", meta, cost)
    value, faults = fitting(message.text, given.schema)
    if not faults:
        return Result({"kind": "answer", "answer": value}, "answer", meta, cost)
    if finish == "length":
        cut = f"the answer was cut off after {usage.completion_tokens} tokens, so that it is no JSON; raise maxTokens"
        raise InvalidAnswer(cut, code="TRUNCATED", usage=cost)
    if given.may_repair:
        said = {"role": "assistant", "content": message.text}
        again = {"kind": "repair", "turns": [*turns, said, correction(faults)]}
        return Result(again, "repair", meta, cost)
    raise InvalidAnswer(
        f"the model was told that its answer does not fit, and answered again: {'; '.join(faults)[:800]}",
        code="INVALID_ANSWER",
        usage=cost,
    )


def _about(given: LlmInput, completion: Completion, usage: Usage, latency_ms: int) -> dict[str, Any]:
    """What stands beside the output, of all questions of the step so far."""
    if given.so_far is not None:
        usage, latency_ms = together(usage, given.so_far.usage), latency_ms + given.so_far.latency_ms
    about: dict[str, Any] = {
        "model": completion.model or "",
        "temperature": given.temperature,
        "usage": msgspec.to_builtins(usage),
        "latencyMs": latency_ms,
    }
    if completion.choices[0].finish_reason == "length":
        about["truncated"] = True
    return {"llm": about} | ({} if given.thread_id in (None, "") else {"threadId": str(given.thread_id)})


def _tools(
    given: LlmInput, said: Message, turns: list[dict[str, Any]], meta: dict[str, Any], cost: dict[str, int]
) -> Result:
    if not given.may_call or not given.tools:
        known = "it may ask for tools no longer; raise maxToolRounds" if given.tools else "the step has no tools"
        raise ToolLimit(f"the model asked for a tool instead of answering, and {known}", code="TOOL_LIMIT", usage=cost)
    message, calls, refused = calls_of(said, given.tools)
    return Result({"kind": "tools", "turns": [*turns, message, *refused], "calls": calls}, "tools", meta, cost)
