"""Records the terminal session of the README: types commands on a terminal, and draws what is seen as docs/session.svg."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.text import Text

ROOT = Path(__file__).parent.parent
EXAMPLES = ROOT / "examples" / "graph"
WIDTH = 96
COMMANDS = (
    'perdure run retry.json --tasks tasks.py --input \'{"parcel": "P7"}\' --db sqlite:///flows.db',
    "perdure executions list --db sqlite:///flows.db",
    "perdure validate broken.json",
)
BROKEN = """{
  "name": "broken",
  "nodes": [
    {"id": "start", "type": "MANUAL_TRIGGER"},
    {"id": "late", "type": "WAIT", "data": {"amount": 2, "unit": "fortnights"}}
  ],
  "connections": [
    {"fromNodeId": "start", "toNodeId": "lat"}
  ]
}
"""


def seen(command: str, folder: str) -> str:
    """What a terminal shows in the end of a command."""
    ours, theirs = pty.openpty()
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "TERM": "xterm-256color", "COLUMNS": str(WIDTH), "LINES": "40"}
    running = subprocess.Popen(command, shell=True, cwd=folder, stdout=theirs, stderr=theirs, env=environment)  # noqa: S602
    os.close(theirs)
    shown = b""
    while True:
        try:
            more = os.read(ours, 65_536)
        except OSError:  # the other end is closed
            break
        if not more:
            break
        shown += more
    running.wait()
    os.close(ours)
    return last_frame(shown.decode())


def last_frame(shown: str) -> str:
    """A live tree is drawn over itself: what stands after it was last wiped away."""
    wiped = shown.rfind("\x1b[2K")
    text = shown if wiped < 0 else shown[wiped + len("\x1b[2K") :]
    return text.replace("\r\n", "\n").replace("\x1b[?25h", "").replace("\x1b[?25l", "")


def main() -> None:
    console = Console(record=True, width=WIDTH, file=Path(os.devnull).open("w"), force_terminal=True)  # noqa: SIM115
    with tempfile.TemporaryDirectory() as folder:
        for name in ("retry.json", "tasks.py"):
            (Path(folder) / name).write_bytes((EXAMPLES / name).read_bytes())
        (Path(folder) / "broken.json").write_text(BROKEN)
        for command in COMMANDS:
            console.print(Text(f"$ {command}", style="bold"))
            console.print(Text.from_ansi(seen(command, folder)))
    drawn = re.sub(
        r"@font-face \{.*?\}", "", console.export_svg(title="perdure"), flags=re.DOTALL
    )  # nothing from elsewhere
    (ROOT / "docs" / "session.svg").write_text("\n".join(line.rstrip() for line in drawn.split("\n")))
    print("docs/session.svg")


if __name__ == "__main__":
    main()
