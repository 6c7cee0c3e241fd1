"""Every metric that is declared has a producer, and every field of a report a reader."""

import ast
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

from actors.self_play.self_play import SelfPlay, SelfPlayConfig
from actors.server.tally import Tally
from gobang.evaluators.null import NullEvaluator
from gobang.network.spec import NetworkSpec
from gobang.reports import ActorReport, JudgeReport, Reports, SelfPlayReport, ServerReport
from gobang.run_folder import RunFolder
from gobang.search.trees.config import SearchConfig
from gobang.types import Variant
from learner.replay.pool.limiter import LimiterConfig
from learner.replay.pool.memory_pool import MemoryPool
from learner.run.playouts import PlayoutSchedule
from learner.run.watch import Watch
from learner.training.experience import PoolExperience, ReplayConfig
from learner.training.learner import Learner, LearnerConfig
from learner.training.trainer import TrainerConfig
from learner.watching.budget import Budget
from learner.watching.collect import Collector
from learner.watching.metrics import METRICS, Values
from learner.watching.monitor import Monitor

VARIANT = Variant.square(5, k=4)
ROOT = Path(__file__).parents[3]
READERS = [*(ROOT / "learner" / "run").rglob("*.py"), *(ROOT / "learner" / "watching").rglob("*.py")]
MEASUREMENTS = [ROOT / "actors" / "bench.py", ROOT / "actors" / "remote.py"]


def learned(folder: Path) -> tuple[Values, SelfPlayReport]:
    """What a learner knows after some steps on games of an actor, and what that actor reports."""
    pool = MemoryPool(VARIANT, limiter=LimiterConfig(minimum=16, tolerance=10_000))
    config = SelfPlayConfig(search=SearchConfig(simulations=4), games=2)
    self_play = SelfPlay(VARIANT, config, NullEvaluator(VARIANT), pool, name="a", seed=1)
    while pool.counters().games < 20:
        report = self_play.step()
    run = RunFolder(folder)
    run.create("")
    options = {"blocks": 1, "filters": 8, "head_filters": 4, "value_units": 8}
    learner = Learner(
        variant=VARIANT,
        network=NetworkSpec(options=options, reply_head=True),
        trainer=TrainerConfig(precision="fp32", kl_every=1),
        config=LearnerConfig(batch=16),
        folder=run,
        experience=PoolExperience(pool, VARIANT, ReplayConfig()),
        seed=1,
    )
    assert learner.advance()
    return learner.values(), report


class Shown:
    def update(self, values: Values) -> None:
        self.values = values

    write = update


class OnePart:
    """A supervisor of nothing."""

    restarts = 0

    def poll(self):
        return {}


def test_every_metric_is_made_by_somebody(tmp_path):
    learner, played = learned(tmp_path)
    judging = {entry.name: 1 for entry in fields(JudgeReport)}
    reports = Reports(
        learner=learner,
        judge=JudgeReport(**judging),
        servers={0: Tally().report(clients=1, models={"latest": 1})},
        actors={0: ActorReport(cpu_seconds=1.0, self_play=played, failures=0, failures_in_a_row=0, last_failure="")},
    )
    watched = Watch(OnePart(), PlayoutSchedule(), RunFolder(tmp_path), print).look(0.0)
    now, shown = [0.0], Shown()
    monitor = Monitor(RunFolder(tmp_path), shown, shown, Budget(minutes=1), {}, clock=lambda: now[0])
    for now[0] in (0.0, 20.0):
        monitor.show({**watched, **Collector().collect(reports)})
    assert set(shown.values) == set(METRICS)
    assert np.isfinite(learner["loss_reply"])


@pytest.mark.parametrize("report", [SelfPlayReport, ActorReport, ServerReport, JudgeReport])
def test_every_field_of_a_report_is_read_by_somebody(report):
    trees = [ast.parse(path.read_text(encoding="utf8")) for path in (*READERS, *MEASUREMENTS)]
    read = {node.attr for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    assert [entry.name for entry in fields(report) if entry.name not in read] == []
