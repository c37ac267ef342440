"""A language model for tests: a server on this machine that answers chat completions as a function says."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, TypeAlias

Answer: TypeAlias = Callable[[dict[str, Any]], str]
"""What is said to a request."""

MODEL = "gpt-4o"


class Chat(ThreadingHTTPServer):
    """`asked` are the requests that have come, in order."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(("127.0.0.1", 0), _Completions)
        self.answer = answer
        self.asked: list[dict[str, Any]] = []

    @property
    def environment(self) -> dict[str, str]:
        """What makes a process ask this one."""
        return {
            "OPENAI_API_KEY": "of-nobody",
            "OPENAI_MODEL": MODEL,
            "OPENAI_BASE_URL": f"http://127.0.0.1:{self.server_port}/v1",
        }


class _Completions(BaseHTTPRequestHandler):
    server: Chat

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.server.asked.append(request)
        completion = {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 0,
            "model": request["model"],
            "choices": [
                {
                    "index": 0,
                    "finish_reason": "stop",
                    "message": {"role": "assistant", "content": self.server.answer(request)},
                }
            ],
            "usage": {"prompt_tokens": 20, "completion_tokens": 5, "total_tokens": 25},
        }
        body = json.dumps(completion).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Not to the terminal."""


@contextmanager
def chat(answer: Answer) -> Iterator[Chat]:
    server = Chat(answer)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()


def said(request: dict[str, Any]) -> str:
    """All that the model is told, in one text."""
    return "\n".join(message["content"] for message in request["messages"])
