"""What the server calls: an HTTP server that answers with hostile bodies, as a web service and as a language model."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from hostile.values import BYTES, VALUES

BODIES: tuple[bytes, ...] = (*(text.encode() for text in VALUES.values()), *BYTES.values())


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        kind, _, number = self.path.strip("/").partition("/")
        body = BODIES[int(number)]
        if kind == "json":
            self._answer(body, "application/json")
        elif kind == "object":
            self._answer(b'{"x": ' + body + b', "list": [' + body + b"]}", "application/json")
        else:
            self._answer(body, "text/plain")

    def do_POST(self) -> None:
        """A completion: its text is hostile, and so are the names and arguments of the tools that it calls."""
        asked = self.rfile.read(int(self.headers.get("content-length", 0))).decode("utf-8", "replace")
        found = re.search(r"number (\d+)", asked)
        body = BODIES[int(found[1]) if found else 0].decode("utf-8", "replace")
        text = body if body.startswith('"') else json.dumps(body)
        message = f'{{"role": "assistant", "content": {text}}}'
        said = f'{{"choices": [{{"message": {message}, "finish_reason": "stop"}}], "model": {text}, "usage": {body}}}'
        self._answer(said.encode(), "application/json")

    def _answer(self, body: bytes, media: str) -> None:
        self.send_response(200)
        self.send_header("content-type", media)
        self.send_header("content-length", str(len(body)))
        self.send_header("x-odd", "\x85\x9b")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


class _Server(ThreadingHTTPServer):
    request_queue_size = 512  # as many calls as come at once; 5 would refuse some


@contextmanager
def upstream() -> Iterator[str]:
    server = _Server(("127.0.0.1", 0), _Handler)
    running = threading.Thread(target=server.serve_forever, daemon=True)
    running.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        running.join(10)
