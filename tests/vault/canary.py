"""A program that uses secrets in every way, and is killed: `python -m vault.canary FOLDER DATABASE_URL`. Servers are in its environment."""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import os
import sys
import time
from pathlib import Path
from typing import Any

import msgspec

from perdure import Engine, Result
from perdure.model.steps import Retry, Step, Task
from perdure.model.values import Json
from perdure.model.workflow import Entry, Workflow
from perdure.service.errors import ExecutionFailed
from perdure.tasks import NodeParams, NonRetryable, Retryable, TaskContext
from perdure.testing.words import k, obj, x
from vault.echoing import HANGS

OUTCOMES = ("ok", "fail", "timeout", "crash", "retry")
TIMEOUT_MS = 3_000
HTTP = os.environ.get("CANARY_HTTP", "")

SECRET = "{{ secrets.S }}"
BY_HTTP: dict[str, dict[str, Json]] = {
    "http-header": {"headers": {"X-Key": SECRET, "X-Also": f"key={SECRET};"}},
    "http-bearer": {"headers": {"Authorization": f"Bearer {SECRET}"}},
    "http-path": {"endpoint": f"/{SECRET}/more"},
    "http-url": {"endpoint": f"?key={SECRET}"},
    "http-query": {"query": {"key": SECRET, "list": [SECRET, "x"]}},
    "http-json": {"method": "POST", "json": {"deep": [{"key": SECRET}], "text": f"a {SECRET} b"}},
    "http-body": {"method": "PUT", "body": f"key={SECRET}&x=1"},
}
BY_TASK = ("task-nested", "task-concatenated", "task-thread", "task-port", "task-parts", "task-publish", "task-log")
BY_NODE = ("node-data", "node-parts")
BY_MAIL = {"mail-text": "text", "mail-subject": "subject"}
BY_LOG = {"log-message": "message", "log-data": "data"}
SEALED = "sealed-variable"
KINDS = (*BY_HTTP, *BY_TASK, *BY_NODE, *BY_MAIL, *BY_LOG, SEALED)


def document(kind: str, outcome: str) -> Json | Workflow:
    """A workflow that uses its secret `S` so."""
    if kind in BY_HTTP:
        more = BY_HTTP[kind]
        data = {
            "variableName": "answer",
            "failOnError": True,
            **more,
            "endpoint": f"{HTTP}/{outcome}/{kind}{more.get('endpoint', '')}",
        }
        return _graph("HTTP_REQUEST", data, outcome)
    if kind in BY_NODE:
        return _graph(kind.upper(), {"mode": outcome, "auth": f"Basic {SECRET}", "deep": [{"key": SECRET}]}, outcome)
    if kind == SEALED:
        return _ports(kind, outcome)
    mail = {"to": k(f"{outcome}+{kind}@example.com"), "subject": k("hello"), "text": k("hello")}
    used = x("'<' + secrets.S + '>'")
    if kind in BY_MAIL:
        return _flow("email", outcome, obj(**{**mail, BY_MAIL[kind]: used}))
    if kind in BY_LOG:
        return _flow("log", outcome, obj(**{"message": k("logged"), "level": k("error"), BY_LOG[kind]: used}))
    given = obj(mode=k(outcome), kind=k(kind), key=x("secrets.S"), deep=obj(text=used, list=x("[1]")))
    return _flow(kind if kind in ("task-thread", "task-parts") else "any", outcome, given)


def _graph(type_: str, data: Json, outcome: str) -> Json:
    more: dict[str, Json] = {"retry": {"maxAttempts": 4 if outcome == "retry" else 1, "delay": 1}}
    if outcome == "timeout":
        more["timeout"] = TIMEOUT_MS
    nodes = [{"id": "t", "type": "MANUAL_TRIGGER"}, {"id": "n", "type": type_, "data": data, **more}]
    return {"name": type_, "nodes": nodes, "connections": [{"fromNodeId": "t", "toNodeId": "n"}]}


def _ports(kind: str, outcome: str) -> Json:
    """A workflow that makes its secret of the two halves of it that it is given, and seals it."""
    entry = {"name": "S", "value": "{{ input.halves[0] }}{{ input.halves[1] }}", "secure": True}
    used = {"mode": outcome, "kind": kind, "key": SECRET, "deep": {"text": f"<{SECRET}>"}}
    more: dict[str, Json] = {"retryPolicy": {"maxAttempts": 4 if outcome == "retry" else 1, "backoffMs": 1}}
    if outcome == "timeout":
        more["timeout"] = TIMEOUT_MS
    keep = {"type": "set_variables", "parameters": {"variables": [entry]}}
    return {
        "name": kind,
        "steps": [
            {"stepSlug": "keep", "stepType": "action", "config": keep, "nextSteps": {"success": "use"}},
            {"stepSlug": "use", "stepType": "action", "config": {"type": "any", "parameters": used, **more}},
        ],
    }


def _flow(task: str, outcome: str, given: Any) -> Workflow:
    retry = Retry(4 if outcome == "retry" else 1, delay_ms=1)
    work = Task(task, given, retry, timeout_ms=TIMEOUT_MS if outcome == "timeout" else None)
    return Workflow(f"{task}", (Step("s", work),), (Entry("s"),))


class Behaviour:
    """What tasks and nodes of this program do: say what they were given to whoever listens, and then what is asked for."""

    def __init__(self, folder: Path) -> None:
        self._seen = folder / "seen"

    def see(self, name: str, attempt: int, secret: str) -> None:
        """Others learn that it was there, and not what it is."""
        with self._seen.open("a") as seen:
            seen.write(f"{name} {attempt} {hashlib.sha256(secret.encode()).hexdigest()}\n")

    async def any(self, given: Any, ctx: TaskContext) -> Any:
        name = f"{given['mode']}/{given['kind']}"
        self.see(name, ctx.attempt, given["key"])
        ctx.logger.info("working with %s", given)
        logging.getLogger("somebody.else").debug("also %(key)s", given, extra={"whole": given})
        if given["kind"] == "task-publish":
            await ctx.publish({"said": given}, channel=given["key"])
        await self.wait(given["mode"], ctx.attempt)
        self.fail(given["mode"], ctx.attempt, given["key"])
        return Result({given["key"]: [given]}, port=f"port {given['key']}", meta={"cost": [given["deep"]["text"]]})

    def thread(self, given: Any, ctx: TaskContext) -> Any:
        name = f"{given['mode']}/{given['kind']}"
        self.see(name, ctx.attempt, given["key"])
        logging.warning("a thread has %r", given)  # noqa: LOG015
        while given["mode"] == "timeout" or (given["mode"] == "crash" and ctx.attempt <= HANGS):
            ctx.heartbeat()
            time.sleep(0.01)
        self.fail(given["mode"], ctx.attempt, given["key"])
        return given

    async def parts(self, given: Any, ctx: TaskContext) -> Any:
        await ctx.run(f"part {given['key']}", lambda: {"part": given})
        return await self.any(given, ctx)

    async def node(self, params: NodeParams) -> dict[str, Any]:
        data, kind = params.data, params.call
        name = f"{data['mode']}/node"
        self.see(name, params.attempt, data["deep"][0]["key"])
        if params.node_id == "n":
            await params.step.run("fetch", lambda: data["auth"])
        params.publish(data)
        params.logger.error("node %s", data, extra={"call": kind.step, "data": data})
        await self.wait(data["mode"], params.attempt)
        self.fail(data["mode"], params.attempt, data["auth"])
        return {**params.context, "echo": data, data["auth"]: 1}

    async def wait(self, mode: str, attempt: int) -> None:
        if mode == "timeout" or (mode == "crash" and attempt <= HANGS):
            await asyncio.sleep(3_600)

    def fail(self, mode: str, attempt: int, secret: str) -> None:
        if mode == "fail":
            try:
                int(secret)
            except ValueError as error:
                raise NonRetryable(f"no: {'-' * 1_980}{secret}", code=f"E {secret}", details=[secret]) from error
        if mode == "retry" and attempt == 1:
            raise Retryable(f"later {secret!r}", details={secret: secret})


def prepared(folder: Path, url: str) -> Engine:
    engine, behaviour = Engine(url, crashes_max=1_000), Behaviour(folder)
    engine.task("any")(behaviour.any)
    engine.task("task-thread")(behaviour.thread)
    engine.task("task-parts")(behaviour.parts)
    for kind in BY_NODE:
        engine.node(kind.upper())(behaviour.node)
    engine.on_published.append(lambda told: print("published", told, flush=True))
    return engine


async def main(folder: Path, url: str) -> None:
    secrets: dict[str, str] = json.loads(sys.stdin.read())
    engine = prepared(folder, url)
    async with engine:
        running = []
        for name, value in secrets.items():
            kind, outcome, _ = name.split("/")
            given: Json = {"halves": [value[:-12], value[-12:]]} if kind == SEALED else {}
            await engine.secrets.set("S", "another one" if kind == SEALED else value, organization=name)
            workflow: Any = document(kind, outcome)
            saved = await engine.workflows.save(workflow, name)
            running.append(await engine.executions.start(saved.id, given, organization=name, idempotency_key=name))
        ended = await asyncio.gather(*(execution.result() for execution in running), return_exceptions=True)
        for name, execution, result in zip(secrets, running, ended, strict=True):
            described = await execution.describe()
            told = [name, execution.id, described.status, repr(result), msgspec.to_builtins(described)]
            print(json.dumps(told, default=str), flush=True)
            if isinstance(result, BaseException) and not isinstance(result, ExecutionFailed):
                raise result


if __name__ == "__main__":

    class Everything(logging.Formatter):
        def format(self, record: logging.LogRecord) -> str:
            return f"{super().format(record)} {vars(record)!r}"

    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(Everything())
    logging.basicConfig(level=logging.DEBUG, handlers=[handler])
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2]))
