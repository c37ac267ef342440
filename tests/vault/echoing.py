"""Real servers that say back whatever they are told, in every form that they can think of. They hang, fail and come round to order.

What they do is in the address: `/ok/…`, `/fail/…`, `/timeout/…`, `/retry/…`, `/crash/…`; of a mail, the name before the @.
"""

from __future__ import annotations

import asyncio
import base64
import html
import json
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import quote, unquote

from tasks.servers import HttpServer, Received, Reply, http_server

HANGS = 2
"""So many times, what is to crash hangs until its process is killed."""


class Told:
    """What was said to a server, and how often under each name."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.times: Counter[str] = Counter()
        self.hanging: set[str] = set()

    def outcome(self, name: str, text: str) -> str:
        """What is to be done this time: ok, fail, hang, later."""
        self.texts.append(text)
        self.times[name] += 1
        mode = name.partition("/")[0]
        if mode == "crash" and self.times[name] <= HANGS:
            self.hanging.add(f"{name} {self.times[name]}")
            return "hang"
        if mode == "retry" and self.times[name] == 1:
            return "later"
        return {"fail": "fail", "timeout": "hang"}.get(mode, "ok")


@contextmanager
def echoing_http(told: Told) -> Iterator[HttpServer]:
    def reply(received: Received) -> Reply:
        said = f"{received.path} {received.headers} {received.body.decode('latin-1')}"
        name = "/".join(received.path.lstrip("/").split("/")[:2]).split("?")[0]
        outcome = told.outcome(name, said + unquote(said))
        if outcome == "hang":
            return Reply(200, {"x-echo": "slow"}, b"", hang=True, announce=False)
        echo = {
            "said": said,
            "decoded": unquote(received.path),
            "base64": base64.b64encode(said.encode()).decode(),
            "headers": [base64.b64encode(value.encode()).decode() for value in received.headers.values()],
            "hex": received.body.hex(),
            "quoted": quote(said),
            "html": html.escape(said),
            "nested": json.dumps(json.dumps(said)),
            "body": received.body.decode("utf-8", "replace"),
        }
        body = json.dumps(echo).encode() if outcome != "fail" else said.encode()
        kind = "application/json" if outcome != "fail" else "text/plain"
        status = {"ok": 200, "fail": 400, "later": 503}[outcome]
        shown = "".join(each if 32 <= ord(each) < 127 else "?" for each in received.headers.get("authorization", ""))
        return Reply(status, {"content-type": kind, "retry-after": "0", "x-you-said": shown}, body)

    with http_server(reply) as server:
        yield server


@contextmanager
def echoing_smtp(told: Told) -> Iterator[int]:
    """Its port."""
    loop, ready, ended = asyncio.new_event_loop(), threading.Event(), asyncio.Event()
    ports: list[int] = []

    async def converse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        async def say(text: str) -> None:
            writer.write(f"{text}\r\n".encode())
            await writer.drain()

        name = ""
        try:
            await say("220 test")
            while line := (await reader.readline()).decode().rstrip("\r\n"):
                command = line.partition(" ")[0].upper()
                if command == "RCPT":
                    name = line.partition("<")[2].partition("@")[0].replace("+", "/")
                if command == "DATA":
                    await say("354 go on")
                    text = (await reader.readuntil(b"\r\n.\r\n")).decode()
                    outcome = told.outcome(name, _read(text))
                    if outcome == "hang":
                        await ended.wait()
                        break
                    flat = _read(text).replace("\r", " ").replace("\n", " ")
                    await say({"ok": "250 taken", "fail": f"554 no: {flat}", "later": f"451 later: {flat}"}[outcome])
                elif command == "QUIT":
                    await say("221 bye")
                    break
                else:
                    await say("250 ok")
        except (ConnectionError, asyncio.IncompleteReadError):
            pass  # hanging up is allowed
        finally:
            writer.close()

    async def serve() -> None:
        listening = await asyncio.start_server(converse, "127.0.0.1", 0)
        ports.append(listening.sockets[0].getsockname()[1])
        ready.set()
        await ended.wait()
        listening.close()
        await asyncio.sleep(0)

    def run() -> None:
        with asyncio.Runner(loop_factory=lambda: loop) as runner:
            runner.run(serve())

    thread = threading.Thread(target=run)
    thread.start()
    assert ready.wait(10)
    try:
        yield ports[0]
    finally:
        loop.call_soon_threadsafe(ended.set)
        thread.join()


def _read(text: str) -> str:
    """A mail as people read it."""
    from email.parser import Parser  # noqa: PLC0415
    from email.policy import default  # noqa: PLC0415

    message = Parser(policy=default).parsestr(text)
    body = message.get_body()
    return f"{message['subject']} {'' if body is None else body.get_content()}"
