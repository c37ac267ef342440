"""Spans to a collector, by the SDK of OpenTelemetry and as its settings say (`OTEL_*`). The only place that knows the SDK."""

from __future__ import annotations

import asyncio
import logging
import sys
import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from perdure.hosts.tracing.ids import Place
from perdure.hosts.tracing.spans import Span
from perdure.version import VERSION

if TYPE_CHECKING:
    from opentelemetry.sdk.trace.export import SpanExporter

EXPORTER, PROTOCOL = "OTEL_TRACES_EXPORTER", "OTEL_EXPORTER_OTLP_PROTOCOL"
TRACES_PROTOCOL = "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"
ENDPOINTS: Final = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
SPOKEN: Final = "http/protobuf"
CLOSE_SECONDS: Final = 5.0
"""So long a process that ends waits for a collector to take what is left."""

_log: Final = logging.getLogger("perdure.tracing")


def exporting(environment: Mapping[str, str]) -> Exporting | None:
    """None: tracing is off. What keeps it from being on is told to the log: the settings may be meant for another program."""
    wanted = _exporters(environment)
    if not wanted:
        return None
    try:
        exporters = [_exporter(name) for name in wanted]
    except ImportError as error:
        _log.warning("spans are not told: %s is missing; pip install 'perdure[otel]'", error.name)
        return None
    return Exporting(exporters, environment)


def _exporters(environment: Mapping[str, str]) -> list[str]:
    """`otlp`, `console`; nothing, if nobody has asked for it."""
    if environment.get("OTEL_SDK_DISABLED", "").strip().lower() == "true":
        return []
    given = environment.get(EXPORTER, "").strip().lower()
    if not given:
        given = "otlp" if any(environment.get(name, "").strip() for name in ENDPOINTS) else "none"
    names = [name.strip() for name in given.split(",") if name.strip() not in ("", "none")]
    unknown = [name for name in names if name not in ("otlp", "console")]
    if unknown:
        _log.warning("spans are not told: %s is %r; write otlp, console or none", EXPORTER, given)
        return []
    protocol = (environment.get(TRACES_PROTOCOL) or environment.get(PROTOCOL) or SPOKEN).strip().lower()
    if "otlp" in names and protocol != SPOKEN:
        _log.warning("spans are not told: %s is %r, and only %s is spoken here", PROTOCOL, protocol, SPOKEN)
        return []
    return names


def _exporter(name: str) -> SpanExporter:
    """Raises ImportError. Not at the top: whoever has no use for it need not have it."""
    from opentelemetry.sdk.trace.export import ConsoleSpanExporter  # noqa: PLC0415

    if name == "console":
        return ConsoleSpanExporter(out=sys.stderr, formatter=lambda span: f"{span.to_json(indent=None)}\n")
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter  # noqa: PLC0415

    return OTLPSpanExporter()


class Exporting:
    """Of one loop: whoever tells a span does it there."""

    def __init__(self, exporters: list[SpanExporter], environment: Mapping[str, str]) -> None:
        from opentelemetry import context, trace  # noqa: PLC0415
        from opentelemetry.sdk.resources import Resource  # noqa: PLC0415
        from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415
        from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415
        from opentelemetry.sdk.trace.id_generator import IdGenerator  # noqa: PLC0415

        class Given(IdGenerator):
            """The ids of the span that is about to be told."""

            place = Place(1, 1)

            def generate_trace_id(self) -> int:
                return self.place.trace

            def generate_span_id(self) -> int:
                return self.place.span

        self._trace, self._context, self._ids = trace, context, Given()
        named = "OTEL_SERVICE_NAME" in environment or "service.name=" in environment.get("OTEL_RESOURCE_ATTRIBUTES", "")
        own = {"service.version": VERSION} | ({} if named else {"service.name": "perdure"})
        self._provider = TracerProvider(resource=Resource.create(own), id_generator=self._ids, shutdown_on_exit=False)
        for exporter in exporters:
            self._provider.add_span_processor(BatchSpanProcessor(exporter))
        self._tracer = self._provider.get_tracer("perdure", VERSION)

    def is_sampled(self, trace: int, parent: Place | None) -> bool:
        """The same for all who ask: by what the parent says, or by the id."""
        above = None if parent is None else self._in(parent)
        decision = self._provider.sampler.should_sample(above, trace, "execution").decision
        return bool(decision.is_sampled())  # type: ignore[no-untyped-call]

    def __call__(self, span: Span) -> None:
        if not span.place.sampled:
            return
        kinds = self._trace.SpanKind
        self._ids.place = span.place
        told = self._tracer.start_span(
            span.name,
            self._context.Context() if span.parent is None else self._in(span.parent),
            kinds.CLIENT if span.kind == "client" else kinds.INTERNAL,
            span.attributes,
            None if span.link is None else [self._trace.Link(self._span_context(span.link))],
            span.begun_at,
            record_exception=False,
        )
        if span.error is not None:
            told.set_status(self._trace.Status(self._trace.StatusCode.ERROR, span.error))
        told.end(max(span.ended_at, span.begun_at))

    def enter(self, place: Place) -> None:
        """Whatever code of others traces, in this context, from here on, is below this span."""
        self._context.attach(self._in(place))

    async def close(self) -> None:
        """What is left is told, if that does not take long."""
        over, loop = asyncio.Event(), asyncio.get_running_loop()

        def shut() -> None:
            self._provider.shutdown()
            if not loop.is_closed():
                loop.call_soon_threadsafe(over.set)

        threading.Thread(target=shut, name="perdure-tracing", daemon=True).start()
        try:
            async with asyncio.timeout(CLOSE_SECONDS):
                await over.wait()
        except TimeoutError:
            _log.warning("the collector of spans does not answer; what was left for it is lost")

    def _in(self, place: Place) -> Any:
        span = self._trace.NonRecordingSpan(self._span_context(place))
        return self._trace.set_span_in_context(span, self._context.Context())

    def _span_context(self, place: Place) -> Any:
        flags = self._trace.TraceFlags(int(place.sampled))
        return self._trace.SpanContext(place.trace, place.span, is_remote=True, trace_flags=flags)
