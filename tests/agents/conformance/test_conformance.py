"""Every scenario of the suite for servers is run, or stands here with the reason why it says nothing about ours."""

from __future__ import annotations

import asyncio
import json
import os
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from agents.conformance.fixtures import save_fixtures
from agents.there import run, there
from connections.servers import NODE
from npm import from_lock

HERE = Path(__file__).parent
NO_RESOURCES = "Perdure offers tools alone, no resources, and says so"
NO_PROMPTS = "Perdure offers tools alone, no prompts, and says so"
NO_COMPLETION = "there are no prompts and resources whose arguments could be completed"
JSON_ONLY = "what a workflow puts out is JSON: it answers with text and an object, never with other content"
ASKS_NOBODY = "no tool asks anything of the client: people are asked by approvals, which outlast a connection"
NO_LOG = "nothing is logged to clients: it was taken out of the protocol, and an execution has a history"
NO_SESSIONS = "no session is kept, so that any server can be asked: there is nothing to resume or to end"
NO_TASKS = "an extension that we do not offer: an execution outlasts its call, and perdure_show_execution asks for it"
NO_SKILLS = "an extension that we do not offer"

RUN: dict[str, tuple[str, ...]] = {
    "2025-11-25": (
        *("server-initialize", "ping", "tools-list", "tools-call-simple-text", "tools-call-error"),
        *("tools-call-with-progress", "json-schema-2020-12", "dns-rebinding-protection"),
    ),
    "2026-07-28": (
        *("server-stateless", "tools-list", "tools-call-simple-text", "tools-call-error", "tools-call-with-progress"),
        *("json-schema-2020-12", "server-sse-multiple-streams", "dns-rebinding-protection", "caching"),
        *("http-header-validation", "http-custom-header-server-validation"),
    ),
}
"""`server-sse-multiple-streams` needs a session before 2026-07-28."""

NOT_FOR_US = {
    "server-session-lifecycle": NO_SESSIONS,
    "server-sse-polling": NO_SESSIONS,
    "logging-set-level": NO_LOG,
    "tools-call-with-logging": NO_LOG,
    "completion-complete": NO_COMPLETION,
    "tools-call-image": JSON_ONLY,
    "tools-call-audio": JSON_ONLY,
    "tools-call-embedded-resource": JSON_ONLY,
    "tools-call-mixed-content": JSON_ONLY,
    "tools-call-sampling": ASKS_NOBODY,
    "tools-call-elicitation": ASKS_NOBODY,
    "elicitation-sep1034-defaults": ASKS_NOBODY,
    "elicitation-sep1330-enums": ASKS_NOBODY,
    "resources-list": NO_RESOURCES,
    "resources-read-text": NO_RESOURCES,
    "resources-read-binary": NO_RESOURCES,
    "resources-templates-read": NO_RESOURCES,
    "resources-subscribe": NO_RESOURCES,
    "resources-unsubscribe": NO_RESOURCES,
    "sep-2164-resource-not-found": NO_RESOURCES,
    "prompts-list": NO_PROMPTS,
    "prompts-get-simple": NO_PROMPTS,
    "prompts-get-with-args": NO_PROMPTS,
    "prompts-get-embedded-resource": NO_PROMPTS,
    "prompts-get-with-image": NO_PROMPTS,
    "sep-2640-skills-directory": NO_SKILLS,
    "sep-2640-skills-enumeration": NO_SKILLS,
    "sep-2640-skills-manifest": NO_SKILLS,
    "tasks-lifecycle": NO_TASKS,
    "tasks-capability-negotiation": NO_TASKS,
    "tasks-wire-fields": NO_TASKS,
    "tasks-request-state-removal": NO_TASKS,
    "tasks-mrtr-input": NO_TASKS,
    "tasks-request-headers": NO_TASKS,
    "tasks-dispatch-and-envelope": NO_TASKS,
    "tasks-status-notifications": NO_TASKS,
    "tasks-required-task-error": NO_TASKS,
    "tasks-mrtr-composition": NO_TASKS,
    "input-required-result-basic-elicitation": ASKS_NOBODY,
    "input-required-result-basic-sampling": ASKS_NOBODY,
    "input-required-result-basic-list-roots": ASKS_NOBODY,
    "input-required-result-request-state": ASKS_NOBODY,
    "input-required-result-multiple-input-requests": ASKS_NOBODY,
    "input-required-result-multi-round": ASKS_NOBODY,
    "input-required-result-missing-input-response": ASKS_NOBODY,
    "input-required-result-non-tool-request": ASKS_NOBODY,
    "input-required-result-result-type": ASKS_NOBODY,
    "input-required-result-unsupported-methods": ASKS_NOBODY,
    "input-required-result-tampered-state": ASKS_NOBODY,
    "input-required-result-capability-check": ASKS_NOBODY,
    "input-required-result-ignore-extra-params": ASKS_NOBODY,
    "input-required-result-validate-input": ASKS_NOBODY,
}
CHECKS_NOT_FOR_US: dict[tuple[str, str], str] = {
    ("server-stateless", "sep-2575-server-rejects-undeclared-capability"): ASKS_NOBODY,
    ("server-stateless", "sep-2575-missing-capability-http-400"): ASKS_NOBODY,
    ("caching", "sep-2549-prompts-list-caching-hints"): NO_PROMPTS,
    ("caching", "sep-2549-resources-list-caching-hints"): NO_RESOURCES,
    ("caching", "sep-2549-resources-templates-list-caching-hints"): NO_RESOURCES,
}
"""Single checks of scenarios that are run."""


@cache
def program() -> Path:
    found = from_lock("mcp-conformance", HERE)
    return found / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"


async def suite(*arguments: str) -> str:
    process = await asyncio.create_subprocess_exec(
        str(NODE),
        str(program()),
        *arguments,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        env={"PATH": os.environ["PATH"], "NO_COLOR": "1"},
    )
    said, _ = await process.communicate()
    return said.decode()


def test_no_scenario_for_servers_is_forgotten() -> None:
    async def scenario() -> None:
        listed = (await suite("list")).partition("Client scenarios")[0]
        there_are = {line.split()[1] for line in listed.splitlines() if line.startswith("  - ")}
        ran = {name for names in RUN.values() for name in names}
        assert there_are == ran | set(NOT_FOR_US)
        assert not ran & set(NOT_FOR_US)

    program()
    run(scenario())


@pytest.mark.parametrize("version", RUN)
def test_what_concerns_us_holds(version: str, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with there(needs_key=False) as house:
            await save_fixtures(house.engine)
            said = await suite(
                *("server", "--url", f"{house.url}/mcp", "--suite", "all"),
                *("--spec-version", version, "-o", str(tmp_path)),
            )
            found = results(tmp_path)
            assert set(RUN[version]) <= set(found), said
            failed = {
                (name, check["id"]): check.get("errorMessage")
                for name in RUN[version]
                for check in found[name]
                if check["status"] == "FAILURE"
            }
            wanted = {each for each in CHECKS_NOT_FOR_US if each[0] in RUN[version]}
            assert failed.keys() == wanted, json.dumps([*map(str, failed.items())], indent=1)
            for name in RUN[version]:
                assert any(check["status"] == "SUCCESS" for check in found[name]), name

    program()
    run(scenario(), 300)


def results(folder: Path) -> Mapping[str, list[dict[str, Any]]]:
    """The checks of each scenario."""

    def each() -> Iterator[tuple[str, list[dict[str, Any]]]]:
        for file in folder.glob("server-*/checks.json"):
            name = re.sub(r"-\d{4}-\d\d-\d\dT.*", "", file.parent.name.removeprefix("server-"))
            yield name, json.loads(file.read_text())

    return dict(each())
