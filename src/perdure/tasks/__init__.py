"""What a step can call: tasks, how they are registered and called, those built in, and the one door to the outside.

Below the runtime, above the model. Nothing here knows executions, stores or dialects: a task is given a value and a
context, and answers with a value or raises. What raised becomes a failure by `failure_of`, in one place.
"""

from perdure.tasks.calling import call
from perdure.tasks.context import TaskContext
from perdure.tasks.declaring import load, task
from perdure.tasks.failing import NonRetryable, Retryable, failure_of
from perdure.tasks.registry import InvalidTask, Registry, Task

__all__ = [
    "InvalidTask",
    "NonRetryable",
    "Registry",
    "Retryable",
    "Task",
    "TaskContext",
    "call",
    "failure_of",
    "load",
    "task",
]
