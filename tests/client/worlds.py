"""The same commands typed in two worlds: one asks its database, the other its server. What they say is compared, but for ids and
times.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from cli.typing import Ended, here

_TOKENS = re.compile(r"\b(?:prd|whk|whsec)_[\w+/=-]+")
_IDS = re.compile(r"\b(?:wf_|wh_)?[0-9a-f]{10,64}\b")
_TIMES = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?(?:\.\d+)?(?:Z| [A-Z]{3,4})?|\b\d\d:\d\d:\d\d\.\d{3}\b")
_SPANS = re.compile(r"\b\d+(?:\.\d+)? (?:ms|s|seconds?|minutes?|hours?)\b|\b\d+:\d\d(?::\d\d)?\b")
_WHERE = re.compile(r" (?:--db|--server) [^\s`]+| on the database of the server")
_WHO = re.compile(r"\b(?:program|dev)\b")


class World:
    def __init__(self, capsys: Any, folder: Path, *where: str) -> None:
        self._capsys, self._folder, self._where = capsys, folder, where
        self.known: dict[str, str] = {}
        """What was told before, by the name that the commands have for it."""

    def typed(self, *words: str) -> Ended:
        filled = [re.sub(r"<(\w+)>", lambda found: self.known[found[1]], word) for word in words]
        return here(self._capsys, *filled, *self._where)

    def say(self, *words: str) -> str:
        """What is said, without what differs from world to world."""
        ended = self.typed(*words)
        return f"[{ended.status}]\n{self.plain(ended.out)}\n---\n{self.plain(ended.err)}"

    def learn(self, name: str, *words: str, at: str = "id") -> str:
        """The same of a command with --json, and remember a part of what it says."""
        ended = self.typed(*words, "--json")
        found: Any = json.loads(ended.out)
        for part in at.split("."):
            found = found[int(part)] if part.isdecimal() else found[part]
        self.known[name] = str(found)
        return f"[{ended.status}]\n{self.plain(ended.out)}\n---\n{self.plain(ended.err)}"

    def plain(self, text: str) -> str:
        text = _TOKENS.sub("TOKEN", text)
        for name, value in self.known.items():
            text = text.replace(value, f"<{name}>")
        text = text.replace(str(self._folder), "<folder>")
        for pattern, name in ((_TIMES, "TIME"), (_SPANS, "SPAN"), (_WHERE, ""), (_WHO, "WHO")):
            text = pattern.sub(name, text)
        return re.sub(r" +", " ", _IDS.sub("ID", text))
