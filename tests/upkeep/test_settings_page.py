"""The page of the settings is made from the table.

`PERDURE_DRAW=1 .venv/bin/pytest tests/upkeep/test_settings_page.py` writes it anew.
"""

from __future__ import annotations

import os
from pathlib import Path

from perdure.settings.setting import AnySetting
from perdure.settings.table import TABLE

PAGE = Path(__file__).parent.parent.parent / "docs" / "settings.md"
HEAD = """\
# Settings

What an operator decides, in the environment of a process. `perdure settings` prints the same table with what is set, and of
secrets only that they are. What cannot be used keeps `dev`, `serve` and `worker` from starting, with all that is wrong at once;
of names that begin with `PERDURE_` and that nobody reads, they warn.

Where it says *or a file*, the name with `_FILE` at its end names a file that holds the value. An empty value is none.
Durations are a number and a unit: `90s`, `30m`, `12h`, `90d`, `2w`.
"""


def row(setting: AnySetting) -> str:
    name = f"`{setting.name}…`" if setting.family else f"`{setting.name}`"
    instead = f", else `{setting.instead}`" if setting.instead else ""
    kind = f"{setting.kind.word}, or a file" if setting.in_file else setting.kind.word
    return f"| {name}{instead} | {setting.about} | {kind} | {setting.default} |"


def page() -> str:
    parts = [HEAD]
    for heading, settings in TABLE.items():
        parts += [
            f"\n## {heading}\n",
            "| name | what it is | kind | default |",
            "|---|---|---|---|",
            *map(row, settings),
        ]
    return "\n".join([*parts, ""])


def test_the_page_is_what_the_table_says() -> None:
    if os.environ.get("PERDURE_DRAW"):
        PAGE.write_text(page())
    assert PAGE.read_text() == page(), (
        "write it anew: PERDURE_DRAW=1 .venv/bin/pytest tests/upkeep/test_settings_page.py"
    )
