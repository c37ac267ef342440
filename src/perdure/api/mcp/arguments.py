"""What our own tools are called with, read as strictly as the bodies of REST."""

from __future__ import annotations

from typing import Any, TypeVar

from pydantic import ValidationError

from perdure.api.given import Body
from perdure.api.problems import Wrong
from perdure.model.problem import Problem

Given = TypeVar("Given", bound=Body)


def arguments(type_: type[Given], given: dict[str, Any]) -> Given:
    """Raises `Wrong`, with all that does not fit."""
    try:
        return type_.model_validate(given)
    except ValidationError as error:
        problems = [_problem(each) for each in error.errors(include_url=False)]
        raise Wrong(422, "invalid_arguments", "the arguments do not fit", problems=problems) from error


def _problem(each: Any) -> Problem:
    path = "".join(f"/{part}" for part in each["loc"])
    message = str(each["msg"]).removeprefix("Value error, ")
    return Problem(
        "invalid_arguments", message[:1].lower() + message[1:], path, field=str(each["loc"][-1]) if each["loc"] else ""
    )
