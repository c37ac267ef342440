"""Where transforms run: QuickJS in processes of their own, shut in, given JSON and giving JSON, killed when their time is over.

`child.py` is the program of these processes, with `lockdown.py`, `wire.py`, `kept.py`, `prelude.js` and `telling.js` beside it;
it reads nothing else of Perdure. All the rest is the side of the engine, which never loads QuickJS.
"""

from perdure.tasks.sandbox.answers import Line, Ran
from perdure.tasks.sandbox.failures import SandboxBroken, TransformFailed
from perdure.tasks.sandbox.running import Fault, Sandbox

__all__ = ["Fault", "Line", "Ran", "Sandbox", "SandboxBroken", "TransformFailed"]
