"""Commands that have commands of their own."""

from __future__ import annotations

from cyclopts import App


def group(name: str, help_: str) -> App:
    """`--version` is asked of Perdure, or of a workflow. A command without such an option refuses it: it must not print one, say
    that all is well, and do nothing.
    """
    return App(name=name, help=help_, version_flags=())
