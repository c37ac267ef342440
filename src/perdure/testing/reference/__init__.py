"""What a workflow must come to, worked out a second time: slowly, plainly, and without the core.

`execution` is the model. It leans on rules that are written down on their own: `joins` (when a step may be entered),
`paths` (what control carries along), `sight` (what values it sees), `work` (what a piece of work comes to under a script,
and after how long).

Left out, with tests of their own: retries of executions, deadlines, budgets, cancellation, compensation, chains, and
events that several steps hear.
"""

from perdure.testing.reference.execution import Reference

__all__ = ["Reference"]
