from dataclasses import replace

import pytest

from actors.remote import ActorReport
from actors.self_play.self_play import SelfPlayReport
from actors.server.server_report import Tally
from gobang.reports import EvaluatorReport
from learner.watching.collect import Collector, standstills
from learner.watching.metrics import checked

PLAYING = SelfPlayReport(
    name="actor-0-ab", games=3, moves=40, simulations=900, evaluations=800, cache_hits=200, sent=2, buffered=1,
    simulations_per_move=16, version=4, is_waiting=False, is_cut_off=False,
)  # fmt: skip
EVALUATOR = EvaluatorReport(
    best=4, judged=5, elo=120.0, elo_error=30.0, rung=2000, candidate="v6", opponent="v4", is_gate=True,
    match_games=8, match_score=0.625, next_candidate=9, exam_version=5, keeps_value=0.9, keeps_value_policy=0.7,
    standstills=2, games=59,
)  # fmt: skip


def actor(playing: SelfPlayReport | None) -> ActorReport:
    fields = {"pid": 7, "self_play": playing, "failures": 0, "last_failure": "", "cpu_seconds": 1.0}
    return ActorReport(**{name: fields[name] for name in ActorReport.__dataclass_fields__})


def test_reports_become_metrics():
    tally = Tally(positions=700, questions=30, batches=20, waited=0.03)
    server = tally.report(clients=2, models={}, swaps=0)
    reports = {
        "learner": {"games": 9, "version": 6},
        "inference 0": server,
        "actor 0": actor(PLAYING),
        "actor 1": actor(None),
        "evaluator": EVALUATOR,
    }
    values = Collector().collect(reports)
    assert checked(values)
    assert values == pytest.approx(
        {
            "games": 9, "version": 6, "evaluations": 600, "batch_size": 35.0, "batch_wait": 1.0, "actors": 1,
            "buffered": 1, "cache_hits": 0.25, "elo": 120.0, "elo_error": 30.0, "ladder": 2000, "gate_version": 6,
            "gate_games": 8, "gate_score": 0.625, "gate_next": 9, "keeps_value": 0.9, "keeps_value_policy": 0.7,
        }
    )  # fmt: skip
    assert standstills(reports) == 2


def test_a_match_of_the_ladder_is_none_of_the_gate():
    report = replace(EVALUATOR, opponent="rollout:sims=2000", is_gate=False)
    values = Collector().collect({"evaluator": report})
    assert (values["ladder_score"], values.get("gate_version")) == (0.625, None)


def test_a_learner_that_restarts_keeps_its_counters():
    collector = Collector()
    collector.collect({"learner": {"games": 9}})
    assert collector.collect({})["games"] == 9


def test_parts_that_have_not_begun_have_no_numbers():
    reports = {"evaluator": EvaluatorReport()}
    assert standstills({}) == standstills(reports) == 0
    assert Collector().collect(reports)["evaluations"] == 0
