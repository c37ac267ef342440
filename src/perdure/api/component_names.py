"""Public names of the OpenAPI components. A class may be renamed; its component keeps its name."""

from __future__ import annotations

from typing import Any, Final

COMPONENT_NAMES: Final = {
    "ActivateBody": "ActivateBody",
    "AddBody": "AddBody",
    "AllDoneAnswer": "AllDoneAnswer",
    "AllSent": "AllSent",
    "ApprovalEvent": "ApprovalEvent",
    "ApprovalItem": "ApprovalItem",
    "AttemptAnswer": "AttemptAnswer",
    "AuditAnswer": "AuditAnswer",
    "BulkBody": "BulkBody",
    "CancelBody": "CancelBody",
    "ChallengeAnswer": "ChallengeAnswer",
    "Change": "Change",
    "ClaimBody": "ClaimBody",
    "Coming": "Coming",
    "ConnectionAnswer": "ConnectionAnswer",
    "ConnectionBody": "ConnectionBody",
    "DecisionBody": "DecisionBody",
    "DeclinedAnswer": "DeclinedAnswer",
    "Differences": "Differences",
    "DoneAnswer": "DoneAnswer",
    "EntryAnswer": "EntryAnswer",
    "EventAnswer": "EventAnswer",
    "ExecutionAnswer": "ExecutionAnswer",
    "FailureAnswer": "FailureAnswer",
    "FilterBody": "FilterBody",
    "FiringAnswer": "FiringAnswer",
    "ForkBody": "ForkBody",
    "Health": "Health",
    "Integrity": "Integrity",
    "JsonValue": "JsonValue",
    "KeyAnswer": "KeyAnswer",
    "KeyBody": "KeyBody",
    "LinkAnswer": "LinkAnswer",
    "LinkBody": "LinkBody",
    "ListedExecution": "ListedExecution",
    "MemberAnswer": "MemberAnswer",
    "MemberBody": "MemberBody",
    "MemberChange": "MemberChange",
    "NotifierAnswer": "NotifierAnswer",
    "NotifierBody": "NotifierBody",
    "PreviewAnswer": "PreviewAnswer",
    "PreviewBody": "PreviewBody",
    "ProblemAnswer": "ProblemAnswer",
    "ProblemDetails": "ProblemDetails",
    "ProgressAnswer": "ProgressAnswer",
    "ReceivedAnswer": "ReceivedAnswer",
    "RefireBody": "RefireBody",
    "Refired": "Refired",
    "RequestedAnswer": "RequestedAnswer",
    "RequirementsAnswer": "RequirementsAnswer",
    "RerunBody": "RerunBody",
    "ResumeBody": "ResumeBody",
    "RotateBody": "RotateBody",
    "SavedAnswer": "SavedAnswer",
    "ScheduleAnswer": "ScheduleAnswer",
    "SecretAnswer": "SecretAnswer",
    "SecretBody": "SecretBody",
    "SeenAnswer": "SeenAnswer",
    "SentAnswer": "SentAnswer",
    "SessionAnswer": "SessionAnswer",
    "SignInBody": "SignInBody",
    "StartBody": "StartBody",
    "Started": "Started",
    "Steered": "Steered",
    "StepAnswer": "StepAnswer",
    "StreamEvent": "StreamEvent",
    "TimesBody": "TimesBody",
    "ToldFailure": "ToldFailure",
    "ToolAnswer": "ToolAnswer",
    "ToolsAnswer": "ToolsAnswer",
    "ToolsBody": "ToolsBody",
    "TriggerAnswer": "TriggerAnswer",
    "UseAnswer": "UseAnswer",
    "Validation": "Validation",
    "VersionAnswer": "VersionAnswer",
    "Vote": "Vote",
    "WaitAnswer": "WaitAnswer",
    "WaitingAnswer": "WaitingAnswer",
    "WaysAnswer": "WaysAnswer",
    "WebhookAnswer": "WebhookAnswer",
    "WebhookBody": "WebhookBody",
    "WhoAnswer": "WhoAnswer",
    "WhyAnswer": "WhyAnswer",
    "WokenAnswer": "WokenAnswer",
    "WorkflowAnswer": "WorkflowAnswer",
}
"""Class name to component name. `tests/golden` fails for a component that is missing here."""

_PREFIX: Final = "#/components/schemas/"


def rename_components(document: dict[str, Any]) -> dict[str, Any]:
    """Return the OpenAPI document with its components, and all references to them, under their public names."""
    schemas = document["components"]["schemas"]
    renamed: dict[str, Any] = _rename_refs(document)
    renamed["components"]["schemas"] = {
        COMPONENT_NAMES.get(name, name): _rename_title(_rename_refs(schema), name) for name, schema in schemas.items()
    }
    return renamed


def _rename_title(schema: dict[str, Any], name: str) -> dict[str, Any]:
    """Replace a title that is the name of the class."""
    return {**schema, "title": COMPONENT_NAMES.get(name, name)} if schema.get("title") == name else schema


def _rename_refs(value: Any) -> Any:
    if isinstance(value, list):
        return [_rename_refs(item) for item in value]
    if not isinstance(value, dict):
        return value
    renamed = {key: _rename_refs(item) for key, item in value.items()}
    reference = renamed.get("$ref")
    if isinstance(reference, str) and reference.startswith(_PREFIX):
        name = reference.removeprefix(_PREFIX)
        renamed["$ref"] = _PREFIX + COMPONENT_NAMES.get(name, name)
    return renamed
