"""Workflows of the graph dialect, lowered by hand."""

from lowered.base import Lowered
from lowered.graph.branches import BRANCHES
from lowered.graph.children import CHILDREN
from lowered.graph.context import CONTEXT
from lowered.graph.cycles import CYCLES
from lowered.graph.executors import EXECUTORS
from lowered.graph.failures import FAILURES
from lowered.graph.paths import PATHS
from lowered.graph.settings import SETTINGS
from lowered.graph.waits import WAITS

WORKFLOWS: tuple[Lowered, ...] = (
    *PATHS,
    *BRANCHES,
    *CYCLES,
    *CONTEXT,
    *WAITS,
    *FAILURES,
    *SETTINGS,
    *EXECUTORS,
    *CHILDREN,
)
