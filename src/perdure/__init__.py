"""Durable workflows in four notations on one engine. The public names, nothing else.

They are imported when they are asked for: whoever needs one part of Perdure does not wait for all of it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from perdure.client.client import Client as Client
    from perdure.client.errors import NoServer as NoServer
    from perdure.client.errors import Unauthorized as Unauthorized
    from perdure.client.sync import SyncClient as SyncClient
    from perdure.errors import PerdureError as PerdureError
    from perdure.service.bulk import Chosen as Chosen
    from perdure.service.engine import Engine as Engine
    from perdure.service.engine import Execution as Execution
    from perdure.service.errors import Conflict as Conflict
    from perdure.service.errors import ExecutionFailed as ExecutionFailed
    from perdure.service.errors import NotFound as NotFound
    from perdure.service.errors import Refused as Refused
    from perdure.tasks.context import TaskContext as TaskContext
    from perdure.tasks.declaring import node as node
    from perdure.tasks.declaring import task as task
    from perdure.tasks.failing import Abandoned as Abandoned
    from perdure.tasks.failing import NonRetryable as NonRetryable
    from perdure.tasks.failing import Retryable as Retryable
    from perdure.tasks.loading import TaskModuleError as TaskModuleError
    from perdure.tasks.nodes import NodeParams as NodeParams
    from perdure.tasks.results import Result as Result

    __version__: str

_PLACES = {
    "Abandoned": "perdure.tasks.failing",
    "Chosen": "perdure.service.bulk",
    "Client": "perdure.client.client",
    "Conflict": "perdure.service.errors",
    "Engine": "perdure.service.engine",
    "Execution": "perdure.service.engine",
    "ExecutionFailed": "perdure.service.errors",
    "NoServer": "perdure.client.errors",
    "NodeParams": "perdure.tasks.nodes",
    "NonRetryable": "perdure.tasks.failing",
    "NotFound": "perdure.service.errors",
    "PerdureError": "perdure.errors",
    "Refused": "perdure.service.errors",
    "Result": "perdure.tasks.results",
    "Retryable": "perdure.tasks.failing",
    "SyncClient": "perdure.client.sync",
    "TaskContext": "perdure.tasks.context",
    "TaskModuleError": "perdure.tasks.loading",
    "Unauthorized": "perdure.client.errors",
    "node": "perdure.tasks.declaring",
    "task": "perdure.tasks.declaring",
}

__all__ = ["__version__", *sorted(_PLACES)]  # noqa: PLE0604  texts, all of them


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return import_module("perdure.version").VERSION
    if name not in _PLACES:
        raise AttributeError(f"module 'perdure' has no attribute {name!r}")
    return getattr(import_module(_PLACES[name]), name)


def __dir__() -> list[str]:
    return __all__
