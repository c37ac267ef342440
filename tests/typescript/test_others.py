"""What others have written is read: the packages of npm that the suite installs. They import, and much else that a transform must
not; but none of it is taken for a mistake in the language.

One in ten, and all three thousand with PERDURE_PATIENCE=1.
"""

from __future__ import annotations

import os

from connections.servers import installed
from perdure import typescript
from perdure.typescript.reading import BYTES_MAX

EACH = 1 if os.environ.get("PERDURE_PATIENCE") == "1" else 10
MISREAD = ("unexpected", "expected", "too deeply", "too long to read")
DEFAULT = "\nexport default (x) => x"


def test_no_file_of_others_is_taken_for_a_mistake() -> None:
    folder = installed().parent
    files = sorted(file for ending in ("js", "mjs", "ts", "mts") for file in folder.rglob(f"*.{ending}"))
    misread = []
    read = 0
    for file in files[::EACH]:
        source = file.read_text(errors="replace")
        if ".d." in file.name or len(source.encode()) + len(DEFAULT) > BYTES_MAX:
            continue
        read += 1
        found = typescript.read(source + DEFAULT)
        if isinstance(found, typescript.Refused):
            misread += [
                f"{file}:{problem.line}:{problem.column} {problem.message}"
                for problem in found.problems
                if any(word in problem.message for word in MISREAD)
            ]
    assert misread == []
    assert read >= 2_000 // EACH
