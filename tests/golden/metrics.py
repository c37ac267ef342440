"""Names, kinds and labels of the metrics as `/metrics` exposes them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from perdure.api.app import application
from perdure.service.engine import Engine
from perdure.store.sqlite.integrity import IntegrityResult

KINDS_PREFIX = "# TYPE "


class _Family(Collector):
    def __init__(self, family: Metric) -> None:
        self._family = family

    def collect(self) -> Iterable[Metric]:
        return (self._family,)


def exposed_metrics() -> set[str]:
    """Return each metric as `perdure_http_requests_total (counter)`, and its labels as `perdure_http_requests_total{route}`."""
    return {name for family in asyncio.run(_families()) for name in _names(family)}


async def _families() -> list[Metric]:
    """Return the families of an engine that knows a result of an integrity check, else some families are left out."""
    async with Engine("memory://") as engine:
        metrics = application(engine).state.metrics
        await metrics.told()  # reads the backlog
        engine.host.monitor.integrity = IntegrityResult(0, 0, 0)
        return list(metrics.collect())


def _names(family: Metric) -> Iterable[str]:
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Family(family))
    labels = {*getattr(family, "_labelnames", ()), *(label for sample in family.samples for label in sample.labels)}
    for line in generate_latest(registry).decode().splitlines():
        if line.startswith(KINDS_PREFIX):
            name, kind = line.removeprefix(KINDS_PREFIX).split()
            yield f"{name} ({kind})"
            yield from (f"{name}{{{label}}}" for label in labels)
