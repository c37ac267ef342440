"""Documents in every shape."""

from __future__ import annotations

from typing import Any

from run.case import Case
from run.expected import TEXT
from run.ports.words import echo, flow, numbered, trigger

STEPS = numbered(trigger("a"), echo("a", v="{{x ?? input}}", w="{{limit}}"))
TEMPLATE = {"name": "Shaped", "config": {"variables": {"limit": 7}}}
INLINE = {"workflowConfig": TEMPLATE, "stepsConfig": STEPS}


def _shaped(name: str, document: Any, given: Any = None, **view: Any) -> Case:
    return Case(f"document: {name}", document, {"x": 1} if given is None else given, output={"v": 1, "w": 7}, view=view)


DOCUMENTS: tuple[Case, ...] = (
    _shaped("stored", {**TEMPLATE, "steps": STEPS}),
    _shaped(
        "stored, with all that the tables hold",
        {
            "organizationId": "org_1",
            "name": "Shaped",
            "description": "all of it",
            "version": "v1",
            "status": "active",
            "config": TEMPLATE["config"],
            "metadata": {"owner": "ann"},
            "steps": [
                {
                    **one,
                    "organizationId": "org_1",
                    "wfDefinitionId": "def_1",
                    "description": "one",
                    "metadata": {"ui": {"x": 1}},
                }
                for one in STEPS
            ],
        },
    ),
    _shaped("workflow and steps", {"workflow": TEMPLATE, "steps": STEPS}),
    _shaped("template and steps", {"template": TEMPLATE, "steps": STEPS}),
    _shaped("template and steps, one after the other", [TEMPLATE, STEPS]),
    _shaped("called by its dialect", {"dialect": "ports", **TEMPLATE, "steps": STEPS}),
    _shaped("a draft", {**TEMPLATE, "status": "draft", "steps": STEPS}),
    _shaped("inline", INLINE, wfDefinitionId=None),
    Case(
        "document: inline, with all that the body may bring",
        {
            "organizationId": "default",
            **INLINE,
            "input": {"x": 1},
            "triggeredBy": "webhook",
            "triggerData": {"path": "/in"},
        },
        output={"v": 1, "w": 7},
        view={
            "wfDefinitionId": None,
            "input": {"x": 1},
            "triggeredBy": "webhook",
            "triggerData": {"path": "/in"},
            "metadata.isInlineExecution": True,
            "metadata.workflowConfig": TEMPLATE,
            "metadata.stepsConfig": STEPS,
        },
    ),
    Case(
        "document: --input before that of an inline body",
        {**INLINE, "input": {"x": 2}},
        {"x": 1},
        output={"v": 1, "w": 7},
        view={"input": {"x": 1}},
    ),
    Case(
        "document: what is run is not stored",
        flow(echo("a")),
        view={"wfDefinitionId": None, "metadata.isInlineExecution": True},
    ),
    Case("document: a stored one has an id", flow(echo("a", v="{{workflow.id}}")), output={"v": TEXT}),
    Case("refused: two dialects", {"steps": STEPS, "nodes": [], "connections": []}, exit=2, says=("stepSlug", "nodes")),
    Case(
        "refused: a dialect that is none",
        {"dialect": "port", **TEMPLATE, "steps": STEPS},
        exit=2,
        says=("port", "ports"),
    ),
    Case("refused: inline without steps", {"workflowConfig": TEMPLATE}, exit=2, says=("stepsConfig",)),
    Case("refused: a template alone", [TEMPLATE], exit=2),
)
