"""Who sees which frames of a stack trace: viewers those of the user's own code, without paths; admins all of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agents.there import There, run, there
from perdure.service.stack_traces import own_frames

HERE = Path(__file__)
GRAPH: dict[str, Any] = {
    "name": "flow",
    "nodes": [{"id": "start", "type": "MANUAL_TRIGGER"}, {"id": "pay", "type": "charge", "retry": {"maxAttempts": 1}}],
    "connections": [{"fromNodeId": "start", "toNodeId": "pay"}],
}
ORCHESTRATION: dict[str, Any] = {
    "name": "flow",
    "version": "1.0.0",
    "steps": [{"stepId": "pay", "type": "TASK", "taskId": "charge", "retryPolicy": {"maxAttempts": 1}}],
}
PORTS: dict[str, Any] = {
    "name": "flow",
    "steps": [{"stepSlug": "pay", "stepType": "action", "config": {"type": "charge"}}],
}
PYTHON = """\
  File "/opt/app/src/perdure/hosts/performing.py", line 91, in perform
    await call()
  File "/usr/lib/python3.11/json/decoder.py", line 3, in decode
    raise error
  File "/srv/shop/tasks.py", line 7, in charge
    return json.loads("{")
           ^^^^^^^^^^^^^^^
  [Previous line repeated 3 more times]
  File "/venv/lib/python3.12/site-packages/httpx/_client.py", line 3, in get
    pass
  File "<frozen importlib._bootstrap>", line 3, in load
  File "C:\\\\shop\\\\more.py", line 9, in more
    x()
"""


def test_of_a_trace_only_user_code_is_left_without_its_folder() -> None:
    found = own_frames(PYTHON)
    assert found is not None
    own = found.partition('  File "tasks.py"')
    assert own[1]
    assert "/srv" not in found
    assert "site-packages" not in found
    assert "json/decoder.py" not in found
    assert "frozen" not in found
    assert "[Previous line repeated 3 more times]" in found
    assert 'File "more.py", line 9, in more' in found
    assert own_frames('  File "/usr/lib/python3.11/json/decoder.py", line 3, in decode\n    x\n') is None
    assert own_frames("at f (<input>:3:5)") == "at f (<input>:3:5)"
    import perdure  # noqa: PLC0415

    assert own_frames(f'  File "{Path(perdure.__file__).parent}/hosts/x.py", line 3, in f\n') is None


async def texts(server: There, token: str | None, execution: str) -> dict[str, str]:
    """Every answer that tells of the failure."""
    found: dict[str, str] = {}
    paths = ("", "?view=own", "/history", "/steps", "/steps/pay", "/why", "/triggers")
    async with server.http(token) as client:
        for path in paths:
            response = await client.get(f"/api/executions/{execution}{path}")
            assert response.status_code == 200, (path, response.text)
            found[path] = response.text
        found["list"] = (await client.get("/api/executions")).text
        found["stream"] = ""
        async with client.stream("GET", "/api/stream?after=0") as stream:
            async for part in stream.aiter_text():
                found["stream"] += part
                if "execution.failed" in found["stream"]:
                    break
    async with server.agent(token) as agent:
        for tool in ("perdure_show_execution", "perdure_why", "perdure_list_executions"):
            given = {} if tool.endswith("executions") else {"execution": execution}
            result = await agent.call_tool(tool, given)
            assert not result.is_error, result
            found[tool] = json.dumps(result.structured_content) + str(result.content)
    return found


@pytest.mark.parametrize("document", [GRAPH, ORCHESTRATION, PORTS], ids=["graph", "orchestration", "ports"])
def test_viewers_see_the_frames_of_user_code_and_admins_all_of_them(document: dict[str, Any]) -> None:
    async def scenario() -> None:
        async with there() as server:
            declare = server.engine.node if document is GRAPH else server.engine.task

            @declare("charge")
            async def charge(given: Any) -> Any:
                return json.loads("{")

            await server.engine.workflows.save(document)
            execution = await server.engine.executions.start("flow")
            await execution.ended()
            full = (await execution.describe()).error
            assert full is not None
            assert full.stack is not None
            assert str(HERE) in full.stack, "the engine of a program has all of it"
            seen = 0
            for role in ("viewer", "operator", "editor", "approver"):
                for what, text in (await texts(server, await server.key(role, role), execution.id)).items():
                    assert str(HERE.parent) not in text, (role, what)
                    assert "json/decoder.py" not in text, (role, what)
                    assert "/perdure/" not in text, (role, what)
                    seen += HERE.name in text
            assert seen >= 4 * 3, "their own frames are there"
            admin = await texts(server, await server.key("ada", "admin"), execution.id)
            for what in ("", "?view=own", "/history", "/steps/pay", "perdure_show_execution"):
                if document is PORTS and what == "?view=own":
                    continue  # its own view has no trace
                assert str(HERE) in admin[what], what
                assert "json/decoder.py" in admin[what], what

    run(scenario())
