"""The JavaScript that is left of a source: each line and each character in its place, with blanks where types were."""

from __future__ import annotations

from collections.abc import Iterable

from perdure.typescript.cursor import Edit
from perdure.typescript.words import LINE_ENDS


def blanked(source: str, edits: Iterable[Edit]) -> str:
    """Later edits stand over earlier ones. A text that is longer than what it stands for moves the rest of its line."""
    characters = list(source)
    for edit in edits:
        for at in range(edit.start, edit.end):
            if characters[at] not in LINE_ENDS:
                characters[at] = " "
        last = edit.start + len(edit.text) - 1
        for at, character in enumerate(edit.text, edit.start):
            if at < edit.end:
                characters[at] = character
        if last >= edit.end:
            characters[edit.end - 1] += edit.text[edit.end - edit.start :]
    return "".join(characters)
