"""Workflows of the ports dialect, lowered by hand."""

from lowered.base import Lowered
from lowered.ports.actions import ACTIONS
from lowered.ports.approvals import APPROVALS
from lowered.ports.data import DATA
from lowered.ports.examples import EXAMPLES
from lowered.ports.lookup import LOOKUP
from lowered.ports.loop_errors import LOOP_ERRORS
from lowered.ports.loops import LOOPS
from lowered.ports.routing import ROUTING

WORKFLOWS: tuple[Lowered, ...] = (*EXAMPLES, *ROUTING, *DATA, *LOOKUP, *LOOPS, *LOOP_ERRORS, *APPROVALS, *ACTIONS)
