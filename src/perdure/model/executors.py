"""What dialects and whoever runs the tasks have agreed upon."""

from __future__ import annotations

from typing import Final

NODE: Final = "node:"
"""What the names of tasks begin with that are executors of nodes; their type comes after it."""

CONTROL_KEYS: Final = ("_branch", "_wait", "_waitUntil")
"""What an executor may leave in the context to say how it goes on. None of them goes on itself."""

LLM: Final = "llm"
"""The task that asks a language model."""

OURS: Final = "perdure."
"""What the names of tasks begin with that only the engine calls: no document may name one."""

TRANSFORM: Final = f"{OURS}transform"
"""The task that runs a transform. Its code stands in its setup."""

TRANSFORM_MS: Final = 2_000
"""So long a transform may take, unless its setup says `timeoutMs`."""

TRANSFORM_MS_MAX: Final = 10_000
"""And so long whatever it says."""
