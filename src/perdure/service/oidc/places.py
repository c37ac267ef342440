"""Where somebody may be sent when they have signed in: to a path of this very server, and nowhere else."""

from __future__ import annotations

import re
from typing import Final

NEXT_MAX: Final = 1_000
_PATH: Final = re.compile(r"/(?:[A-Za-z0-9._~!$&'()*+,;=:@%?#-][!-\[\]-~]*)?")
"""What begins with `//` or `/\\` is another server to a browser, which reads `\\` as `/`, and leaves out what cannot be seen."""


def is_own_path(text: str) -> bool:
    return len(text) <= NEXT_MAX and _PATH.fullmatch(text) is not None
