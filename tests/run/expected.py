"""What stands in an expectation for what is another each time, or for what a case is not about."""

from __future__ import annotations

from typing import Any, Final


class Some:
    """Whatever is of this kind: ids and times are others each time."""

    def __init__(self, *kinds: type) -> None:
        self.kinds = kinds

    def __eq__(self, other: object) -> bool:
        return isinstance(other, self.kinds) and not isinstance(other, bool)

    def __hash__(self) -> int:
        return hash(self.kinds)

    def __repr__(self) -> str:
        return f"some {' or '.join(kind.__name__ for kind in self.kinds)}"


class Holding:
    """A text that holds these."""

    def __init__(self, *parts: str) -> None:
        self.parts = parts

    def __eq__(self, other: object) -> bool:
        return isinstance(other, str) and all(part in other for part in self.parts)

    def __hash__(self) -> int:
        return hash(self.parts)

    def __repr__(self) -> str:
        return f"a text with {self.parts}"


class Anything:
    """Whatever it is, if only it is there."""

    def __eq__(self, other: object) -> bool:
        return other != ABSENT

    def __hash__(self) -> int:
        return 0

    def __repr__(self) -> str:
        return "anything"


NUMBER: Final = Some(int, float)
TEXT: Final = Some(str)
ABSENT: Final = "(no such key)"
"""What a path comes to that leads nowhere."""
UNSAID: Final = "(whatever it is)"
"""Of an output that a case is not about."""


def at(value: Any, path: str) -> Any:
    """What stands there: `variables.steps.a`; a part that is a number, in a list: `failed.0.stepId`."""
    for name in path.split("."):
        if isinstance(value, list) and name.isdigit() and int(name) < len(value):
            value = value[int(name)]
        elif isinstance(value, dict) and name in value:
            value = value[name]
        else:
            return ABSENT
    return value


def differs(found: Any, expected: dict[str, Any]) -> dict[str, Any]:
    """What is not as expected, by its path."""
    return {path: there for path, value in expected.items() if (there := at(found, path)) != value}
