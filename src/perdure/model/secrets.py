"""What a workflow calls a secret by, where that is not its name in the organization. Never a value in plain text."""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct

VALUE_BYTES_MAX = 32_768
"""Maximum size of a value that is encrypted, as UTF-8."""

CIPHER_TEXT = "pse1."
"""What an encrypted value begins with, as `perdure secrets encrypt` writes it."""


class SecretOf(Struct, frozen=True, tag_field="kind", tag="of"):
    """`name` stands for this secret of the organization."""

    name: str
    secret: str


class SecretInline(Struct, frozen=True, tag_field="kind", tag="inline"):
    """`name` stands for a value that comes with the workflow, encrypted."""

    name: str
    cipher_text: str


SecretSource: TypeAlias = SecretOf | SecretInline

SEALED = "secrets/"
"""Prefix of the variables that hold envelopes. No author can write such a name."""


def sealed_variable(name: str) -> str:
    """Return the variable that holds the envelope of a secret that the execution itself has sealed."""
    return f"{SEALED}{name}"
