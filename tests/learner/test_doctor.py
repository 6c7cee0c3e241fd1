import pytest

from gobang.network.runtimes.backend import Backend
from learner.run import estimate
from learner.run.config import read_config
from learner.run.diagnosis import machine
from learner.run.estimate import Speeds, Work, hours, measure, work_of
from learner.run.presets import load_preset


def test_work_follows_from_steps_reuse_and_playouts():
    values = {
        "trainer": {"learning_rate": {"steps": 1000}},
        "learner": {"batch": 100},
        "replay": {"limiter": {"early_positions": 5000}},
        "playouts": {"steps": [[0, 10], [15_000, 20]]},
    }
    # 40,000 samples from the first 5000 positions, 60,000 from the next 15,000
    work = work_of(read_config(values))
    assert work == Work(positions=20_000, simulations=15_000 * 10 + 5000 * 20, samples=100_000)


def test_a_run_that_ends_early_sees_no_later_playouts():
    values = {"trainer": {"learning_rate": {"steps": 80}}, "learner": {"batch": 100}}
    work = work_of(read_config(values))
    assert (work.positions, work.simulations) == (1000, 16_000)


def test_hours_share_the_cores_but_not_the_training():
    work = Work(positions=1, simulations=3_600_000, samples=3_600_000)
    speeds = Speeds(evaluations=1000.0, simulations=1000.0, samples=1000.0)
    assert hours(work, speeds, cores=2, has_gpu=False) == pytest.approx(1.5)
    assert hours(work, speeds, cores=30, has_gpu=False) == pytest.approx(1.0)
    assert hours(work, speeds, cores=30, has_gpu=True) == pytest.approx(2.0)


def test_this_machine_is_measured(monkeypatch):
    monkeypatch.setattr(estimate, "SECONDS", 0.01)
    config = read_config(load_preset("tiny"))
    speeds = measure(config, Backend(name="torch", precision="fp32"))
    assert min(speeds.evaluations, speeds.simulations, speeds.samples) > 0
    assert machine()[0].startswith("machine")
