"""The canonical JSON form of a workflow, and its digest.

Fields stand in the order of their definition, defaults are left out, keys inside constants keep the author's order:
the same workflow is the same bytes. A stored model is decoded, never lowered again.
"""

from __future__ import annotations

from hashlib import sha256

import msgspec
from msgspec.structs import replace

from perdure.errors import InvalidWorkflow
from perdure.model.problem import Problem
from perdure.model.steps import Task
from perdure.model.values import Json
from perdure.model.workflow import FORMAT, FORMAT_MAX, SECRET_INPUT_FORMAT, Workflow

_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(Workflow)


class _Head(msgspec.Struct):
    name: str = "?"
    format: int = FORMAT


class _Given(msgspec.Struct):
    input_schema: Json = None


_head_decoder = msgspec.json.Decoder(_Head)
_given_decoder = msgspec.json.Decoder(_Given)


def encode(workflow: Workflow) -> bytes:
    """Return the stored form. A workflow with a `secret_input` gets a format that older programs refuse."""
    if workflow.format < SECRET_INPUT_FORMAT and any(
        isinstance(step.work, Task) and step.work.secret_input for step in workflow.steps
    ):
        workflow = replace(workflow, format=SECRET_INPUT_FORMAT)
    return _encoder.encode(workflow)


def digest(workflow: Workflow) -> str:
    """Names the model: equal digests, equal behaviour."""
    return sha256(encode(workflow)).hexdigest()


def decode(data: bytes | str) -> Workflow:
    """Read a stored model. One that is damaged, or newer than this program, is refused by name."""
    try:
        head = _head_decoder.decode(data)
        if not FORMAT <= head.format <= FORMAT_MAX:
            raise InvalidWorkflow(head.name, (_unknown_format(head.format),))
        return _decoder.decode(data)
    except msgspec.DecodeError as error:
        raise InvalidWorkflow(_name(data), (_misfit(error),)) from error


def input_schema(data: bytes | str) -> Json:
    """What a stored model says of inputs, without the rest of it. Of one that is damaged, nothing: whoever runs it says so."""
    try:
        return _given_decoder.decode(data).input_schema
    except msgspec.DecodeError:
        return None


def misfits(workflow: Workflow) -> tuple[Problem, ...]:
    """What in it has another type than the model says: Python builds such values without a word."""
    try:
        _decoder.decode(_encoder.encode(workflow))  # steps may be anything, which `encode` does not expect
    except msgspec.ValidationError as error:
        return (_misfit(error),)
    except TypeError as error:
        return (Problem("invalid_model", f"it holds something that is not JSON: {error}"),)
    return ()


def _name(data: bytes | str) -> str:
    try:
        return _head_decoder.decode(data).name
    except msgspec.DecodeError:
        return "?"


def _misfit(error: msgspec.DecodeError) -> Problem:
    """msgspec says "… - at `$.steps[0].routes[0].to`"; our paths are JSON pointers."""
    what, _, where = str(error).partition(" - at `$")
    path = where.rstrip("`").replace("[", "/").replace("]", "").replace(".", "/")
    return Problem("invalid_model", f"not what a workflow has here: {what}", path=path)


def _unknown_format(found: int) -> Problem:
    message = f"the model has format {found}, this version of Perdure reads {FORMAT} to {FORMAT_MAX}; upgrade Perdure"
    return Problem("unknown_format", message, path="/format")
