"""What the operator names may be called wherever it is; and that it may is no way to anywhere else. Proxies are never asked."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from llm.model import Asked, Call, Model, Replies, Says, model
from llm.words import asking, ports
from outbound.canary import PUBLIC, Canary, Watch
from outbound.clients import CLIENTS
from outbound.spellings import harmless, spelled
from perdure.hosts.restate.ingress import Ingress
from perdure.model.steps import Step, Task
from perdure.service.engine import Engine
from perdure.service.errors import ExecutionFailed, Refused
from perdure.tasks.answering import CALLS_MAX
from perdure.testing.words import x
from service.words import one
from tasks.servers import Reply, http_server, smtp_server

PROXIES = [name for each in ("http_proxy", "https_proxy", "all_proxy") for name in (each, each.upper())]


def ran(document: Any, given: Any = None) -> Any:
    """Its result, or its failure."""

    async def scenario() -> Any:
        async with Engine() as engine:
            try:
                return await (await engine.executions.start(document, given)).result()
            except ExecutionFailed as error:
                return error.failure

    return asyncio.run(asyncio.wait_for(scenario(), 60))


def asked_of(url: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    for name, value in {"API_KEY": "sk-1234567890", "MODEL": "m", "BASE_URL": url}.items():
        monkeypatch.setenv(f"OPENAI_{name}", value)
    return ran(ports(asking()))


def spoken_by(speaking: Model, watch: Watch, monkeypatch: pytest.MonkeyPatch) -> None:
    watch.expected = {int(speaking.url.rpartition(":")[2].partition("/")[0])}
    for name, value in speaking.environment.items():
        monkeypatch.setenv(name, value)


def test_the_model_of_the_operator_may_be_on_this_machine(
    canary: Canary, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    with model(Says("hello")) as speaking:
        spoken_by(speaking, watch, monkeypatch)
        assert "hello" in str(ran(ports(asking())))
    assert (canary.heard, watch.tried) == ([], [])


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_the_model_leads_nobody_elsewhere(
    canary: Canary, watch: Watch, monkeypatch: pytest.MonkeyPatch, status: int
) -> None:
    with model(Replies(status, {}, {"Location": canary.url()})) as speaking:
        spoken_by(speaking, watch, monkeypatch)
        assert f"answered with {status}" in ran(ports(asking())).message
    assert (canary.heard, watch.tried) == ([], [])


@pytest.mark.parametrize(
    ("url", "addresses"),
    [
        ("http://model.example:{port}/v1", ["169.254.169.254"]),
        ("http://model.example:{port}/v1", ["::ffff:169.254.169.254"]),
        ("http://0x7f000001:{port}/v1", ["127.0.0.1"]),
        ("http://127.1:{port}/v1", ["127.0.0.1"]),
        ("http://user:password@127.0.0.1:{port}/v1", ["127.0.0.1"]),
        ("http://127.0.0.1\\@model.example:{port}/v1", ["127.0.0.1"]),
    ],
)
def test_no_name_of_a_model_is_one_for_the_credentials_of_the_machine_and_no_odd_spelling_is_understood(
    canary: Canary, watch: Watch, monkeypatch: pytest.MonkeyPatch, url: str, addresses: list[str]
) -> None:
    watch.rest = lambda _: addresses
    failure = asked_of(url.format(port=canary.port), monkeypatch)
    assert (failure.category, failure.retriable) == ("SECURITY", False)
    assert (canary.heard, watch.tried) == ([], [])


def test_a_model_that_was_talked_into_it_leads_nobody_inside(
    canary: Canary, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It asks for the tool `http` with every spelling, also of the place where the model itself is, and is told that it may not."""
    watch.rest = lambda _: ["127.0.0.1"]
    urls = [url for url in spelled(canary.port) if url not in harmless(canary.port)]
    chunks = [urls[at : at + CALLS_MAX - 1] for at in range(0, len(urls), CALLS_MAX - 1)]
    remaining = iter(chunks)

    def script(asked: Asked) -> Says:
        if asked.roles[-1] == "user":
            wanted = [*next(remaining), f"http://{asked.headers['host']}/"]
            return Says(calls=[Call("http", {"url": url}, f"c{n}") for n, url in enumerate(wanted)])
        return Says("done")

    told: list[str] = []
    with model(script=script) as speaking:
        spoken_by(speaking, watch, monkeypatch)
        watch.expected = set()
        for _ in chunks:
            ran(ports(asking(tools=["http"])))
            told += speaking.asked[-1].told
    assert len(told) == len(urls) + len(chunks)
    assert not [each for each in told if "status" in each]
    assert not [each for each in told if "at once are the most" in each], "every call was tried"
    assert {each for each in watch.tried if each[1] == canary.port} == set()
    assert len(watch.tried) == len(speaking.asked) == 2 * len(chunks)  # the questions, and nothing else
    assert canary.heard == []


@pytest.mark.parametrize(
    "to", ["ann@[127.0.0.1]", "ann@localhost", "ann@127.0.0.2", "ann%x@inside.example", "a@b@127.0.0.1"]
)
def test_mail_goes_to_the_server_of_the_operator_whatever_the_address_says(
    canary: Canary, watch: Watch, monkeypatch: pytest.MonkeyPatch, to: str
) -> None:
    watch.rest = lambda _: ["127.0.0.1"]
    with smtp_server() as server:
        watch.expected = {server.port}
        monkeypatch.setenv("SMTP_URL", f"smtp://127.0.0.1:{server.port}?from=me@example.com")
        ran(one(Step("mail", Task("email", x("input")))), {"to": to, "subject": "s", "text": canary.url()})
    assert (canary.heard, watch.tried) == ([], [])


@pytest.mark.parametrize("client", CLIENTS)
def test_proxies_of_the_environment_are_not_asked(
    client: str, canary: Canary, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in PROXIES:
        monkeypatch.setenv(name, canary.url())
    monkeypatch.setenv("NO_PROXY", "")
    with http_server(Reply(200, {"content-type": "text/plain"}, b"direct")) as server:
        watch.expected = {server.port}
        monkeypatch.setenv("PERDURE_ALLOW_ADDRESSES", f"127.0.0.1:{server.port}")
        public = [f"{scheme}://{PUBLIC}/" for scheme in ("http", "https")]
        asyncio.run(CLIENTS[client]([server.url(), *public]))
        assert server.received
    assert {each[0] for each in watch.tried} == {PUBLIC}
    assert canary.heard == []


def test_those_of_the_operator_ask_no_proxy_either(
    canary: Canary, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in PROXIES:
        monkeypatch.setenv(name, canary.url())

    async def told(url: str) -> None:
        ingress = Ingress([url])
        await ingress.send("service", "key", "handler", b"{}", "once")
        await ingress.close()

    with model(Says("hello")) as speaking, http_server() as server, smtp_server() as mail:
        spoken_by(speaking, watch, monkeypatch)
        watch.expected |= {server.port, mail.port}
        monkeypatch.setenv("SMTP_URL", f"smtp://127.0.0.1:{mail.port}?from=me@example.com")
        assert "hello" in str(ran(ports(asking())))
        ran(one(Step("mail", Task("email", x("input")))), {"to": "ann@example.com", "subject": "s", "text": "t"})
        asyncio.run(told(server.url("")))
    assert len(mail.messages) == len(server.received) == len(speaking.asked) == 1
    assert (canary.heard, watch.tried) == ([], [])


def test_no_schema_is_fetched(canary: Canary, watch: Watch) -> None:
    """A reference to elsewhere in a schema is refused, or means nothing; it is no reason to call anybody."""
    watch.rest = lambda _: ["127.0.0.1"]

    async def scenario() -> None:
        async with Engine() as engine:
            for key in ("$ref", "$dynamicRef", "$schema", "$id"):
                for url in (canary.url(path="/schema.json"), f"file://{canary.file}"):
                    schema = {"type": "object", "properties": {"a": {key: url}}, key: url}
                    document = {
                        "name": "schema",
                        "version": "1.0.0",
                        "inputSchema": schema,
                        "steps": [{"stepId": "say", "type": "TASK", "taskId": "log", "input": {"message": "x"}}],
                    }
                    try:
                        await (await engine.executions.start(document, {"a": 1})).result()
                    except (Refused, ExecutionFailed):
                        continue

    asyncio.run(asyncio.wait_for(scenario(), 60))
    assert (canary.heard, watch.tried) == ([], [])
