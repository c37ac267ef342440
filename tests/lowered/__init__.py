"""Workflows of the four dialects, lowered by hand: the proof that no dialect needs more than the model can say."""

from lowered import graph, orchestration, phases, ports

ALL = (*ports.WORKFLOWS, *orchestration.WORKFLOWS, *phases.WORKFLOWS, *graph.WORKFLOWS)
