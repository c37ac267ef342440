"""`/metrics`: how the server is doing, in the text format of Prometheus.

Rules: numbers only, with no name of an organization, a workflow or a person, for anybody may ask. What is counted is counted in
this process; only what is told of the backlog is read from the database, at a cost that does not grow with it, and at most once
in a while, however many scrape. Each application has numbers of its own.
"""

from __future__ import annotations

import asyncio
import platform
import secrets
import time
from collections.abc import Iterable, Iterator
from typing import Any, Final

from fastapi import FastAPI
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, GCCollector, ProcessCollector, generate_latest
from prometheus_client.metrics_core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    InfoMetricFamily,
    Metric,
)
from prometheus_client.registry import Collector
from starlette.requests import Request
from starlette.responses import Response

from perdure.api.counting import Requests
from perdure.api.problems import Wrong
from perdure.api.problems import schema as problem_schema
from perdure.api.routes import routes
from perdure.errors import PerdureError
from perdure.hosts.log_queue import dropped_lines
from perdure.hosts.settings import metrics_key, metrics_open
from perdure.runtime.counts import Spread
from perdure.runtime.retention_guard import HELD, SKEW_MAX_MS
from perdure.service.engine import Engine
from perdure.settings.environment import environment
from perdure.settings.table import METRICS_KEY, METRICS_OPEN
from perdure.store.questions import Backlog
from perdure.version import VERSION

ROUTES = routes("", "operations")
MEDIA_TYPE: Final = "text/plain"
BELIEVED_SECONDS: Final = 5.0
"""So long the backlog is told as it was read."""

ASKED_SECONDS: Final = 2.0
"""So long the database is waited for; whoever scrapes does not wait for ever either."""

COUNTED_MAX: Final = 10_000
"""Nothing of the backlog is counted beyond it: that there is far too much of it is all that can be wanted to know."""

DESCRIBED: dict[str, Any] = {
    "status_code": 200,
    "response_class": Response,
    "response_model": None,
    "responses": {
        200: {"description": "numbers", "content": {MEDIA_TYPE: {"schema": {"type": "string"}}}},
        "4XX": problem_schema(),
        "5XX": problem_schema(),
    },
}


@ROUTES.get("/metrics", operation_id="metrics_metrics_get", **DESCRIBED)
async def metrics(request: Request) -> Response:
    """How the server is doing, for Prometheus."""
    found: Metrics = request.app.state.metrics
    found.require_key(request.headers.get("authorization", ""))
    return Response(await found.told(), headers={"Content-Type": CONTENT_TYPE_LATEST})


class Metrics:
    """Of one application."""

    def __init__(self, app: FastAPI, *, needs_key: bool) -> None:
        self._app = app
        self._engine: Engine = app.state.engine
        self._key = metrics_key(environment())
        self._is_open = metrics_open(environment(), default=not needs_key)
        self._read_at = -BELIEVED_SECONDS
        self._backlog: Backlog | None = None
        """None: the database did not say."""
        self._reading: asyncio.Task[Backlog] | None = None
        self.requests = Requests()
        self._registry = CollectorRegistry(auto_describe=False)
        self._registry.register(_Told(self))
        ProcessCollector(registry=self._registry)
        GCCollector(registry=self._registry)

    def require_key(self, given: str) -> None:
        """Raises `Wrong` for any other key than the operator has set, and where none is set, unless metrics are open: by default
        where nothing needs a key.
        """
        if not self._key and not self._is_open:
            raise Wrong(
                401,
                "unauthorized",
                f"Metrics are closed on this server: set {METRICS_KEY.name}, and send it as Authorization: Bearer …; or set "
                f"{METRICS_OPEN.name}=1.",
                headers={"WWW-Authenticate": 'Bearer realm="perdure metrics"'},
            )
        if self._key and not secrets.compare_digest(given.encode(), f"Bearer {self._key}".encode()):
            raise Wrong(
                401,
                "unauthorized",
                f"send what {METRICS_KEY.name} is set to, as Authorization: Bearer …",
                headers={"WWW-Authenticate": 'Bearer realm="perdure metrics"'},
            )

    async def told(self) -> bytes:
        if time.monotonic() - self._read_at >= BELIEVED_SECONDS:
            await self._read()
        return generate_latest(self._registry)

    async def _read(self) -> None:
        """One question at a time, also where many scrape a server whose database is away."""
        if self._reading is None or self._reading.done():
            self._reading = asyncio.create_task(self._ask())
            self._reading.add_done_callback(
                lambda asked: asked.cancelled() or asked.exception()
            )  # nobody may wait any more
        try:
            async with asyncio.timeout(ASKED_SECONDS):
                self._backlog = await asyncio.shield(self._reading)
            self._read_at = time.monotonic()
        except (TimeoutError, PerdureError):
            self._backlog = None

    async def _ask(self) -> Backlog:
        return await self._engine.host.backlog(COUNTED_MAX)

    def collect(self) -> Iterator[Metric]:
        yield InfoMetricFamily(
            "perdure_build", "what runs here", {"version": VERSION, "python": platform.python_version()}
        )
        yield CounterMetricFamily(
            "perdure_log_lines_dropped",
            "log lines that were dropped, because stderr or stdout was not read, or could not be written",
            dropped_lines(),
        )
        yield from self._of_requests()
        yield from self._of_the_worker()
        yield from self._of_the_database()

    def _of_requests(self) -> Iterator[Metric]:
        answered = CounterMetricFamily(
            "perdure_http_requests",
            "requests by route, method and status; 0: gone before the answer",
            labels=("route", "method", "status"),
        )
        for (route, method, status), count in list(self.requests.answered.items()):
            answered.add_metric((route, method, str(status)), count)
        yield answered
        seconds = HistogramMetricFamily(
            "perdure_http_request_duration_seconds",
            "until the last byte was handed on; a stream lasts as long as somebody listens",
            labels=("route", "method"),
        )
        for labels, spread in list(self.requests.seconds.items()):
            seconds.add_metric(labels, _buckets(spread), spread.total)
        yield seconds
        yield _gauge("perdure_http_requests_open", "requests that are being answered", self.requests.open)
        yield _gauge("perdure_stream_listeners", "open live streams", len(self._app.state.streams))

    def _of_the_worker(self) -> Iterator[Metric]:
        shell = self._engine.host.shell
        counts = shell.counts
        yield CounterMetricFamily("perdure_executions_started", "executions that began in this process", counts.started)
        yield _counters("perdure_executions_ended", "executions that ended in this process", "status", counts.ended)
        yield _counters("perdure_steps_ended", "steps that ended in this process", "outcome", counts.steps)
        yield _counters("perdure_attempts_ended", "calls of tasks by this process", "outcome", counts.attempts)
        yield CounterMetricFamily("perdure_executions_claimed", "executions taken up from the database", counts.claimed)
        yield _gauge("perdure_executions_held", "executions in the hands of this process", len(shell.engine.held))
        yield _gauge("perdure_tasks_running", "calls of tasks that run or are about to", shell.calls_count)
        yield CounterMetricFamily("perdure_executions_parked", "executions that this process has parked", counts.parked)
        yield CounterMetricFamily("perdure_events_declined", "events that this process has declined", counts.declined)
        yield from self._of_health()
        yield _counters("perdure_retention_deleted", "what retention has deleted", "kind", counts.deleted.counts())
        conditions = shell.conditions.active()
        yield _gauge(
            "perdure_retention_held",
            "1: retention is off until the clock is trusted",
            int(HELD in conditions or abs(shell.clock.skew_ms or 0) > SKEW_MAX_MS),
        )
        yield _gauge(
            "perdure_clock_skew_seconds",
            "how far the clock of this host is ahead of the database's; 0 where that has none",
            (shell.clock.skew_ms or 0) / 1_000,
        )
        yield CounterMetricFamily(
            "perdure_clock_jumps", "jumps of the clock of this host, or of its database", shell.clock.jumps
        )
        yield HistogramMetricFamily(
            "perdure_commit_duration_seconds",
            "how long a transaction took",
            _buckets(counts.commit_seconds),
            counts.commit_seconds.total,
        )
        yield HistogramMetricFamily(
            "perdure_commit_items",
            "how much was written by one transaction",
            _buckets(counts.commit_items),
            counts.commit_items.total,
        )

    def _of_health(self) -> Iterator[Metric]:
        host = self._engine.host
        conditions = GaugeMetricFamily(
            "perdure_condition", "1: this condition degrades the process, as /readyz says", labels=("code",)
        )
        for code in host.conditions.active():
            conditions.add_metric((code,), 1)
        yield conditions
        yield _gauge(
            "perdure_events_oldest_unrouted_seconds",
            "age of the oldest event that has not been routed, of all organizations",
            host.monitor.unrouted_seconds,
        )
        checked = host.monitor.integrity
        if checked is not None:
            yield _gauge(
                "perdure_integrity_ok", "1: the last integrity check found no damage", int(not checked.problems)
            )
            age = max(host.now_ms() - checked.checked_at, 0) / 1_000
            yield _gauge("perdure_integrity_age_seconds", "time since the last integrity check began", age)

    def _of_the_database(self) -> Iterator[Metric]:
        found = self._backlog
        is_up = found is not None and self._engine.trouble is None
        yield _gauge("perdure_database_up", "1: it can be read and written", int(is_up))
        if found is None:
            return
        told = f"of all organizations; {COUNTED_MAX} may be more"
        yield _gauge("perdure_executions_open", f"executions that have not ended, {told}", found.open)
        yield _gauge(
            "perdure_executions_ready", f"executions that nobody has and that could go on, {told}", found.ready
        )
        yield _gauge("perdure_timers", f"executions that wake by themselves at some time, {told}", found.timed)
        yield _gauge(
            "perdure_timers_overdue", f"those whose time has come and that nobody has yet, {told}", found.overdue
        )
        late = 0 if found.oldest_due_at is None else max(self._engine.host.now_ms() - found.oldest_due_at, 0) / 1_000
        yield _gauge("perdure_timers_oldest_overdue_seconds", "for how long the first of them has been due", late)
        yield _gauge("perdure_approvals_pending", f"approvals that nobody has decided, {told}", found.approvals)
        yield _gauge("perdure_events_unrouted", f"events that have not reached everybody, {told}", found.unrouted)


class _Told(Collector):
    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics

    def collect(self) -> Iterable[Metric]:
        return self._metrics.collect()


def _gauge(name: str, about: str, value: float) -> Metric:
    return GaugeMetricFamily(name, about, value)


def _counters(name: str, about: str, label: str, counts: dict[str, int]) -> Metric:
    found = CounterMetricFamily(name, about, labels=(label,))
    for word, count in counts.items():
        found.add_metric((word,), count)
    return found


def _buckets(spread: Spread) -> list[tuple[str, float]]:
    """Each has all that is below it."""
    so_far, found = 0, list[tuple[str, float]]()
    for bound, count in zip((*spread.bounds, float("inf")), list(spread.counts), strict=True):
        so_far += count
        found.append(("+Inf" if bound == float("inf") else str(float(bound)), so_far))
    return found
