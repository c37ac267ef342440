"""`set_variables` with a list of entries. Those with `secure: true` are sealed by a task, so that no fact holds their values."""

from __future__ import annotations

import re
from itertools import groupby
from typing import Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from perdure.dialects.fields import Fields
from perdure.dialects.ports.built import Around, Built, retry_of, template
from perdure.dialects.ports.document import StepDef
from perdure.dialects.ports.names import ROOTS, Names
from perdure.dialects.secrets import NAME
from perdure.dialects.values import objects, quoted
from perdure.expressions.sealing import MASK
from perdure.expressions.wording import near, shown
from perdure.model.executors import SEAL, SealSetup
from perdure.model.steps import Route, SetVariables, Step, Task
from perdure.model.values import Constant, Expression, Json, Value

_VISIBLE: Final = (
    "it is encrypted from here on, and usable as secrets.{}; it stays readable in the output or input that it "
    "comes from, which is stored already"
)
_IN_DOCUMENT: Final = (
    "it is encrypted from here on, but its value stands in this document, readable; set a secret instead with "
    "`perdure secrets set {}`"
)


_ENTRY_KEYS: Final = ("name", "value", "secure")
_LIKE_SECURE: Final = (
    "secure",
    "secured",
    "secret",
    "sealed",
    "encrypt",
    "encrypted",
    "sensitive",
    "confidential",
    "masked",
)


class _Entry(Struct, frozen=True):
    name: str
    value: Value
    secure: bool


def set_listed(step: StepDef, parameters: Fields, given: list[Json], around: Around) -> Built:
    """Build the step from its entries, in their order: a later value sees the earlier ones."""
    entries: list[_Entry] = []
    for number, item in enumerate(given):
        path = f"{parameters.at('variables')}/{number}"
        fields = Fields(item if isinstance(item, dict) else {}, path, around.faults, step.slug)
        entry = _entry(fields, around)
        if entry is not None:
            entries.append(entry)
    if not any(entry.secure for entry in entries):
        return Built(SetVariables(tuple((entry.name, entry.value) for entry in entries)))
    return _sealing(step, entries, around)


def _entry(fields: Fields, around: Around) -> _Entry | None:
    name, secure = fields.word("name", required=True), fields.flag("secure")
    _tell_of_unknown(fields)
    if name is None or not is_free(fields, "name", name):
        return None
    if secure and not fields.has("value"):
        fields.missing("value")
        return None
    if not secure:
        refuse_sealed(fields, "name", name, around.names)
    value = template(fields, "value", around)
    if secure and not NAME.fullmatch(name):
        fields.problem("invalid_name", "name", f"{shown(name)} is no name for a secret: use letters, digits and _")
        return None
    if secure:
        message = _IN_DOCUMENT if isinstance(value, Constant) else _VISIBLE
        fields.warning("visible_value", "value", message.format(name))
    return _Entry(name, value, secure)


def _tell_of_unknown(fields: Fields) -> None:
    """A key that is meant for `secure` would leave the value readable: that is a problem, and no warning."""
    meant = [
        key for key in fields.given if _is_meant_for_secure(key) and fields.given[key] not in (None, False, "false")
    ]
    for key in meant:
        message = f'{shown(key)} means nothing here, and the value would be stored as plain text: write "secure": true'
        fields.problem("not_sealed", key, message)
    others = [key for key in fields.given if key not in meant]
    fields.faults.unknown_keys(others, _ENTRY_KEYS, fields.path, step=fields.step, only_near=True)


def _is_meant_for_secure(key: str) -> bool:
    if key in _ENTRY_KEYS:
        return False
    plain = re.sub(r"[^a-z]", "", key.lower()).removeprefix("is")
    return plain in _LIKE_SECURE or near(key, ("secure",)) is not None


def _sealing(step: StepDef, entries: list[_Entry], around: Around) -> Built:
    """Alternate parts that set variables and parts that seal. The step itself sets the variables once more, for its output."""
    parts: list[Step] = []
    pairs: list[tuple[str, Value]] = []
    sealed: dict[str, Value] = {}
    groups = [(secure, list(group)) for secure, group in groupby(entries, lambda entry: entry.secure)]
    for number, (secure, group) in enumerate(groups, 1):
        values = {entry.name: entry.value for entry in group}
        id_ = f"{step.slug}/{'seal' if secure else 'set'}-{number}"
        outcome = f"steps[{quoted(id_)}].output"
        if secure:
            setup: Json = msgspec.to_builtins(SealSetup(step.slug, list(values)))
            work = Task(SEAL, objects(dict(values)), retry=retry_of(step, around), setup=setup, secret_input=True)
            masks = objects(dict.fromkeys(values, MASK))
            parts.append(Step(id_, work, join="any", part_of=step.slug, assign=masks))
            sealed |= {name: Expression(f"{outcome}[{quoted(name)}]") for name in values}
            pairs += [(name, Constant(MASK)) for name in values]
        elif number == len(groups):
            pairs += values.items()
        else:
            parts.append(Step(id_, SetVariables(tuple(values.items())), join="any", part_of=step.slug))
            pairs += [(name, Expression(f"{outcome}[{quoted(name)}]")) for name in values]
    following = [*(part.id for part in parts[1:]), step.slug]
    routed = tuple(_leading_to(part, to) for part, to in zip(parts, following, strict=True))
    return Built(SetVariables(tuple(pairs)), parts=routed, sealed=tuple(sealed.items()))


def _leading_to(part: Step, to: str) -> Step:
    return replace(part, routes=(Route((to,)),))


def is_free(fields: Fields, key: str, name: str) -> bool:
    """Return whether the name may be given to a variable; if not, it is a problem."""
    if name in ROOTS:
        fields.problem("reserved_key", key, f"{shown(name)} belongs to the engine; take another name")
        return False
    if "{{" in name or "/" in name:
        fields.problem("invalid_name", key, f"{shown(name)} is no name for a variable; write it out, without '/'")
        return False
    return True


def refuse_sealed(fields: Fields, key: str, name: str, names: Names) -> None:
    """Refuse to set a variable without `secure` that a step seals: the plain value would be stored in its place."""
    if name in names.sealed:
        message = (
            f"{shown(name)} is sealed by step {shown(names.sealed[name])}, and would be stored as plain text here; "
            "take another name, or set it with 'secure' in a list of entries"
        )
        fields.problem("not_sealed", key, message)


def refuse_secure(values: Fields) -> None:
    """Refuse `secure` outside of a list of entries, where it would be a value like any other and seal nothing."""
    for name, value in values.given.items():
        if isinstance(value, dict) and value.get("secure") in (True, "true") and "value" in value:
            values.problem("not_sealed", name, _not_sealed(name))
    if values.given.get("secure") in (True, "true"):
        meant = values.given.get("name")
        if "value" in values.given and isinstance(meant, str):
            values.problem("not_sealed", "secure", _not_sealed(meant))
        else:
            message = f"this sets a variable with the name 'secure': {_not_sealed('NAME')}"
            values.warning("not_sealed", "secure", message)


def _not_sealed(name: str) -> str:
    entry = f'"variables": [{{"name": "{name}", "value": …, "secure": true}}]'
    return f"nothing is sealed here: 'secure' has an effect only in a list of entries, {entry}"
