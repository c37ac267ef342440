"""Workflows of the ports dialect, lowered by hand."""

from __future__ import annotations

from lowered.base import Lowered

WORKFLOWS: tuple[Lowered, ...] = ()
