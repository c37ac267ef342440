"""Durable workflows in four notations on one engine. The public names, nothing else."""

from perdure.version import VERSION as __version__

__all__ = ["__version__"]
