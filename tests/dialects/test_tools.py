"""Tools of connections in documents, and what is told of those that nobody has."""

from __future__ import annotations

from perdure.dialects import registry
from perdure.model.catalog import Catalog, TaskSchema


def test_a_tool_that_a_model_may_call_and_nobody_has_is_told_as_one_of_its_connection() -> None:
    catalog = Catalog((TaskSchema("search", "py", {}, {}), TaskSchema("fetch", "py", {}, {})))
    tools = [{"connectionId": "py", "name": "zzz"}, {"connectionId": "py", "name": "serch"}, {"name": "mine"}]
    config = {"userPrompt": "Hello", "tools": tools}
    steps = [{"stepSlug": "ask", "name": "ask", "stepType": "llm", "order": 1, "config": config, "nextSteps": {}}]
    warnings = registry.compile({"name": "one", "steps": steps}, catalog).warnings
    assert [each.message for each in warnings if each.type == "unknown_task"] == [
        "nobody has the tool 'zzz' of the connection 'py'; it has fetch, search",
        "nobody has the tool 'serch' of the connection 'py'; did you mean 'search'?",
        "nobody has registered the task 'mine', which the model may call",
    ]
