import json
import math

import pytest

from learner.watching.metrics import METRICS, MetricsFile, Rates, Total, checked


def test_rates_are_those_of_the_last_seconds():
    rates = Rates()
    assert rates.add(0.0, {"games": 0}) == {"games": 0}
    assert rates.add(5.0, {"games": 100}) == {"games": 100, "games_per_s": 20.0}
    rates.add(10.0, {"games": 100})
    assert rates.add(20.0, {"games": 150})["games_per_s"] == 5.0


def test_a_counter_that_falls_has_no_negative_rate():
    rates = Rates()
    rates.add(0.0, {"evaluations": 500})
    assert rates.add(1.0, {"evaluations": 20})["evaluations_per_s"] == 0


def test_every_rate_has_its_counter():
    assert {metric.counted for metric in METRICS.values()} - {""} <= METRICS.keys()


def test_tags_stand_in_groups_and_each_alone():
    tags = {name: metric.tag for name, metric in METRICS.items()}
    assert [tags[name] for name in ("loss", "loss_policy", "elo", "gate_next", "games_per_s")] == [
        "loss/total", "loss/policy", "strength/elo", "gate/next", "self_play/games_per_s",
    ]  # fmt: skip
    assert len(set(tags.values())) == len(METRICS)


def test_lines_are_json_in_the_order_of_the_list(tmp_path):
    file = MetricsFile(tmp_path / "metrics.jsonl")
    file.write(1.0, {"loss": 2.123456789, "games": 1234567, "elo": math.nan})
    file.write(2.0, {})
    lines = (tmp_path / "metrics.jsonl").read_text().splitlines()
    assert lines[0] == '{"time": 1.0, "games": 1234567, "loss": 2.12346}'
    assert json.loads(lines[1]) == {"time": 2.0}


def test_a_name_that_is_not_in_the_list_is_a_mistake():
    with pytest.raises(AssertionError, match="not in METRICS: los"):
        checked({"los": 1.0})


def test_a_total_survives_restarts():
    total = Total()
    for process, count in (("a", 5), ("b", 3), ("a", 7), ("a", 2)):
        total.add(process, count)
    assert total.value == 7 + 3 + 2
