"""Ports and where they lead: the exact port, then its alias, then `default`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from perdure.dialects.fields import Fields
from perdure.dialects.ports.document import StepDef
from perdure.expressions.wording import nearest, shown
from perdure.model.steps import Route

ALIASES: Final = (
    ("success", "onSuccess"),
    ("true", "onTrue"),
    ("false", "onFalse"),
    ("approved", "onApprove", "approve"),
    ("rejected", "onReject", "reject"),
    ("error", "onError", "onFailure", "failure"),
)
DEFAULT: Final = "default"
ENDS: Final = ("end", "complete", "completed", "finish", "noop", "null")
"""Where a workflow ends, unless a step has that slug."""

ERROR: Final = ALIASES[-1]


def ports_of(step: StepDef) -> dict[str, str | None]:
    """Each port that is written, and the slug that it leads to; None is an end. What is neither is told."""
    written = step.beside.given.get("nextSteps")
    if isinstance(written, str):
        hint = f'; did you mean {{"{DEFAULT}": {shown(written)}}}?'
        step.beside.wrong("nextSteps", "an object of ports", hint.replace("'", '"'))
        return {}
    given = step.beside.within("nextSteps")
    found: dict[str, str | None] = {}
    for port, target in given.given.items():
        if target is None or target == "":
            found[port] = None
        elif isinstance(target, str):
            found[port] = target
        else:
            given.wrong(port, "the slug of a step, or null for an end")
    return found


def targets(ports: Mapping[str, str | None], slugs: Mapping[str, str]) -> dict[str, str | None]:
    """The same without the ends, which are None. `slugs` are those that there are, and the first step of each."""
    return {
        port: None if slug is None or (slug in ENDS and slug not in slugs) else slug for port, slug in ports.items()
    }


def routes(ports: Mapping[str, str | None], first: Mapping[str, str]) -> tuple[Route, ...]:
    """In the order in which they are looked at. `first`: of each slug, the step that control enters by."""
    found = [Route(_to(slug, first), port) for port, slug in ports.items() if port != DEFAULT]
    for group in ALIASES:
        written = next((port for port in group if port in ports), None)
        if written is not None:
            found += [Route(_to(ports[written], first), port) for port in group if port not in ports]
    if DEFAULT in ports:
        found.append(Route(_to(ports[DEFAULT], first)))
    return tuple(found)


def error_routes(ports: Mapping[str, str | None], first: Mapping[str, str]) -> tuple[Route, ...]:
    """`default` is no way for errors."""
    written = next((port for port in ERROR if port in ports), None)
    return () if written is None else (Route(_to(ports[written], first)),)


def _to(slug: str | None, first: Mapping[str, str]) -> tuple[str, ...]:
    return () if slug is None else (first[slug],)


def warn_of_no_success(step: StepDef, written: Mapping[str, str | None], *, strict: bool) -> None:
    """Warn of a step that works and whose port map says nothing of success. A task may answer on other ports only."""
    if step.type not in ("action", "llm") or not written or any(port in written for port in (*ALIASES[0], DEFAULT)):
        return
    outcome = "fails, because of strictPorts" if strict else "ends here"
    message = (
        f"if this step answers on 'success', the execution {outcome}: there is neither a port 'success' nor 'default'; "
        'name the next step, or write "success": null if that is meant'
    )
    step.beside.warning("no_success_port", "nextSteps", message)


def tell_of_ports(step: StepDef, written: Mapping[str, str | None], possible: tuple[str, ...] | None) -> None:
    """Ports that no outcome of the step has. What a task can name is known to nobody but itself."""
    group = {port: names for names in ALIASES for port in names}
    answers = ("success",) if possible is None else possible
    known = {DEFAULT, *ERROR, *(each for port in answers for each in group.get(port, (port,)))}
    usual = tuple(dict.fromkeys((*known, *(port for names in ALIASES for port in names))))
    given = Fields(dict(written), step.beside.at("nextSteps"), step.beside.faults, step.slug)
    for port in written:
        if port in known:
            continue
        hint = nearest(port, known)
        if possible is None:
            if hint and port not in usual:
                given.warning("unknown_port", port, f"no step is known to answer on the port {shown(port)}{hint}")
        else:
            ports = ", ".join((*possible, "error"))
            message = f"a step of type {step.type} never answers on the port {shown(port)}{hint}; its ports are {ports}"
            given.warning("unknown_port", port, message)
