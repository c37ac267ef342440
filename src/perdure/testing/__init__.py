"""What Perdure is tested with, for its users too: a virtual clock, scripted tasks, a simulated world with faults."""

from perdure.expressions.language import compile_value
from perdure.testing.faults import ChaosWorld, CrashAt
from perdure.testing.invariants import violations
from perdure.testing.script import ApprovalAnswer, EventAnswer, Fixed, Script, Seeded, TaskAnswer
from perdure.testing.summary import account, summary
from perdure.testing.world import World

__all__ = [
    "ApprovalAnswer",
    "ChaosWorld",
    "CrashAt",
    "EventAnswer",
    "Fixed",
    "Script",
    "Seeded",
    "TaskAnswer",
    "World",
    "account",
    "compile_value",
    "summary",
    "violations",
]
