"""The light sequence on LangGraph: a chain of nodes, SqliteSaver, durability "sync", in threads. A program of its own.

Its saver uses WAL. FULL is what SQLite does by default; it is set all the same, since some builds of SQLite differ.
"""

from __future__ import annotations

import sqlite3
import uuid
from importlib.metadata import version
from typing import Any, TypedDict

from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, StateGraph

from perdure.bench.driving import drive_threads
from perdure.bench.peers.orders import Answer, answered, received
from perdure.bench.results import Settings
from perdure.bench.settings import SYNCHRONOUS
from perdure.bench.workloads import GIVEN, light_answer


class Carried(TypedDict):
    n: int


def main() -> None:
    order = received()
    connection = sqlite3.connect(f"{order.folder}/langgraph.db", check_same_thread=False)
    saver = SqliteSaver(connection)
    saver.setup()
    connection.execute("PRAGMA synchronous = FULL")
    graph = _chain(order.load.steps_each).compile(checkpointer=saver)

    def once() -> Any:
        thread = {"configurable": {"thread_id": uuid.uuid4().hex}}
        return graph.invoke(GIVEN, thread, durability="sync")

    drive_threads(once, order.warm_up)
    run = drive_threads(once, order.load)
    answered(Answer(run, _settings(connection)))
    connection.close()


def _chain(length: int) -> Any:
    def light(carried: Carried) -> Any:  # noqa: ARG001
        return light_answer()

    graph = StateGraph(Carried)
    names = [f"s{number}" for number in range(length)]
    for name in names:
        graph.add_node(name, light)
    for before, after in zip([START, *names], [*names, END], strict=True):
        graph.add_edge(before, after)
    return graph


def _settings(connection: sqlite3.Connection) -> Settings:
    journal = connection.execute("PRAGMA journal_mode").fetchone()[0]
    synchronous = connection.execute("PRAGMA synchronous").fetchone()[0]
    versions = f"{version('langgraph')}, saver {version('langgraph-checkpoint-sqlite')}"
    return Settings(versions, sqlite3.sqlite_version, journal, SYNCHRONOUS[synchronous])


if __name__ == "__main__":
    main()
