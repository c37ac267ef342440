"""Ways to write workflows. Each turns its documents into the one model, and shows executions in its own words.

Pure: no clock, no chance, no input or output. Below this layer nobody knows a dialect.
"""

from perdure.dialects.port import Compiled, Dialect, Document, Requirements, Seen
from perdure.dialects.reading import BadDocument, faults, located, read
from perdure.dialects.recognition import recognise
from perdure.dialects.registry import (
    DIALECTS,
    compile,  # noqa: A004
    definition,
    depth,
    history_name,
    inline_metadata,
    input_problems,
    requirements,
    started_with,
    step_view,
    version,
    view,
)

__all__ = [
    "DIALECTS",
    "BadDocument",
    "Compiled",
    "Dialect",
    "Document",
    "Requirements",
    "Seen",
    "compile",
    "definition",
    "depth",
    "faults",
    "history_name",
    "inline_metadata",
    "input_problems",
    "located",
    "read",
    "recognise",
    "requirements",
    "started_with",
    "step_view",
    "version",
    "view",
]
