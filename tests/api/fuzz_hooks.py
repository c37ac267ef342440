"""What schemathesis is told of the server that it asks: which things there are, and when a refusal is a fault.

Loaded by schemathesis itself (`SCHEMATHESIS_HOOKS`). `THERE` has ids of things that exist, so that most requests get beyond a 404.
"""

from __future__ import annotations

import json
import os
import random
from typing import Any

import schemathesis

from api.fuzz_places import NOWHERE
from perdure.api.given import WAIT_SECONDS_MAX

THERE: dict[str, str] = json.loads(os.environ["THERE"])
OFTEN = 0.7
WAIT_SECONDS = 0.1
SHALLOW = {"invalid_request", "invalid_json", "unsupported_media_type", "no_such_path", "no_such_method"}
"""What is refused by its form alone. What follows the document must not be: it may be refused for what it means, and that is said
by another code."""


@schemathesis.hook
def filter_case(context: Any, case: Any) -> bool:
    """Whoever asks must not take away from themselves what they ask with."""
    given = case.path_parameters or {}
    return given.get("key") != THERE["own_key"] and given.get("member") != THERE["own_member"]


@schemathesis.hook
def map_path_parameters(context: Any, path_parameters: dict[str, Any] | None) -> dict[str, Any] | None:
    if not path_parameters or random.random() > OFTEN:
        return path_parameters
    return {name: THERE.get(name, value) for name, value in path_parameters.items()}


@schemathesis.hook
def map_query(context: Any, query: dict[str, Any] | None) -> dict[str, Any] | None:
    """Nobody waits for an execution for as long as they may: it would be waited for here."""
    wait = (query or {}).get("wait")
    if (
        query is None
        or isinstance(wait, bool)
        or not isinstance(wait, int | float)
        or not 0 <= wait <= WAIT_SECONDS_MAX
    ):
        return query
    return {**query, "wait": min(wait, WAIT_SECONDS)}


@schemathesis.hook
def map_body(context: Any, body: Any) -> Any:
    """Names of examples are known to nobody, and to connect to them again and again takes longer each time."""
    is_named = isinstance(body, dict) and isinstance(body.get("url"), str) and "example.com" in body["url"]
    return {**body, "url": NOWHERE} if is_named else body


@schemathesis.check
def what_follows_the_document_has_the_right_form(ctx: Any, response: Any, case: Any) -> None:
    meta = case.meta
    if meta is None or not meta.generation.mode.is_positive or response.status_code < 400:
        return
    code = response.json().get("code")
    assert code not in SHALLOW, (
        f"{case.method} {case.path} follows the document, and is refused by its form: {response.text}"
    )


@schemathesis.check
def every_refusal_is_a_problem(ctx: Any, response: Any, case: Any) -> None:
    if response.status_code < 400:
        return
    kind = response.headers["content-type"][0]
    assert kind == "application/problem+json", kind
    told = response.json()
    assert told["status"] == response.status_code
    assert told["detail"]
    assert "Traceback" not in response.text
