import json
import threading
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pytest

from evaluator.judging.contest import JudgeConfig, Stopped
from evaluator.judging.examiner import Exam, Examiner
from evaluator.judging.gate import GateConfig
from evaluator.judging.judge import Judge
from evaluator.judging.ladder import LadderConfig
from evaluator.truth.solved import load_solved
from gobang.errors import VersionGone
from gobang.evaluators.synchronous import SynchronousEvaluator
from gobang.rules.position import Position
from gobang.run_folder import RunFolder
from gobang.types import Evaluations, Variant
from tests.evaluator.judging.versions import BOARD, FakeVersions

GOLDEN = Path(__file__).parents[2] / "golden" / "judging" / "exams.jsonl"


@pytest.fixture
def examiner(tmp_path):
    made = []

    def make(variant=BOARD, stopping=None):
        made.append(Examiner(variant, RunFolder(tmp_path), stopping or threading.Event(), most=40))
        return made[-1]

    yield make
    for each in made:
        each.close()


def test_a_version_that_sees_rows_does_better_than_one_that_takes_good_for_bad(examiner):
    versions, examined = FakeVersions({1: -1.0, 2: 1.0}), []
    for version in (1, 2):
        examiner().examine(version, versions)
        examined.append(examiner().last)
    assert [exam.version for exam in examined] == [1, 2]
    assert examined[0].keeps_value < examined[1].keeps_value
    assert examined[1].keeps_value > 0.5


class FirstPoints(SynchronousEvaluator):
    """Likes each point better than the next one, whatever stands on the board."""

    version = 0

    def evaluate(self, positions):
        priors = np.tile(np.arange(BOARD.points, 0, -1, dtype=np.float32), (len(positions), 1))
        return Evaluations(priors=priors / priors[0].sum(), chances=np.full((len(positions), 3), 1 / 3, np.float32))


def test_the_network_alone_is_examined_without_any_solver(examiner):
    versions, examined = FakeVersions({1: 0.0}), examiner()
    versions.evaluator = lambda version: nullcontext(FirstPoints())
    examined.examine(1, versions)
    asked = load_solved(BOARD)[:40]
    first = [int(np.flatnonzero(Position(BOARD, solved.moves).legal())[0]) for solved in asked]
    kept = [solved.values[point] == solved.value for solved, point in zip(asked, first, strict=True)]
    assert examined.last.keeps_value_policy == np.mean(kept)


def test_results_survive_the_process(examiner, tmp_path):
    first = examiner()
    assert first.wants(0)
    first.examine(3, FakeVersions({3: 0.0}))
    journal = RunFolder(tmp_path).exams
    journal.write_text(journal.read_text() + '{"version": 4}\n')
    again = examiner()
    assert again.last == first.last
    assert (again.wants(3), again.wants(4)) == (False, True)
    assert json.loads(journal.read_text().splitlines()[0])["version"] == 3


def test_results_of_runs_made_before_are_read(examiner, tmp_path):
    journal = RunFolder(tmp_path).exams
    journal.parent.mkdir()
    journal.write_bytes(GOLDEN.read_bytes())
    assert examiner().last == Exam(version=8, keeps_value=0.7, keeps_value_policy=0.6)


def test_nothing_is_kept_of_an_exam_that_is_stopped(examiner):
    stopping = threading.Event()
    stopping.set()
    stopped = examiner(stopping=stopping)
    with pytest.raises(Stopped):
        stopped.examine(1, FakeVersions({1: 0.0}))
    assert stopped.last is None
    assert stopped.wants(1)


def test_other_games_are_left_alone(examiner):
    assert not examiner(Variant.square(8)).wants(1)


def test_the_judge_examines_the_newest_version_before_each_gate(tmp_path):
    config = JudgeConfig(
        simulations=4,
        solved_positions=20,
        gate=GateConfig(games=2, opening_plies=3),
        ladder=LadderConfig(first=10, last=10, games=2, percent=1, opening_plies=3),
    )
    versions = FakeVersions({1: 0.0})
    judge = Judge(config, BOARD, RunFolder(tmp_path), versions, threading.Event())
    for newest in (1, 2):
        versions.skills[newest] = 1.0
        while judge.step():
            pass
        assert judge.state().exam.version == newest
    judge.close()


def test_a_version_whose_weights_are_gone_is_passed_over(tmp_path, caplog):
    versions = FakeVersions({0: 0.0, 1: 0.0})
    judge = Judge(JudgeConfig(), BOARD, RunFolder(tmp_path), versions, threading.Event())
    versions.evaluator = _gone
    judge.step()
    assert "no such weights" in caplog.text
    assert judge.state().exam is None
    assert not judge.step()
    assert caplog.text.count("version 1 is skipped") == len(caplog.records) == 1
    versions.skills[2] = 0.0
    judge.step()
    assert "version 2 is skipped" in caplog.text
    judge.close()


def _gone(version):
    raise VersionGone(f"version {version}: no such weights")
