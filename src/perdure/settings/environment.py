"""The environment of this process, and what is wrong with one."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Final, TypeVar

from perdure.settings.setting import BadSetting, Setting
from perdure.settings.table import SETTINGS

Value = TypeVar("Value")

OURS: Final = "PERDURE_"
OF_THE_SUITE: Final = ("PERDURE_PATIENCE", "PERDURE_DRAW", "PERDURE_WORLDS", "PERDURE_ALL_ON_RESTATE")
"""What tests are told by, which start servers in their own environment."""


def environment() -> Mapping[str, str]:
    """As it is now: what reads a setting is given this, or something like it."""
    return os.environ


def take(setting: Setting[Value]) -> Value | None:
    """Read a setting that is for this very process, and leave it to none that it starts."""
    found = setting.read(os.environ)
    for name in setting.names():
        os.environ.pop(name, None)
    return found


def wrong(environment: Mapping[str, str]) -> dict[str, str]:
    """What cannot be used, all of it: what is wrong, by the name of the setting."""
    found = {}
    for setting in SETTINGS:
        try:
            if not setting.family:
                setting.read(environment)
        except BadSetting as error:
            found[setting.name] = str(error)
    return found


def unknown(environment: Mapping[str, str]) -> list[str]:
    """Names that look like ours and that nobody reads: misspelt ones, most often."""
    return sorted(
        name
        for name in environment
        if name.startswith(OURS) and name not in OF_THE_SUITE and not any(each.is_named(name) for each in SETTINGS)
    )
