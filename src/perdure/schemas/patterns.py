"""How much work a regular expression may be: in the worst case, each character of a text meets each place of it."""

from __future__ import annotations

import re
from typing import Final

_TOKEN: Final = re.compile(
    r"""(?P<escape> \\[pPxuU]\{[^}]*\} | \\.)
      | (?P<class> \[\^?\]?(?:\\.|\[:\^?\w*:\]|[^\]\\])*\])
      | (?P<repeat> \{(?P<least>\d+)(?P<comma>,(?P<most>\d*))?\})
      | (?P<open> \((?:\?(?:P?<\w+>|[\w-]*:))?)
      | (?P<close> \))
      | (?P<no_place> [*+?|^$])
      | (?P<other> .)""",
    re.VERBOSE | re.DOTALL,
)


def places(pattern: str) -> int:
    """So many it has, with its bounded repetitions written out: of `(ab){3}c`, 7. It looks at each character once."""
    sums, last = [0], 0
    for token in _TOKEN.finditer(pattern):
        match token.lastgroup:
            case "open":
                sums.append(0)
                last = 0
            case "close" if len(sums) > 1:
                last = sums.pop()
                sums[-1] += last
            case "repeat" | "least" | "comma" | "most":
                times = _times(token)
                sums[-1] += last * (times - 1)
                last *= times
            case "no_place":
                pass
            case _:
                last = 1
                sums[-1] += 1
    return sum(sums)


def _times(token: re.Match[str]) -> int:
    """Of more digits than five, what matters is that it is too much."""
    written = token["most"] or token["least"]
    return max(int(written[:6]) + (token["comma"] == ","), 1)
