"""A collector of spans: it takes what is sent to it by OTLP over HTTP, and keeps it."""

from __future__ import annotations

import gzip
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from msgspec import Struct
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

SECONDS_MAX = 30


class Told(Struct, frozen=True):
    """A span, as it was told."""

    name: str
    trace: str
    span: str
    parent: str
    begun_at: int
    ended_at: int
    attributes: dict[str, Any]
    error: str | None
    kind: int
    links: tuple[tuple[str, str], ...]
    service: str


class Collector:
    def __init__(self) -> None:
        self.spans: list[Told] = []
        self.raw = b""
        self._more = threading.Condition()

    def take(self, body: bytes) -> None:
        request = ExportTraceServiceRequest.FromString(body)
        with self._more:
            self.raw += body
            for resource in request.resource_spans:
                service = {each.key: each.value.string_value for each in resource.resource.attributes}["service.name"]
                self.spans += [_told(span, service) for scope in resource.scope_spans for span in scope.spans]
            self._more.notify_all()

    def until(self, good: Callable[[list[Told]], object]) -> list[Told]:
        with self._more:
            assert self._more.wait_for(lambda: good(self.spans), SECONDS_MAX), [each.name for each in self.spans]
            return list(self.spans)

    def named(self, *names: str) -> dict[str, Told]:
        """Once there are spans of these names, each by its own. Of one name there may be one only."""
        found = self.until(lambda spans: set(names) <= {each.name for each in spans})
        assert len({each.name for each in found}) == len(found), [each.name for each in found]
        return {each.name: each for each in found}


def _told(span: Any, service: str) -> Told:
    values = {each.key: getattr(each.value, each.value.WhichOneof("value")) for each in span.attributes}
    return Told(
        span.name,
        span.trace_id.hex(),
        span.span_id.hex(),
        span.parent_span_id.hex(),
        span.start_time_unix_nano,
        span.end_time_unix_nano,
        values,
        span.status.message or "error" if span.status.code == 2 else None,
        span.kind,
        tuple((link.trace_id.hex(), link.span_id.hex()) for link in span.links),
        service,
    )


@contextmanager
def collecting() -> Iterator[tuple[Collector, dict[str, str]]]:
    """A collector, and the settings that lead to it."""
    collector = Collector()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            collector.take(gzip.decompress(body) if self.headers.get("content-encoding") == "gzip" else body)
            self.send_response(200)
            self.send_header("content-type", "application/x-protobuf")
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        place = f"http://127.0.0.1:{server.server_port}"
        try:
            yield collector, {"OTEL_EXPORTER_OTLP_ENDPOINT": place, "OTEL_BSP_SCHEDULE_DELAY": "50"}
        finally:
            server.shutdown()
            thread.join()
