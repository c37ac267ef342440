"""Real servers on loopback: HTTP from the standard library, SMTP written here. They record what they are told.

Nothing sleeps: a server that is to be slow waits for an event that is set when it is closed.
"""

from __future__ import annotations

import asyncio
import ssl
import threading
from base64 import b64decode
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.message import EmailMessage
from email.parser import BytesParser
from email.policy import default
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

CERTIFICATE = Path(__file__).parent / "perdure_test.pem"
"""For perdure.test, localhost and 127.0.0.1, signed by itself, with its key. Of no use anywhere else."""


def serving_tls() -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(CERTIFICATE)
    return context


def trusting_tls() -> ssl.SSLContext:
    return ssl.create_default_context(cafile=str(CERTIFICATE))


@dataclass(frozen=True)
class Received:
    method: str
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass(frozen=True)
class Reply:
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""
    announce: bool = True
    hang: bool = False
    """After the headers and what there is of the body, nothing more comes."""
    drip: bool = False
    """After that, a byte comes now and then, for as long as anybody listens."""


@dataclass
class HttpServer:
    port: int = 0
    scheme: str = "http"
    replies: Callable[[Received], Reply] = lambda _: Reply()
    received: list[Received] = field(default_factory=list)
    server_names: list[str | None] = field(default_factory=list)
    closing: threading.Event = field(default_factory=threading.Event)

    def url(self, path: str = "/", host: str = "127.0.0.1") -> str:
        return f"{self.scheme}://{host}:{self.port}{path}"


@contextmanager
def http_server(reply: Reply | Callable[[Received], Reply] | None = None, *, tls: bool = False) -> Iterator[HttpServer]:
    server = HttpServer(scheme="https" if tls else "http")
    if reply is not None:
        server.replies = reply if callable(reply) else lambda _: reply

    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            length = int(self.headers.get("content-length", 0))
            body = self.rfile.read(length)
            headers = {name.lower(): value for name, value in self.headers.items()}
            received = Received(self.command, self.path, headers, body)
            server.received.append(received)
            said = server.replies(received)
            self.send_response_only(said.status)
            for name, value in said.headers.items():
                self.send_header(name, value)
            if said.announce:
                self.send_header("content-length", str(len(said.body)))
            self.end_headers()
            try:
                self.wfile.write(said.body)
                self.wfile.flush()
                while said.drip and not server.closing.wait(0.01):
                    self.wfile.write(b".")
            except OSError:
                return  # the client had enough
            if said.hang:
                server.closing.wait()

        do_GET = do_POST = do_PUT = do_DELETE = do_HEAD = do_PATCH = answer  # noqa: N815 -- http.server's names

        def log_message(self, format: str, *args: Any) -> None:
            """Not to stderr."""

    class Quiet(ThreadingHTTPServer):
        request_queue_size = 256

        def handle_error(self, request: Any, client_address: Any) -> None:
            """A client that hangs up is what many of these tests are about."""

    listening = Quiet(("127.0.0.1", 0), Handler)
    server.port = listening.server_address[1]
    if tls:
        context = serving_tls()
        context.sni_callback = lambda _socket, name, _context: server.server_names.append(name)
        listening.socket = context.wrap_socket(listening.socket, server_side=True)
    thread = threading.Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        server.closing.set()
        listening.shutdown()
        thread.join()
        listening.server_close()


@dataclass
class SmtpServer:
    """`answers` are given instead of the usual ones, by the command or the address they are for."""

    port: int = 0
    offers_tls: bool = False
    answers: dict[str, str] = field(default_factory=dict)
    senders: list[str] = field(default_factory=list)
    recipients: list[str] = field(default_factory=list)
    messages: list[bytes] = field(default_factory=list)
    logins: list[tuple[str, str, bool]] = field(default_factory=list)

    def message(self) -> EmailMessage:
        (raw,) = self.messages
        return BytesParser(policy=default).parsebytes(raw)

    async def converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        async def say(*lines: str) -> None:
            writer.write("".join(f"{line}\r\n" for line in lines).encode())
            await writer.drain()

        try:
            await say("220 test")
            while line := (await reader.readline()).decode().rstrip("\r\n"):
                command = line.partition(" ")[0].upper()
                secured = writer.get_extra_info("ssl_object") is not None
                if command in self.answers:
                    await say(self.answers[command])
                elif command in ("EHLO", "HELO"):
                    tls = ["250-STARTTLS"] if self.offers_tls and not secured else []
                    await say("250-test", *tls, "250-SMTPUTF8", "250 AUTH PLAIN")
                elif command == "STARTTLS":
                    await say("220 go on")
                    await writer.start_tls(serving_tls())
                elif command == "AUTH":
                    _, user, password = b64decode(line.split()[2]).decode().split("\0")
                    self.logins.append((user, password, secured))
                    await say("235 welcome")
                elif command == "MAIL":
                    self.senders.append(line.partition("<")[2].partition(">")[0])
                    await say("250 ok")
                elif command == "RCPT":
                    address = line.partition("<")[2].partition(">")[0]
                    if address not in self.answers:
                        self.recipients.append(address)
                    await say(self.answers.get(address, "250 ok"))
                elif command == "DATA":
                    await say("354 go on")
                    text = (await reader.readuntil(b"\r\n.\r\n"))[:-3]
                    self.messages.append(text.replace(b"\r\n..", b"\r\n."))
                    await say(self.answers.get("END", "250 taken"))
                elif command == "QUIT":
                    await say("221 bye")
                    break
                else:
                    await say("250 ok")
        except (ConnectionError, asyncio.IncompleteReadError):
            pass  # hanging up is allowed
        finally:
            writer.close()


@contextmanager
def smtp_server(*, implicit_tls: bool = False, offers_tls: bool = False, **answers: str) -> Iterator[SmtpServer]:
    """Keys of `answers` that are addresses can be put into `server.answers` as well."""
    server = SmtpServer(offers_tls=offers_tls, answers=dict(answers))
    ready, done = threading.Event(), asyncio.Event()
    loop = asyncio.new_event_loop()

    async def serve() -> None:
        tls = serving_tls() if implicit_tls else None
        listening = await asyncio.start_server(server.converse, "127.0.0.1", 0, ssl=tls)
        server.port = listening.sockets[0].getsockname()[1]
        ready.set()
        async with listening:
            await done.wait()

    def run() -> None:
        with asyncio.Runner(loop_factory=lambda: loop) as runner:
            runner.run(serve())

    thread = threading.Thread(target=run)
    thread.start()
    assert ready.wait(10)
    try:
        yield server
    finally:
        loop.call_soon_threadsafe(done.set)
        thread.join()
