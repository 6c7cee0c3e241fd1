import pytest

from evaluator.report.plots import plot_of
from evaluator.report.run_record import read_run
from evaluator.report.strength import parities, rate_runs
from evaluator.report.strength_plots import elo_plot, score_plots
from evaluator.report.topics import LEARNING
from tests.evaluator.report.written import write_run


@pytest.fixture
def runs(run_folder, tmp_path):
    return [read_run(run_folder), read_run(write_run(tmp_path / "two", speed=3.0))]


def test_versions_stand_where_their_weights_were_made(runs):
    run = runs[:1]
    candidates, best = elo_plot(run, rate_runs(run)).curves
    assert candidates.x["minutes"].tolist() == [1, 3]
    assert candidates.x["evaluations"].tolist() == [0, 20_000]
    assert candidates.y[0] < 0 < candidates.y[1]
    assert best.x["minutes"].tolist() == [1, 3, 6]
    assert best.y.tolist() == [*candidates.y, candidates.y[1]]


def test_scores_are_told_by_opponent_and_colour(runs):
    run = runs[:1]
    ladder, gate = score_plots(run, rate_runs(run))
    assert (ladder.name, gate.name) == ("against-rollout-sims-1000", "against-best")
    black, white = ladder.curves
    assert (black.label, black.y.tolist(), white.y.tolist()) == ("as black", [0, 1], [0, 1])
    assert gate.curves[0].x["minutes"].tolist() == [3]
    assert (black.error >= 0).all()


def test_two_runs_stand_in_one_plot_and_are_rated_together(runs):
    ratings = rate_runs(runs)
    plot = elo_plot(runs, ratings)
    assert {curve.run for curve in plot.curves} == {"one", "two"}
    assert {curve.colour for curve in plot.curves} == {0, 1}
    assert ratings.versions[0][2].elo == pytest.approx(ratings.versions[1][2].elo)
    losses = plot_of(next(topic for topic in LEARNING if topic.name == "losses"), runs)
    assert [curve.run for curve in losses.curves] == ["one", "two"]


def test_parity_is_the_first_promoted_version_as_strong_as_the_opponent(runs):
    first, second = parities(runs, rate_runs(runs))
    assert (first.baseline, first.version) == ("rollout:sims=1000", 2)
    assert (first.at["evaluations"], second.at["evaluations"]) == (20_000, 60_000)
    assert first.lead > 0
