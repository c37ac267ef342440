"""The version, as the package was installed with it."""

from importlib.metadata import version

VERSION = version("perdure")
