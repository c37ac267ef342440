"""What is odd about a document as a whole, and told when it is saved: steps that nothing leads to, loops that control does not
come back to, circles without an end, names that are most likely mistakes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice

from msgspec.structs import replace

from perdure.dialects.faults import Faults, at
from perdure.dialects.hyphens import misread, subtracted_ids
from perdure.dialects.ports.actions import BUILT_IN
from perdure.dialects.ports.document import PortsDocument, StepDef
from perdure.dialects.ports.mapping import OF_RESULT
from perdure.dialects.ports.names import (
    OF_ENGINE,
    OF_OUTPUT,
    OF_STEP,
    OF_WORKFLOW,
    RESERVED,
    ROOTS,
    VARIABLES,
    Names,
    sets_variables,
)
from perdure.dialects.slips import is_a_slip
from perdure.dialects.values import joined, quoted
from perdure.dialects.walks import cycles, reached
from perdure.errors import InvalidExpression
from perdure.expressions.protocol import Path
from perdure.expressions.ready import ready
from perdure.expressions.templates import Look, look_at
from perdure.expressions.walk import reads
from perdure.expressions.wording import near, nearest, shown
from perdure.model.problem import Problem

_MISSPELT = {
    "vars": "variables",
    "lastoutput": "lastOutput",
    "last_output": "lastOutput",
    "organization_id": "organizationId",
}
_UNTEMPLATED = ("expr", "expression")
_ROOTS_OF_ALL = frozenset((*ROOTS, VARIABLES, *OF_ENGINE))
_CIRCLES_TOLD_MAX = 20
_NAMES_MAX = 200
"""So many names are looked at for one that may be meant."""


def tell_of_shape(document: PortsDocument, ways: Mapping[str, Mapping[str, str | None]]) -> None:
    after = {slug: [to for to in ports.values() if to is not None] for slug, ports in ways.items()}
    found = reached(() if document.first is None else (document.first,), lambda slug: after.get(slug, ()))
    for step in document.steps:
        if step.slug not in found and step.type != "trigger":
            step.beside.warning("unreachable_step", "stepSlug", f"nothing leads to {shown(step.slug)}; it never runs")
        if step.type == "loop" and step.slug in found:
            _tell_of_loop(step, ways, after)
    _tell_of_circles([step for step in document.steps if step.slug in found], after)


def _tell_of_loop(step: StepDef, ways: Mapping[str, Mapping[str, str | None]], after: Mapping[str, list[str]]) -> None:
    ports = ways[step.slug]
    if "loop" not in ports or ports["loop"] == step.slug:
        return
    body = ports["loop"]
    if body is None:
        message = "each batch ends the workflow: 'loop' leads to an end; let it lead to the first step of the body"
        step.beside.warning("loop_without_return", "nextSteps", message)
    elif step.slug not in reached([body], lambda slug: after.get(slug, ())):
        message = (
            f"a loop without a way back: from {shown(body)} nothing leads to {shown(step.slug)} again, so that only the first "
            f"batch is handed out; let the last step of the body lead to {shown(step.slug)}"
        )
        step.beside.warning("loop_without_return", "nextSteps", message)
    else:
        inside = reached([body], lambda slug: [] if slug == step.slug else after.get(slug, ()))
        for slug in sorted(inside - {step.slug}):
            if slug in ways and not ways[slug]:
                message = (
                    f"what comes to {shown(slug)} ends the workflow in the middle of the loop {shown(step.slug)}: it leads "
                    f"nowhere; let it lead to {shown(step.slug)}, or to an end if that is meant"
                )
                step.beside.warning("loop_without_return", "nextSteps", message)


def _tell_of_circles(steps: Sequence[StepDef], after: Mapping[str, list[str]]) -> None:
    """Round and round for ever, if nothing on the way can decide to leave it."""
    steady = {step.slug: step for step in steps if _is_steady(step)}
    for number, circle in enumerate(cycles(steady, lambda slug: [to for to in after[slug] if to in steady])):
        if number >= _CIRCLES_TOLD_MAX:
            return
        message = f"it goes round for ever, unless a step fails: {' → '.join(circle)}, and nothing on the way decides"
        steady[circle[0]].beside.warning("endless_circle", "nextSteps", message)


def _is_steady(step: StepDef) -> bool:
    """Whether it always leads on by the same port."""
    return step.type in ("trigger", "output", "llm") or (
        step.type == "action" and step.config.given.get("type") in BUILT_IN
    )


def tell_of_names(document: PortsDocument, names: Names, faults: Faults) -> None:
    schema = document.definition.given.get("inputSchema")
    properties = schema.get("properties") if isinstance(schema, dict) else None
    known = names.defined | frozenset(properties if isinstance(properties, dict) else ())
    for step in document.steps:
        if faults.has_warned_enough:
            faults.warned_enough()
            return
        mapped = step.beside.given.get("inputMapping")
        own = frozenset(mapped if isinstance(mapped, dict) else ())
        sealed = {name: slug for name, slug in names.sealed.items() if name not in own}
        for path, problem in _looked_at(step, replace(names, sealed=sealed), known | own):
            faults.warning(problem.type, path, problem.message, step=step.slug)


def _looked_at(step: StepDef, names: Names, local: frozenset[str]) -> Iterator[tuple[str, Problem]]:
    if sets_variables(step):  # what it seals may come from something of the same name
        names = replace(names, sealed={})

    known = local | _ROOTS_OF_ALL

    def look(source: str, local: frozenset[str] = local, known: frozenset[str] = known) -> list[Problem]:
        try:
            node = ready(source).node
        except InvalidExpression:  # which is told where the step is built
            return []
        ids, parts = subtracted_ids(source, node, names.types, known)
        paths = (path for path in sorted(reads(node)) if path[0] not in parts)
        said = dict.fromkeys((*map(_subtracted, ids), *(_suspicion(path, names, local) for path in paths)))
        return [Problem("unknown_name", message) for message in said if message]

    of_result = frozenset() if step.type == "output" else frozenset(OF_RESULT)
    local_of_result, known_of_result = local | of_result, known | of_result

    def look_at_result(source: str) -> list[Problem]:
        return look(source, local_of_result, known_of_result)

    conditions = _UNTEMPLATED if step.type == "condition" else ()
    for key in ("config", "inputMapping", "outputMapping"):
        given = step.beside.given.get(key)
        if key == "config" and isinstance(given, dict):
            given = {name: value for name, value in given.items() if name not in conditions}
        for problem in look_at(given, "{{", look_at_result if key == "outputMapping" else look):
            if problem.type == "unknown_name":
                yield f"{step.beside.at(key)}{problem.path}", problem
    for key in conditions:
        source = step.config.given.get(key)
        if isinstance(source, str):
            for problem in _looked_at_condition(source, look):
                yield at(step.config.path, key), problem


def _looked_at_condition(source: str, look: Look) -> Iterable[Problem]:
    """Of an expression that may have `{{ }}` around its operands: what stands outside of them is one as well."""
    try:
        return look(joined(source))
    except InvalidExpression:  # which is told where the step is built
        return ()


def _subtracted(slug: str) -> str:
    return f"{misread(slug, 'a step')}: did you mean steps[{quoted(slug)}].output.data?"


def _suspicion(path: Path, names: Names, local: frozenset[str]) -> str:
    """What is to be said of a path; nothing, if it may be meant so."""
    match path:
        case ("steps", slug, *_) if slug not in names.types:
            return f"there is no step {shown(slug)}, so that this is empty{names.meant(slug)}"
        case ("steps", slug, "data" | "meta" | "result" as part, *_):
            meant = "data" if part == "result" else part
            return f"a step has no {part!r}: did you mean steps.{slug}.output.{meant}?"
        case ("steps", slug, part, *_) if part not in OF_STEP:
            return f"a step has no {part!r}{nearest(part, OF_STEP)}; what it came to is steps.{slug}.output.data"
        case ("steps", slug, "output", part, *_) if part not in OF_OUTPUT:
            return (
                f"an output is {{type, data, meta}} and has no {part!r}: did you mean steps.{slug}.output.data.{part}?"
            )
        case ("lastOutput", part, *_) if part not in OF_OUTPUT:
            return f"an output is {{type, data, meta}} and has no {part!r}: did you mean lastOutput.data.{part}?"
        case ("workflow", part, *_) if part not in OF_WORKFLOW:
            return f"workflow has no {part!r}{nearest(part, OF_WORKFLOW)}"
        case (name, *_) if name in names.sealed:
            return _sealed(name)
        case ("variables", name, *_) if name in names.sealed:
            return _sealed(name)
        case ("variables", "secrets", *_) if VARIABLES not in local:
            return "secrets are not read as variables: write secrets.NAME, in the parameters of an action"
        case ("variables", root, *_) if VARIABLES not in local and root in RESERVED:
            return _suspicion(path[1:], names, local)
        case ("step", slug, *_) if "step" not in local and slug in names.types:
            return f"`step.` → `steps.`: did you mean steps.{slug}?"
        case (root, *_) if root not in _ROOTS_OF_ALL and root not in local:
            return _misspelt(root, path, names, local)
        case _:
            return ""


def _sealed(name: str) -> str:
    return (
        f"{name!r} is sealed by set_variables and reads as '***': write secrets.{name}, in the parameters of an action"
    )


def _misspelt(root: str, path: Path, names: Names, local: frozenset[str]) -> str:
    meant = _MISSPELT.get(root.lower()) or (near(root, (*ROOTS, VARIABLES)) if len(path) > 1 else None)
    if meant is not None and meant not in ("now", "nowMs"):
        return f"there is no {root!r}, unless the input has a key of that name: did you mean {meant}?"
    if root in names.types:
        meant = f"steps.{root}.output.data"
        return f"{root!r} is a step, not a value (unless the input has a key of that name): did you mean {meant}?"
    slip = next((name for name in islice(sorted(local), _NAMES_MAX) if is_a_slip(root, name)), None)
    return (
        "" if slip is None else f"nobody sets {root!r}, and it is empty unless the input has it: did you mean {slip!r}?"
    )
