"""Everything that calls a URL which somebody else than the operator may write. A new one is a line in CLIENTS.

A client is given URLs and says what came of each. It has an engine of its own, as users have it: nothing is put in its place.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from typing import Any, TypeAlias

from msgspec import Struct

from connections.documents import calling, phases
from notices.test_notifiers import ask_somebody
from perdure.hosts.settings import allowed_addresses
from perdure.model.failure import Failure
from perdure.model.steps import Step, Task
from perdure.service.engine import Engine
from perdure.service.errors import Conflict, ExecutionFailed, Refused
from perdure.service.oidc.flow import Flows
from perdure.service.oidc.provider import LIMITS, Provider
from perdure.service.oidc.refusals import ProviderFailed
from perdure.service.oidc.settings import OidcSettings
from perdure.store.notices import NOTICES
from perdure.tasks.addresses import ALLOW
from perdure.tasks.door import Door
from perdure.testing.words import x
from service.words import one


class Came(Struct, frozen=True):
    """What came of a URL: a value, or why not. `at_once`: it was not even kept."""

    said: str
    code: str | None = None
    category: str | None = None
    retriable: bool = False
    at_once: bool = False
    is_failure: bool = True

    @property
    def is_refused(self) -> bool:
        return self.at_once or (self.category == "SECURITY" and not self.retriable)


Client: TypeAlias = Callable[[Sequence[str]], Coroutine[Any, Any, list[Came]]]
SOON = 120


def by_document(document: Any) -> Client:
    """One execution for each URL, with the URL as its input."""

    async def called(urls: Sequence[str]) -> list[Came]:
        async with Engine() as engine:
            saved = await engine.workflows.save(document)
            return await _all(lambda url: _started(engine, saved.id, {"url": url}), urls)

    return called


GRAPH = {
    "name": "graph",
    "nodes": [
        {"id": "start", "type": "MANUAL_TRIGGER"},
        {
            "id": "fetch",
            "type": "HTTP_REQUEST",
            "data": {"variableName": "page", "endpoint": "{{url}}", "method": "GET"},
        },
    ],
    "connections": [{"fromNodeId": "start", "toNodeId": "fetch"}],
}
PORTS = {
    "name": "ports",
    "steps": [
        {"stepSlug": "call", "stepType": "action", "config": {"type": "http", "parameters": {"url": "{{ input.url }}"}}}
    ],
}
ORCHESTRATION = {
    "name": "orchestration",
    "version": "1.0.0",
    "steps": [{"stepId": "call", "type": "TASK", "taskId": "webhook", "input": {"url": "${workflow.input.url}"}}],
}


async def by_a_notifier(urls: Sequence[str]) -> list[Came]:
    async with Engine() as engine:

        async def told(number_and_url: tuple[int, str]) -> Came:
            number, url = number_and_url
            organization = f"o{number}"
            try:
                await engine.notifiers.add("hook", "webhook", url=url, organization=organization)
            except (Conflict, Refused) as error:
                return _at_once(error)
            await ask_somebody(engine, organization=organization)
            while True:
                found = (await engine.executions.list(workflow=NOTICES, organization=organization)).items
                if found and found[0].ended_at is not None:
                    return Came("", is_failure=False) if found[0].error is None else _of(found[0].error)
                if found and found[0].wake_at is not None and found[0].seq > 0:
                    return Came("it is tried again later", retriable=True)
                await asyncio.sleep(0.005)

        return await _all(told, list(enumerate(urls)))


async def by_a_connection(urls: Sequence[str]) -> list[Came]:
    async with Engine() as engine:

        async def told(number_and_url: tuple[int, str]) -> Came:
            number, url = number_and_url
            organization = f"o{number}"
            try:
                await engine.connections.add("api", url, organization=organization)
            except (Conflict, Refused) as error:
                return _at_once(error)
            return await _started(engine, calling("api/do"), {}, organization=organization)

        return await _all(told, list(enumerate(urls)))


async def by_a_connection_of_the_operator(urls: Sequence[str]) -> list[Came]:
    """The address is the operator's; it goes through the same door all the same."""
    given: dict[str, Any] = {}
    at_once: dict[str, Came] = {}
    for number, url in enumerate(urls):
        try:
            Engine(connections={f"c{number}": {"url": url}})
        except Exception as error:  # noqa: BLE001 -- whatever it is, it is shown
            at_once[url] = _at_once(error)
        else:
            given[f"c{number}"] = {"url": url}
    async with Engine(connections=given) as engine:

        async def told(number_and_url: tuple[int, str]) -> Came:
            number, url = number_and_url
            if url in at_once:
                return at_once[url]
            return await _started(engine, calling(f"c{number}/do", name=f"w{number}"), {})

        return await _all(told, list(enumerate(urls)))


async def by_a_provider_of_sign_ins(urls: Sequence[str]) -> list[Came]:
    """The issuer is the operator's; it goes through the same door all the same."""
    allowed = allowed_addresses(os.environ.get(ALLOW, ""))
    door = Door(allowed, LIMITS)  # one for all, which reads the certificates of the system once

    async def told(url: str) -> Came:
        settings = OidcSettings(url, "perdure", "secret", "https://flows.example.com/back", allowed=allowed)
        try:
            return Came(await Provider(settings, door=door).away(Flows("secret").begin("/", 0)), is_failure=False)
        except ProviderFailed as error:
            category = getattr(error.__cause__, "category", None)
            return Came(str(error), category=None if category is None else str(category))

    return await _all(told, urls)


CLIENTS: dict[str, Client] = {
    "the task http": by_document(one(Step("call", Task("http", x("input"))), "http")),
    "the task webhook": by_document(one(Step("call", Task("webhook", x("input"))), "webhook")),
    "graph": by_document(GRAPH),
    "ports": by_document(PORTS),
    "orchestration": by_document(ORCHESTRATION),
    "phases": by_document(phases("local", "http", {"url": "@input.url"})),
    "a notifier": by_a_notifier,
    "a connection": by_a_connection,
    "a connection of the operator": by_a_connection_of_the_operator,
    "a provider of sign-ins": by_a_provider_of_sign_ins,
}


async def _started(engine: Engine, what: Any, given: Any, **more: Any) -> Came:
    execution = await engine.executions.start(what, given, **more)
    try:
        return Came(str(await execution.result()), is_failure=False)
    except ExecutionFailed as error:
        return _of(error.failure or Failure(str(error)))


async def _all(call: Callable[[Any], Awaitable[Came]], given: Sequence[Any]) -> list[Came]:
    return list(await asyncio.wait_for(asyncio.gather(*(call(each) for each in given)), SOON))


def _of(failure: Failure) -> Came:
    return Came(failure.message, failure.code, failure.category, failure.retriable)


def _at_once(error: Exception) -> Came:
    return Came(str(error), type(error).__name__, at_once=True)
