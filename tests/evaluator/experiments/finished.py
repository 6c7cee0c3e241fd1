"""Trainings that are over, so that an experiment begins with what comes after them."""

from __future__ import annotations

import io
from dataclasses import replace

from evaluator.experiments.training import Training
from gobang.network.checkpoint import fresh_checkpoint, save_checkpoint
from gobang.network.spec import NetworkSpec
from gobang.run_folder import weights_path
from gobang.settings import write_yaml
from gobang.types import Variant
from learner.run.config import RunConfig
from learner.watching.budget import Budget
from learner.watching.monitor import Monitor
from learner.watching.progress import LineProgress

SECONDS = 3600.0  # that each of them took
STEPS = 100  # of training between versions
_SMALL = {"blocks": 1, "filters": 8, "head_filters": 4, "value_units": 8}


class NoMeters:
    def write(self, values):
        pass


def finish(training: Training, variant: Variant, versions: int = 4) -> None:
    """Write the folder of a run whose networks know nothing."""
    folder = training.folder
    spec = NetworkSpec(features="players", players=variant.players, options=_SMALL)
    folder.create(write_yaml(RunConfig(game=variant, network=spec)))
    now = [0.0]
    monitor = Monitor(folder, LineProgress(io.StringIO()), NoMeters(), Budget(), {}, clock=lambda: now[0])
    values = {}
    for version in range(versions):
        checkpoint = replace(fresh_checkpoint(spec, variant), version=version, step=STEPS * version)
        save_checkpoint(weights_path(folder, version), checkpoint)
        now[0] += SECONDS / (versions - 1)
        values = {"games": 10 * version, "evaluations": 1000 * version, "version": version, "step": STEPS * version}
        values |= {"loss": 4.0 / (1 + version), "loss_policy": 3.0, "entropy": 3.0 - version}
        monitor.show(values)
    folder.write_summary({"state": "finished", "values": {**values, "seconds": SECONDS}})
