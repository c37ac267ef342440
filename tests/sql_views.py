"""What others read with SQL: the rows of a view, with what is JSON in them as values."""

from __future__ import annotations

import json
from typing import Any

import psycopg
from psycopg.rows import dict_row

from perdure.store.sqlite.database import connect_reading

VALUES = (
    *("config", "metadata", "nextSteps", "inputMapping", "outputMapping", "variables", "workflowConfig", "stepsConfig"),
    *("input", "output", "triggerData"),
)
"""Columns with JSON in them."""

INSTANCE = (
    *("state", "input", "output", "error", "cancellation", "compensation_state", "steps", "input_schema", "triggers"),
    *("cancellation_triggers", "compensation_steps"),
)
"""The same, of the views of the dialect orchestration."""


def rows(url: str, view: str, values: tuple[str, ...] = VALUES) -> list[dict[str, Any]]:
    return _asked(url, f'SELECT * FROM "{view}"', values)


def row(url: str, execution_id: str) -> dict[str, Any]:
    """The one of an execution, of the dialect ports."""
    quoted = execution_id.replace("'", "''")
    (found,) = _asked(url, f"SELECT * FROM \"wfExecutions\" WHERE id = '{quoted}'", VALUES)
    return found


def _asked(url: str, asked: str, values: tuple[str, ...]) -> list[dict[str, Any]]:
    if not url.startswith("sqlite:///"):
        with psycopg.connect(url, row_factory=dict_row) as asking:
            return asking.execute(asked).fetchall()
    connection = connect_reading(url.removeprefix("sqlite:///"))
    try:
        found = connection.execute(asked)
        return [
            {
                name: _value(name in values, value)
                for (name, _), value in zip(found.get_description(), each, strict=True)
            }
            for each in found
        ]
    finally:
        connection.close()


def _value(is_json: bool, value: Any) -> Any:
    return json.loads(value) if is_json and value is not None else value
