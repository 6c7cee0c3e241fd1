import os
import signal
import threading
from dataclasses import replace

import pytest

from evaluator.judging.contest import Contest, JudgeConfig, Rollouts, Version
from evaluator.judging.drills import Drill
from evaluator.judging.examiner import Exam
from evaluator.judging.gate import CONTINUE, GateConfig, Standing
from evaluator.judging.judge import NO_STANDING, JudgeState
from evaluator.judging.ladder import LadderConfig
from evaluator.statistics.bradley_terry import Rating
from evaluator.statistics.tally import Tally
from gobang.reports import JudgeReport
from gobang.run_folder import RunFolder
from tests.evaluator.judging.versions import BOARD, FakeVersions

ray = pytest.importorskip("ray")

from actors.remote import local_ray  # noqa: E402
from evaluator.judging.judge_report import report_of  # noqa: E402
from evaluator.judging.remote import JudgeActor, start_judge  # noqa: E402

CONFIG = JudgeConfig(
    simulations=8,
    solver=False,
    solved_positions=0,
    drills=False,
    gate=GateConfig(games=40, opening_plies=3),
    ladder=LadderConfig(first=10_000, last=10_000, games=2, opening_plies=3),
)
SECONDS = 60  # to wait for what must happen at last
STATE = JudgeState(
    best=4,
    judged=5,
    newest=9,
    contest=Contest(number=2, candidate=6, opponent=Version(number=4), terms=""),
    standing=Standing(
        verdict=CONTINUE,
        by_colour=(Tally(wins=3, draws=0, losses=1), Tally(wins=1, draws=2, losses=1)),
        games=10,
        log_likelihood_ratio=0.1,
    ),
    rung=2000,
    standstills=2,
    ratings=(Rating(name="v3", elo=0.0, error=9.0, games=9), Rating(name="v4", elo=120.0, error=30.0, games=50)),
    games=59,
    exam=Exam(version=5, keeps_value=0.9, keeps_value_policy=0.7),
    drill=Drill(version=9, takes_win=0.8, blocks=0.7, alike=0.6, against_random=(1.0, 0.9)),
)


def test_the_report_tells_of_the_gate_in_progress():
    assert report_of(STATE) == JudgeReport(
        elo=120.0, elo_error=30.0, rung=2000, gate_version=6, gate_games=10, gate_score=0.625, gate_next=9,
        standstills=2, keeps_value=0.9, keeps_value_policy=0.7, takes_win=0.8, blocks=0.7, alike=0.6,
        random_black=1.0, random_white=0.9,
    )  # fmt: skip


def test_the_report_tells_of_the_ladder_apart():
    contest = Contest(number=3, candidate=5, opponent=Rollouts(playouts=2000), terms="")
    report = report_of(replace(STATE, contest=contest))
    assert (report.ladder_score, report.gate_next) == (0.625, 9)
    assert (report.gate_version, report.gate_games, report.gate_score) == (None, 0, None)
    assert report_of(replace(STATE, contest=contest, standing=NO_STANDING)).ladder_score is None


def test_between_matches_there_is_none_to_report():
    report = report_of(replace(STATE, newest=5, contest=None, standing=NO_STANDING, exam=None, drill=None, ratings=()))
    assert report == JudgeReport(rung=2000, standstills=2)


@pytest.mark.parametrize(("newest", "waiting"), [(6, None), (7, 7)])
def test_next_is_a_version_newer_than_the_one_in_the_gate(newest, waiting):
    assert report_of(replace(STATE, newest=newest)).gate_next == waiting


class Signalling(FakeVersions):
    """Versions that tell when they promote one."""

    def __init__(self, skills):
        super().__init__(skills)
        self.heard = threading.Event()

    def promote(self, version):
        super().promote(version)
        self.heard.set()


@pytest.fixture
def started(tmp_path):
    actors = []

    def start(make_versions):
        actors.append(JudgeActor(CONFIG, BOARD, RunFolder(tmp_path), make_versions))
        return actors[-1]

    yield start
    for actor in actors:
        assert actor.stop(SECONDS)


def test_it_judges_from_its_creation_until_it_is_stopped(started):
    versions = Signalling({0: -1.0, 1: 1.0})
    actor = started(lambda: versions)
    assert versions.heard.wait(SECONDS)
    assert actor.stop(SECONDS)
    assert versions.promoted[-1] == 1
    assert actor.report().failures == 0


def test_rollouts_are_compiled_before_a_match_is_charged_for_it(started, monkeypatch):
    order = []
    monkeypatch.setattr("evaluator.judging.remote.compile_rollouts", order.append)
    versions = Signalling({0: -1.0, 1: 1.0})

    def make_versions():
        order.append("versions")
        return versions

    started(make_versions)
    assert versions.heard.wait(SECONDS)
    assert order == [BOARD, "versions"]


def test_what_fails_is_counted_said_once_and_tried_again(started, monkeypatch, caplog):
    monkeypatch.setattr("evaluator.judging.remote._SECONDS_AFTER_FAILURE", 0)
    versions = Signalling({0: -1.0, 1: 1.0})
    failures = iter([ConnectionError("the learner is away")] * 2)

    def make_versions():
        if failure := next(failures, None):
            raise failure
        return versions

    actor = started(make_versions)
    assert versions.heard.wait(SECONDS)
    assert actor.report().failures == 2
    assert actor.report().last_failure == "ConnectionError: the learner is away"
    assert caplog.text.count("the learner is away; it tries again") == 1


@ray.remote(num_cpus=0)
class Promotions:
    """Hears of promotions across processes."""

    def __init__(self):
        self.versions = []

    def add(self, version, process):
        self.versions.append((version, process))
        return len(self.versions)

    def seen(self):
        return self.versions


class Reporting(FakeVersions):
    """Versions that tell a Ray actor whom they promote, and which process did."""

    def __init__(self, promotions):
        super().__init__({0: -1.0, 1: 1.0})
        self.actor = promotions

    def promote(self, version):
        ray.get(self.actor.add.remote(version, os.getpid()), timeout=SECONDS)


@pytest.fixture
def cluster(monkeypatch):
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    with local_ray(cpus=2):
        yield


@pytest.mark.heavy
@pytest.mark.filterwarnings("default")
def test_a_killed_actor_is_back_by_itself(cluster, tmp_path):
    promotions = Promotions.remote()
    actor = start_judge(CONFIG, BOARD, RunFolder(tmp_path), lambda: Reporting(promotions))

    def wait_for(count):
        while len(seen := ray.get(promotions.seen.remote(), timeout=SECONDS)) < count:
            pass
        return seen

    (version, process), *_ = wait_for(1)
    os.kill(process, signal.SIGKILL)
    again, other_process = wait_for(2)[1]
    assert (version, again) == (1, 1)
    assert other_process != process
    report = ray.get(actor.report.remote(), timeout=SECONDS)
    assert report.standstills == 0
    assert ray.get(actor.stop.remote(), timeout=SECONDS)
