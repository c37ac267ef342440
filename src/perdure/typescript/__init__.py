"""TypeScript, as transforms are written in it: its types as JSON Schema, its rules, and the JavaScript that is left of it."""

from perdure.typescript.reading import Effort, Refused, Transform, read

__all__ = ["Effort", "Refused", "Transform", "read"]
