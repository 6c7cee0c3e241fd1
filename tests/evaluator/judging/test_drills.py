import json
import threading

import numpy as np
import pytest

from evaluator.judging.contest import JudgeConfig, Stopped
from evaluator.judging.drills import Drill, Drills, drilled
from evaluator.judging.gate import GateConfig
from evaluator.judging.judge import Judge
from evaluator.judging.ladder import LadderConfig
from gobang.errors import VersionGone
from gobang.evaluators.synchronous import SynchronousEvaluator
from gobang.run_folder import RunFolder
from gobang.types import Evaluations
from tests.evaluator.judging.versions import BOARD, FakeVersions

CONFIG = JudgeConfig(
    simulations=4,
    solved_positions=0,
    gate=GateConfig(games=2, opening_plies=3),
    ladder=LadderConfig(first=10, last=10, games=2, percent=1, opening_plies=3),
)


@pytest.fixture
def drills(tmp_path):
    made = []

    def make(stopping=None):
        made.append(Drills(BOARD, RunFolder(tmp_path), stopping or threading.Event()))
        return made[-1]

    yield make
    for each in made:
        each.close()


def test_results_are_shares_and_survive_the_process(drills, tmp_path):
    first = drills()
    assert first.wants(0)
    first.drill(3, FakeVersions({3: 1.0}))
    shares = [first.last.takes_win, first.last.blocks, first.last.alike, *first.last.against_random]
    assert all(0 <= share <= 1 for share in shares)
    journal = RunFolder(tmp_path).drills
    assert json.loads(journal.read_text())["version"] == 3
    journal.write_text(journal.read_text() + '{"version": 4}\n')
    again = drills()
    assert again.last == first.last
    assert (again.wants(3), again.wants(4)) == (False, True)


class Scattered(SynchronousEvaluator):
    """Likes points far from each other in turn, whatever stands on the board: half its games against random moves."""

    version = 0

    def evaluate(self, positions):
        priors = np.empty((len(positions), BOARD.points), np.float32)
        priors[:, np.arange(BOARD.points) * 8 % BOARD.points] = np.linspace(0.08, 0, BOARD.points)
        return Evaluations(priors=priors, chances=np.full((len(positions), 3), 1 / 3, np.float32))


def test_the_network_alone_plays_against_random_moves_without_any_solver():
    drill = drilled(Scattered(), BOARD, 1, threading.Event())
    assert 0.2 < sum(drill.against_random) / 2 < 0.7  # with a solver 0.98


def test_nothing_is_kept_of_a_drill_that_is_stopped(drills):
    stopping = threading.Event()
    stopping.set()
    stopped = drills(stopping)
    with pytest.raises(Stopped):
        stopped.drill(1, FakeVersions({1: 0.0}))
    assert stopped.last is None


def test_the_judge_drills_the_newest_version_before_each_block(tmp_path):
    versions = FakeVersions({0: 0.0})
    judge = Judge(CONFIG, BOARD, RunFolder(tmp_path), versions, threading.Event())
    for newest in (0, 1, 5):
        versions.skills[newest] = 1.0
        judge.step()
        assert isinstance(judge.state().drill, Drill)
        assert judge.state().drill.version == newest
    judge.close()


def test_a_version_whose_weights_are_gone_is_passed_over(tmp_path, caplog):
    versions = FakeVersions({0: 0.0})
    judge = Judge(CONFIG, BOARD, RunFolder(tmp_path), versions, threading.Event())
    versions.evaluator = _gone
    judge.step()
    assert "no such weights" in caplog.text
    assert judge.state().drill is None
    judge.close()


def _gone(version):
    raise VersionGone(f"version {version}: no such weights")
