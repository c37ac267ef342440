"""What dialects and whoever runs the tasks have agreed upon."""

from __future__ import annotations

from typing import Final

from msgspec import Struct

NODE: Final = "node:"
"""What the names of tasks begin with that are executors of nodes; their type comes after it."""

NODES_BUILT_IN: Final = frozenset(
    {
        *("MANUAL_TRIGGER", "SCHEDULE_TRIGGER", "WEBHOOK_TRIGGER", "EVENT_TRIGGER", "WORKFLOW_TRIGGER"),
        *("MERGE", "SET", "IF_ELSE", "SWITCH", "WAIT", "WAIT_UNTIL", "HTTP_REQUEST", "MCP_TOOL", "RUN_WORKFLOW"),
        *("CODE", "APPROVAL", "LLM"),
    }
)
"""Node types that a graph compiles to steps of the engine. A version that was saved before its type was built in still calls the
task of that name, which no worker may have.
"""

CONTROL_KEYS: Final = ("_branch", "_wait", "_waitUntil")
"""What an executor may leave in the context to say how it goes on. None of them goes on itself."""

LLM: Final = "llm"
"""The task that asks a language model."""

OURS: Final = "perdure."
"""What the names of tasks begin with that only the engine calls: no document may name one."""

TRANSFORM: Final = f"{OURS}transform"
"""The task that runs a transform. Its code stands in its setup."""

SEAL: Final = f"{OURS}seal"
"""The task that encrypts variables: it answers with an envelope for each of the names in its setup."""


class SealSetup(Struct, frozen=True):
    """Setup of the task that encrypts variables, stored in the model: the step of the document and the names to encrypt."""

    step: str
    names: list[str]


TRANSFORM_MS: Final = 2_000
"""So long a transform may take, unless its setup says `timeoutMs`."""

TRANSFORM_MS_MAX: Final = 10_000
"""And so long whatever it says."""
