"""JSON Schemas: whether something is one, and what is wrong with a value by one.

Rules of this package:
1. Whoever writes a schema may be hostile, and so may whoever sends a value. Both are answered in bounded time: patterns are
   matched without backtracking, and what would take too long is refused before it is begun (`effort`).
2. Nothing is fetched: a schema refers to itself alone, or to the schemas of JSON Schema.
3. All that is wrong is told, each with its place; what is told of a value is short.

It knows nothing of workflows, and is imported where it is needed: most have no schema, and need not wait for it.
"""

from perdure.schemas.checker import VIOLATIONS_MAX, Checker, checker, problems
from perdure.schemas.violation import Violation

__all__ = ["VIOLATIONS_MAX", "Checker", "Violation", "checker", "problems"]
