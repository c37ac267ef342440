"""What a server can do here at most: a bare FastAPI endpoint that keeps one row, committed together with whatever else has come.

`python -m api.bare FOLDER` prints its port. It is what starts over HTTP are held against; it checks nothing and knows nobody.
"""

from __future__ import annotations

import asyncio
import socket
import sys
import threading
from typing import Any

import apsw
import msgspec
import uvicorn
import uvloop
from fastapi import FastAPI
from pydantic import BaseModel


class Writer(threading.Thread):
    """One transaction for all that has gathered, with a sync at its end."""

    def __init__(self, path: str, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(daemon=True)
        self._loop, self._some = loop, threading.Condition()
        self._rows: list[tuple[bytes, asyncio.Future[int]]] = []
        self._database = apsw.Connection(path)
        self._database.execute("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL")
        self._database.execute("CREATE TABLE starts (id INTEGER PRIMARY KEY, data BLOB NOT NULL)")

    def keep(self, data: bytes) -> asyncio.Future[int]:
        kept: asyncio.Future[int] = self._loop.create_future()
        with self._some:
            self._rows.append((data, kept))
            self._some.notify()
        return kept

    def run(self) -> None:
        while True:
            with self._some:
                while not self._rows:
                    self._some.wait()
                rows, self._rows = self._rows, []
            self._database.execute("BEGIN IMMEDIATE")
            ids = []
            for data, _ in rows:
                self._database.execute("INSERT INTO starts (data) VALUES (?)", (data,))
                ids.append(self._database.last_insert_rowid())
            self._database.execute("COMMIT")
            self._loop.call_soon_threadsafe(_tell, [(kept, id_) for (_, kept), id_ in zip(rows, ids, strict=True)])


def _tell(kept: list[tuple[asyncio.Future[int], int]]) -> None:
    for future, id_ in kept:
        if not future.done():
            future.set_result(id_)


class Start(BaseModel):
    workflowId: str  # noqa: N815
    input: Any = None


def application(writer: Writer) -> FastAPI:
    app = FastAPI()

    @app.post("/api/executions", status_code=201)
    async def start(body: Start) -> dict[str, Any]:
        kept = await writer.keep(msgspec.json.encode({"workflow": body.workflowId, "input": body.input}))
        return {"id": str(kept), "status": "pending"}

    return app


async def main(folder: str) -> None:
    place = socket.socket()
    place.bind(("127.0.0.1", 0))
    place.listen(1_024)
    writer = Writer(f"{folder}/bare.db", asyncio.get_running_loop())
    writer.start()
    print(place.getsockname()[1], flush=True)
    config = uvicorn.Config(application(writer), lifespan="off", log_config=None, access_log=False)
    await uvicorn.Server(config).serve(sockets=[place])


if __name__ == "__main__":
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(main(sys.argv[1]))
