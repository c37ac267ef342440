"""A language model on loopback that speaks the protocol of OpenAI over HTTP, says what it is told to, and keeps what it was asked.

Nothing sleeps: what is to hang waits for an event that is set when the server is closed.
"""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from msgspec import Struct, field

NAME, KEY = "local-1", "sk-local-4f6d2a"
_LETTERS_PER_TOKEN = 4


class Call(Struct, frozen=True):
    """What the model asks for. `arguments`: an object, or the text that stands for it."""

    name: str
    arguments: Any = {}
    id: str = ""


class Says(Struct, frozen=True):
    """An answer. `tokens`: (of the question, of the answer); None: counted; `usage`: whatever is told instead of them."""

    text: Any = None
    calls: Sequence[Call] = ()
    finish: str | None = None
    tokens: tuple[int, int] | None = None
    usage: Any = "counted"
    more: dict[str, Any] = {}


class Replies(Struct, frozen=True):
    """What is no answer of a model: a status, a body of any kind. `cut`: the connection ends in the middle of it."""

    status: int = 200
    body: Any = None
    headers: dict[str, str] = {}
    cut: bool = False
    hang: bool = False


Answer = Says | Replies
Script = Callable[["Asked"], Answer]


class Asked(Struct):
    """A question that came. `number` is its place among all, from 1."""

    number: int
    body: dict[str, Any]
    headers: dict[str, str]
    path: str
    spent: int = 0

    @property
    def messages(self) -> list[dict[str, Any]]:
        messages: list[dict[str, Any]] = self.body["messages"]
        return messages

    @property
    def roles(self) -> list[str]:
        return [message["role"] for message in self.messages]

    @property
    def told(self) -> list[str]:
        """What tools have answered, in turn."""
        return [message["content"] for message in self.messages if message["role"] == "tool"]


class Model(Struct):
    script: Script
    url: str = ""
    asked: list[Asked] = []
    closing: threading.Event = field(default_factory=threading.Event)
    lock: Any = field(default_factory=threading.Lock)

    @property
    def environment(self) -> dict[str, str]:
        """What has this model asked."""
        return {"OPENAI_BASE_URL": self.url, "OPENAI_API_KEY": KEY, "OPENAI_MODEL": NAME}

    @property
    def spent(self) -> int:
        """Tokens in all, as the model has counted them."""
        return sum(asked.spent for asked in self.asked)

    def answer(self, path: str, headers: dict[str, str], body: dict[str, Any]) -> tuple[Asked, Answer]:
        with self.lock:
            asked = Asked(len(self.asked) + 1, body, headers, path)
            self.asked.append(asked)
        return asked, self.script(asked)


@contextmanager
def model(*answers: Answer, script: Script | None = None) -> Iterator[Model]:
    """The answers in turn; the last one again and again."""

    def in_turn(asked: Asked) -> Answer:
        return answers[min(asked.number, len(answers)) - 1]

    speaking = Model(script or in_turn)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            headers = {name.lower(): value for name, value in self.headers.items()}
            asked, answer = speaking.answer(self.path, headers, json.loads(body))
            if isinstance(answer, Says):
                self._send(200, {}, completion(answer, asked))
            else:
                self._reply(answer)

        def _reply(self, reply: Replies) -> None:
            if reply.hang:
                speaking.closing.wait(60)
                self.close_connection = True
                return
            self._send(reply.status, reply.headers, reply.body, cut=reply.cut)

        def _send(self, status: int, headers: dict[str, str], body: Any, *, cut: bool = False) -> None:
            content = body if isinstance(body, bytes) else json.dumps(body).encode()
            self.send_response_only(status)
            for name, value in {"Content-Type": "application/json", **headers}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content[: len(content) // 2] if cut else content)
            if cut:
                self.wfile.flush()
                self.connection.shutdown(socket.SHUT_RDWR)
                self.close_connection = True

        def log_message(self, *_: Any) -> None:
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        request_queue_size = 128

        def handle_error(self, *_: Any) -> None:
            """Whoever asked has gone: it was killed, or its time was over."""

    server = Server(("127.0.0.1", 0), Handler)
    speaking.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield speaking
    finally:
        speaking.closing.set()
        server.shutdown()
        server.server_close()
        thread.join()


def completion(said: Says, asked: Asked) -> dict[str, Any]:
    """The answer as the protocol has it. It ends where `max_tokens` does, as that of a model would."""
    text, finish = said.text, said.finish
    most = asked.body.get("max_tokens")
    if isinstance(text, str) and most is not None and len(text) > most * _LETTERS_PER_TOKEN:
        text, finish = text[: most * _LETTERS_PER_TOKEN], finish or "length"
    message: dict[str, Any] = {"role": "assistant", "content": text}
    calls = [_called(call, number) for number, call in enumerate(said.calls, 1)]
    if calls:
        message["tool_calls"] = calls
    counted = (_tokens([asked.messages, asked.body.get("tools", [])]), _tokens([text or "", calls]))
    question, answer = said.tokens or counted
    if most is not None:
        answer = min(answer, most)
    asked.spent = question + answer
    usage = {"prompt_tokens": question, "completion_tokens": answer, "total_tokens": question + answer}
    found = {
        "id": f"chatcmpl-{asked.number}",
        "object": "chat.completion",
        "created": 1_800_000_000,
        "model": f"{NAME}-2026",
        "choices": [{"index": 0, "message": message, "finish_reason": finish or ("tool_calls" if calls else "stop")}],
        "usage": usage if said.usage == "counted" else said.usage,
        **said.more,
    }
    return {name: value for name, value in found.items() if name != "usage" or value is not None}


def _called(call: Call, number: int) -> dict[str, Any]:
    text = call.arguments if isinstance(call.arguments, str) else json.dumps(call.arguments)
    return {"id": call.id or f"call_{number}", "type": "function", "function": {"name": call.name, "arguments": text}}


def _tokens(value: Any) -> int:
    """As models count: four letters of English are one, and other alphabets need more of them."""
    return -(-len(json.dumps(value, ensure_ascii=False).encode()) // _LETTERS_PER_TOKEN)
