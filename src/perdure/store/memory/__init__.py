"""A store in memory: it forgets with the process, and is otherwise like the others."""

from perdure.store.memory.store import MemoryStore

__all__ = ["MemoryStore"]
