"""The metrics of a run as gauges of Ray, for its dashboard and Prometheus: `ray_gobang_loss` and so on."""

from __future__ import annotations

from collections.abc import Mapping

from ray.util.metrics import Gauge

from learner.watching.metrics import METRICS, checked


class Gauges:
    """One gauge for each metric, in the process that reports them all."""

    def __init__(self) -> None:
        self._gauges = {
            name: Gauge(f"gobang_{name}", description=f"{metric.unit} {metric.help}".strip())
            for name, metric in METRICS.items()
        }

    def write(self, values: Mapping[str, float]) -> None:
        """Set those that are known."""
        for name in checked(values):
            self._gauges[name].set(values[name])
