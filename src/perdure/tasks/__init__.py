"""What a step can call: tasks, how they are registered and called, those built in, and the one door to the outside.

Below the runtime, above the model. Nothing here knows executions, stores or dialects: a task is given a value and a
context, and answers with a value or raises. What raised becomes a failure by `failure_of`, in one place.
"""

from perdure.tasks.calling import call
from perdure.tasks.context import TaskContext
from perdure.tasks.declaring import node, task
from perdure.tasks.failing import NonRetryable, Retryable, failure_of
from perdure.tasks.loading import TaskModuleError, load, load_all
from perdure.tasks.nodes import NodeParams
from perdure.tasks.registry import InvalidTask, Registry, Task
from perdure.tasks.results import Result

__all__ = [
    "InvalidTask",
    "NodeParams",
    "NonRetryable",
    "Registry",
    "Result",
    "Retryable",
    "Task",
    "TaskContext",
    "TaskModuleError",
    "call",
    "failure_of",
    "load",
    "load_all",
    "node",
    "task",
]
