"""`perdure settings`: what can be set in the environment, and what is. What cannot be used keeps a server from starting."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

from perdure.cli.options import AsJson
from perdure.cli.saying import Refusal, print_json
from perdure.expressions.wording import nearest
from perdure.hosts.settings import wrong
from perdure.model.problem import Problem
from perdure.settings.environment import environment, unknown
from perdure.settings.setting import AnySetting
from perdure.settings.table import SETTINGS, TABLE

SET = "set"
"""What is told of a secret."""


def settings_command(*, json: AsJson = False) -> int:
    """All settings, with what this environment says of each. Of a secret it tells only that it is set.

    Example: perdure settings
    """
    given = environment()
    problems = wrong(given)
    if json:
        rows = [_as_json(heading, each, given, problems) for heading, settings in TABLE.items() for each in settings]
        print_json({"settings": rows, "unknown": unknown(given)})
    else:
        for heading, settings in TABLE.items():
            print(f"{heading}:")
            for each in settings:
                print("\n".join(_lines(each, given, problems.get(each.name))))
            print()
        tell_unknown(given)
    return 2 if problems else 0


def require_settings() -> None:
    """Before a server or a worker begins: raises with all that cannot be used, and warns of what nobody reads."""
    given = environment()
    problems = wrong(given)
    if problems:
        raise Refusal([Problem("bad_setting", said, field=name) for name, said in problems.items()], "the environment")
    tell_unknown(given)


def tell_unknown(given: Mapping[str, str]) -> None:
    known = [name for each in SETTINGS for name in each.names()]
    for name in unknown(given):
        meant = nearest(name, known) or "; `perdure settings` lists all that there are"
        print(f"warning: nobody reads the setting {name}{meant}", file=sys.stderr)


def _lines(setting: AnySetting, given: Mapping[str, str], problem: str | None) -> list[str]:
    name = f"{setting.name}…" if setting.family else setting.name
    said = _said(setting, given)
    default = f" (default: {setting.default})" if setting.default else ""
    value = f"  {problem}" if problem else f" = {said}" if said is not None else default
    return [f"  {name}{value}", f"      {setting.about}"]


def _said(setting: AnySetting, given: Mapping[str, str]) -> str | None:
    """What it is set to, as it may be shown; of a file, which one."""
    if setting.family:
        names = sorted(name for name in given if setting.is_named(name))
        return ", ".join(names) or None
    place = next((name for name in setting.names() if given.get(name, "").strip()), None)
    if place is None:
        return None
    if setting.in_file and place == setting.file:
        return f"{SET}, in the file {given[place].strip()}"
    return SET if setting.kind.is_secret else given[place].strip()


def _as_json(
    heading: str, setting: AnySetting, given: Mapping[str, str], problems: Mapping[str, str]
) -> dict[str, Any]:
    return {
        "id": setting.name,
        "about": setting.about,
        "group": heading,
        "kind": setting.kind.word,
        "default": setting.default or None,
        "file": setting.file if setting.in_file else None,
        "instead": setting.instead,
        "family": setting.family,
        "value": _said(setting, given),
        "problem": problems.get(setting.name),
    }
