"""A tool as its server describes it, and the hash by which it is known: one that says something else is another tool."""

from __future__ import annotations

from hashlib import sha256
from typing import Final

import msgspec
from msgspec import Struct

from perdure.model.catalog import TaskSchema
from perdure.model.values import Json

SHORT: Final = 12
"""So many characters of a hash are shown."""


class Tool(Struct, frozen=True, omit_defaults=True):
    """`offered`: what the server has offered under this name since it was accepted, if that is something else."""

    name: str
    description: str = ""
    input: Json = None
    output: Json = None
    offered: Tool | None = None

    @property
    def hash(self) -> str:
        """Of all that a model or an author reads of it: whoever changes a word of the description can change what is done."""
        said = {"name": self.name, "description": self.description, "input": self.input, "output": self.output}
        return sha256(msgspec.json.encode(said, order="sorted")).hexdigest()

    def schema(self, connection: str) -> TaskSchema:
        """What a catalog says of it."""
        return TaskSchema(self.name, connection, self.input, self.output, self.description)
