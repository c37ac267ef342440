"""Durable workflows in four notations on one engine. The public names, nothing else."""

from perdure.version import VERSION

__version__ = VERSION

__all__ = ["__version__"]
