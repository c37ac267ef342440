"""Where control goes after a step: keys that name an outcome, then conditions, then `default`; after a failure, `onFailure`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from msgspec import Struct

from perdure.dialects.fields import Fields
from perdure.dialects.orchestration.built import OF_INPUT_MAPPING, Around, condition, rendered
from perdure.dialects.orchestration.document import Orchestration, StepDef, next_key, next_target, objects
from perdure.dialects.values import quoted
from perdure.expressions.wording import kind, near, nearest, shown
from perdure.model.steps import Compute, Route, Step
from perdure.model.values import Expression, Value

ENDS: Final = ("", "END", "end")
"""What ends the workflow, as null does, unless a step is called so."""

_KEYS: Final = ("default", "conditions")
"""Of transitions; all others name outcomes."""

DECISIONS: Final = ("DECISION", "CHOICE")
CONTINUE: Final = "continue"
_CONDITION_KEYS: Final = ("condition", "nextStep")
_FAILURE_KEYS: Final = ("handlerStepId", "inputMapping", "action", "nextStepId", "errorHandler")


class Way(Struct, frozen=True):
    """One way on: to a step, or to an end (None). `key` names an outcome; `path` is where it stands in the document."""

    to: str | None
    path: str
    key: str | None = None
    when: Value | None = None


class OnFailure(Struct, frozen=True):
    """`handler` takes over, given `mapping`; or it `continues` as if it had not failed; `by_code` are handlers of some errors."""

    handler: Way | None = None
    mapping: Value | None = None
    continues: bool = False
    by_code: tuple[Way, ...] = ()


class Ways(Struct, frozen=True):
    """All ways on from a step, in the order in which they are looked at."""

    keys: tuple[Way, ...] = ()
    conditions: tuple[Way, ...] = ()
    default: Way | None = None
    on_failure: OnFailure = OnFailure()
    timeout: Way | None = None

    @property
    def every(self) -> Iterator[Way]:
        yield from (*self.keys, *self.conditions, *self.on_failure.by_code)
        for way in (self.default, self.on_failure.handler, self.timeout):
            if way is not None:
                yield way

    @property
    def handlers(self) -> Iterator[Way]:
        """The ways to steps that handle a timeout or a failure of this one."""
        yield from self.on_failure.by_code
        yield from (way for way in (self.on_failure.handler, self.timeout) if way is not None)

    def ends_unrouted(self, step: StepDef) -> bool:
        """Whether an outcome that none of its ways fits ends the path; of a decision, it is a failure."""
        return self.goes_on and self.default is None and step.type not in DECISIONS

    def names_both_decisions(self, step: StepDef) -> bool:
        """Whether a step that asks a person has a way for each decision: there is no other outcome."""
        named = {(way.key or "").upper() for way in self.keys}
        return step.type == "HUMAN_TASK" and named >= {"APPROVED", "REJECTED"}

    @property
    def goes_on(self) -> bool:
        """Whether it says at all where it leads."""
        return bool(self.keys or self.conditions or self.default)


def ways_of(step: StepDef, around: Around) -> Ways:
    """All that a step says about where it leads. Targets are looked at by `tell_of_targets`."""
    fields = step.fields
    key = next_key(fields.given, "transitions", around.names.steps) or "transitions"
    given = fields.given.get(key)
    if key != "transitions" and not isinstance(given, dict):
        given = None  # the way on itself, and read as `default` below
    elif isinstance(given, str):
        given = {"default": given}
    elif given is not None and not isinstance(given, dict):
        fields.problem("wrong_type", "transitions", f"'transitions' must be an object, not {kind(given)}")
        given = None
    transitions = Fields(given or {}, fields.at(key), fields.faults, step.id)
    places = [(transitions, "conditions")]
    defaults = [transitions]
    if step.type in DECISIONS:
        places = [(fields, "choices"), (fields, "conditions"), *places]
        defaults.append(fields)
    named = [key for key in transitions.given if key not in _KEYS]
    for key in named:
        if near(key, _KEYS) is not None:
            message = f"{key!r} is taken for the name of an outcome{nearest(key, _KEYS)}"
            transitions.warning("unknown_key", key, message)
    keys = [_way(transitions, key, key=key) for key in named]
    return Ways(
        tuple(way for way in keys if way is not None),
        tuple(way for where, key in places for way in _conditions(where, key, around)),
        _default(defaults, fields, None if given is not None else key),
        _on_failure(fields, around),
        _timeout(fields, around) if step.type == "EVENT_WAIT" else None,
    )


def _default(places: Sequence[Fields], fields: Fields, key: str | None) -> Way | None:
    found = next((_way(where, "default") for where in places if "default" in where.given), None)
    return _way(fields, key, foreign=True) if found is None and key is not None and key != "transitions" else found


def _way(fields: Fields, name: str, key: str | None = None, *, foreign: bool = False) -> Way | None:
    """Report what is no text and not null. `foreign`: the key of another notation, which has been reported."""
    to = next_target(fields.given[name]) if foreign else fields.given.get(name)
    if to is None or isinstance(to, str):
        return Way(to, fields.at(name), key)
    fields.wrong(name, "the id of a step, or null for the end")
    return None


def _conditions(where: Fields, key: str, around: Around) -> Iterator[Way]:
    for each in objects(where, key, "a condition"):
        key_of_target = next_key(each.given, "nextStep", around.names.steps) or "nextStep"
        each.faults.unknown_keys(each.given, (*_CONDITION_KEYS, key_of_target), each.path, step=each.step)
        written = each.given.get("condition")
        source = str(written).lower() if isinstance(written, bool) else each.text("condition", required=True)
        if key_of_target not in each.given:
            each.missing("nextStep")
        way = _way(each, key_of_target, foreign=key_of_target != "nextStep")
        if source is not None and way is not None:
            when = condition(source, each.at("condition"), each, around)
            yield Way(way.to, way.path, when=when)


def _timeout(fields: Fields, around: Around) -> Way | None:
    """What is no object is told where its duration is read."""
    if not isinstance(fields.given.get("eventTimeout"), dict):
        return None
    given = fields.within("eventTimeout")
    other = next_key(given.given, "timeoutHandlerStepId", around.names.steps)
    if other is not None:
        return _way(given, other, foreign=True)
    return _way(given, "timeoutHandlerStepId") if given.has("timeoutHandlerStepId") else None


def _on_failure(fields: Fields, around: Around) -> OnFailure:
    given = fields.given.get("onFailure")
    if given is None or given in ("stop", "fail"):
        return OnFailure()
    if given == CONTINUE:
        return OnFailure(continues=True)
    if isinstance(given, str):
        return OnFailure(_way(fields, "onFailure"))
    within = fields.within("onFailure")
    other = next_key(within.given, "handlerStepId", around.names.steps)
    known = _FAILURE_KEYS if other is None else (*_FAILURE_KEYS, other)
    within.faults.unknown_keys(within.given, known, within.path, step=fields.step)
    action = within.choice("action", (CONTINUE, "stop", "retry"), "stop")
    if action == "retry":
        within.warning(
            "no_effect", "action", "how often it is tried again is said by 'retryPolicy'; this has no effect"
        )
    key = next((key for key in ("handlerStepId", "nextStepId", other or "") if within.has(key)), None)
    handler = None if key is None else _way(within, key, foreign=key not in _FAILURE_KEYS)
    mapping = None
    if within.has("inputMapping"):
        if handler is None:
            within.warning("no_effect", "inputMapping", "there is no 'handlerStepId' that it could be given to")
        given_names = within.object("inputMapping")
        mapping = rendered(given_names, within.at("inputMapping"), within, around, roots=OF_INPUT_MAPPING)
    continues = action == CONTINUE and handler is None
    return OnFailure(handler, mapping, continues, tuple(_by_code(within.within("errorHandler"), around)))


def _by_code(given: Fields, around: Around) -> Iterator[Way]:
    for each in objects(given, "conditions", "a condition on an error"):
        code, category = each.word("errorCode"), each.word("errorType")
        other = next_key(each.given, "nextStepId", around.names.steps)
        way = _way(each, other or "nextStepId", foreign=other is not None)
        if code is None and category is None:
            each.missing("errorCode")
        elif way is not None:
            when = None if code is None else Expression(f"error.code == {quoted(code)}")
            yield Way(way.to, way.path, category, when)


def tell_of_targets(ways: Ways, known: Mapping[str, object], step: StepDef, document: Orchestration) -> None:
    """Steps that are not there. `known` are those that this one may lead to: a branch is not left but by its end."""
    for way in ways.every:
        if is_end(way.to, known) or way.to in known:
            continue
        assert way.to is not None
        if any(way.to == fields.step for fields in document.compensations):
            message = (
                f"{shown(way.to)} is a compensation step: it runs when its step is undone, and nothing leads to it"
            )
        elif way.to in document.named:
            where = "its branch" if step.branch is not None else "the top, into a branch"
            message = (
                f"{shown(way.to)} cannot be reached from here: that would lead out of {where}{_hint(way, ways, step)}"
            )
        else:
            message = f"there is no step {shown(way.to)}{nearest(way.to, known)}; to end here, write END or null"
        step.fields.faults.problem("unknown_step", way.path, message, step=step.id, ref=way.to)


def _hint(way: Way, ways: Ways, step: StepDef) -> str:
    if step.is_outside:
        return (
            f"; {shown(step.id)} is a handler that one branch only enters, so it belongs to that branch: write END, and the "
            "PARALLEL leads on when all branches have ended"
        )
    if way not in tuple(ways.handlers):
        return ""
    return "; a handler may stand outside of the PARALLEL if one branch only enters it, and what it leads to"


def is_end(to: str | None, known: Mapping[str, object]) -> bool:
    return to is None or (to in ENDS and to not in known)


class Leading(Struct, frozen=True):
    """How targets become steps of the model.

    entered  for each step of the document that can be a target, the step of the model that is entered for it
    end      where a way to the end leads: in a branch, to the PARALLEL; at the top, nowhere
    onward   where control goes from a step that does not say where it leads: in a branch, to the next step, or to `end`
    """

    entered: Mapping[str, str]
    end: tuple[str, ...] = ()
    onward: tuple[str, ...] = ()

    def to(self, way: Way) -> tuple[str, ...]:
        if way.to is None or is_end(way.to, self.entered):
            return self.end
        return (self.entered[way.to],) if way.to in self.entered else ()


def routes(step: StepDef, ways: Ways, leading: Leading) -> tuple[Route, ...]:
    """Return the routes of a step that has succeeded. In a branch, an outcome that fits none of its ways leads to the end: else
    nothing would say that the branch has ended.
    """
    if not ways.goes_on:
        return (Route(leading.onward),) if leading.onward else ()
    listed = (*ways.keys, *ways.conditions, *(() if ways.default is None else (ways.default,)))
    found = tuple(Route(leading.to(way), way.key, way.when) for way in listed)
    return (*found, Route(leading.end)) if leading.end and ways.ends_unrouted(step) else found


def error_routes(step_id: str, ways: Ways, leading: Leading) -> tuple[Route, ...]:
    """A handler of its timeout, then keys and handlers that name the error, then the one for all."""
    found = [] if ways.timeout is None else [Route(leading.to(ways.timeout), "TIMEOUT")]
    found += [_on_code(way, leading) for way in ways.keys]
    found += [Route(leading.to(way), way.key, way.when) for way in ways.on_failure.by_code]
    failing = ways.on_failure
    if failing.handler is not None:
        found.append(Route((mapped_id(step_id),) if failing.mapping is not None else leading.to(failing.handler)))
    elif failing.continues:
        silent = leading.end if ways.goes_on else leading.onward
        found.append(Route(silent if ways.default is None else leading.to(ways.default)))
    return tuple(found)


def _on_code(way: Way, leading: Leading) -> Route:
    """A key that names an error names its code, and not its category."""
    return Route(leading.to(way), when=Expression(f"error.code == {quoted(way.key or '')}"))


def mapped_id(step_id: str) -> str:
    """The part of a step that makes the input of its handler."""
    return f"{step_id}/onFailure"


def mapping_part(step_id: str, ways: Ways, leading: Leading) -> Iterator[Step]:
    failing = ways.on_failure
    if failing.handler is not None and failing.mapping is not None:
        to = (Route(leading.to(failing.handler)),)
        yield Step(mapped_id(step_id), Compute(failing.mapping), to, join="any", part_of=step_id)
