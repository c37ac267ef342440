"""Workflows of the phases dialect, lowered by hand."""

from lowered.base import Lowered
from lowered.phases.failures import FAILURES
from lowered.phases.foreach import FOR_EACH
from lowered.phases.pipelines import PIPELINES
from lowered.phases.sleep import SLEEPS
from lowered.phases.triggered import TRIGGERED
from lowered.phases.triggers import TRIGGERS

WORKFLOWS: tuple[Lowered, ...] = (*PIPELINES, *FAILURES, *FOR_EACH, *SLEEPS, *TRIGGERS, *TRIGGERED)
