"""The interpreter: pure, small, and the only place where it is decided what an event means.

It takes the state of an execution and one event, and answers with facts and commands. It knows no clock, no chance, no
database, no network and no dialect. README.md beside this file is the theory of operation.
"""

from perdure.core.advance import Start, advance, start
from perdure.core.apply import apply, fold
from perdure.core.draft import Transition
from perdure.core.fork import Edits, fork
from perdure.core.outstanding import outstanding
from perdure.core.program import Program
from perdure.core.state import BLANK, State
from perdure.core.values import NeedValues

__all__ = [
    "BLANK",
    "Edits",
    "NeedValues",
    "Program",
    "Start",
    "State",
    "Transition",
    "advance",
    "apply",
    "fold",
    "fork",
    "outstanding",
    "start",
]
