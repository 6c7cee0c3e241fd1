import json

import numpy as np

from evaluator.report.plots import plot_of
from evaluator.report.run_record import read_run
from evaluator.report.topics import LEARNING, PLAYING


def topic(name):
    return next(each for each in (*LEARNING, *PLAYING) if each.name == name)


def with_lines(folder, lines):
    with (folder / "metrics.jsonl").open("a") as file:
        file.writelines(json.dumps(line) + "\n" for line in lines)
    return read_run(folder)


def test_metrics_of_small_boards_are_shown_if_they_are_there(run_folder):
    assert plot_of(topic("keeps-value"), [read_run(run_folder)]) is None
    run = with_lines(run_folder, [{"seconds": 400, "keeps_value": 0.9}, {"seconds": 410, "keeps_value_policy": 0.8}])
    search, policy = plot_of(topic("keeps-value"), [run]).curves
    assert (search.y.tolist(), policy.y.tolist()) == ([0.9], [0.8])
    assert search.x["minutes"].tolist() == [400 / 60]


def test_a_long_curve_is_thinned_to_the_means_of_neighbours(run_folder):
    run = with_lines(run_folder, [{"seconds": 60 * (7 + line), "age": line} for line in range(1000)])
    curve = plot_of(topic("staleness"), [run]).curves[0]
    assert len(curve.y) <= 300
    assert np.array_equal(curve.x["minutes"] - 7, curve.y)
    assert curve.y[0] == 1.5


def test_a_logarithmic_scale_leaves_out_what_it_cannot_show(run_folder):
    run = with_lines(run_folder, [{"seconds": 400, "kl": 0.0}])
    assert (plot_of(topic("kl"), [run]).curves[0].y > 0).all()
