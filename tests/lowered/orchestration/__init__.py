"""Workflows of the orchestration dialect, lowered by hand."""

from lowered.base import Lowered
from lowered.orchestration.cancellations import CANCELLATIONS
from lowered.orchestration.compensations import COMPENSATIONS
from lowered.orchestration.failures import FAILURES
from lowered.orchestration.parallels import PARALLELS
from lowered.orchestration.starts import STARTS
from lowered.orchestration.transitions import TRANSITIONS
from lowered.orchestration.waits import WAITS

WORKFLOWS: tuple[Lowered, ...] = (
    *TRANSITIONS,
    *FAILURES,
    *WAITS,
    *STARTS,
    *CANCELLATIONS,
    *COMPENSATIONS,
    *PARALLELS,
)
