from dataclasses import replace

import pytest

from actors.server.tally import Tally
from gobang.reports import ActorReport, JudgeReport, Reports, SelfPlayReport
from learner.watching.collect import Collector, standstills
from learner.watching.metrics import checked

PLAYING = SelfPlayReport(
    name="actor-0-ab", games=3, moves=40, simulations=900, evaluations=800, cache_hits=200, buffered=1, discarded=0,
    simulations_per_move=16, version=4, is_waiting=True, is_cut_off=False,
)  # fmt: skip
JUDGING = JudgeReport(
    elo=120.0, elo_error=30.0, rung=2000, gate_version=6, gate_games=8, gate_score=0.625, gate_next=9,
    standstills=2, keeps_value=0.9, keeps_value_policy=0.7, takes_win=0.8, blocks=0.75, alike=0.6, random_black=1.0,
    random_white=0.9, failures=1, last_failure="away",
)  # fmt: skip


def actor(playing: SelfPlayReport | None, failures: int = 0) -> ActorReport:
    return ActorReport(
        cpu_seconds=1.0, self_play=playing, failures=failures, failures_in_a_row=failures, last_failure=""
    )


def test_reports_become_metrics():
    server = Tally(positions=700, questions=30, batches=20, waited=0.03).report(clients=2, models={"latest": 5})
    reports = Reports(
        learner={"games": 9, "version": 6},
        servers={0: server},
        actors={0: actor(PLAYING), 1: actor(None, failures=3)},
        judge=JUDGING,
    )
    values = Collector().collect(reports)
    assert checked(values)
    assert values == pytest.approx(
        {
            "games": 9, "version": 6, "evaluations": 600, "batch_size": 35.0, "batch_wait": 1.0, "actors": 1,
            "buffered": 1, "discarded": 0, "failing": 1,
            "cache_hits": 0.25, "effort": 22.5, "failures": 4, "waiting": 1,
            "cut_off": 0, "played": 4,
            "served": 5, "clients": 2, "dropped": 0, "elo": 120.0, "elo_error": 30.0, "ladder": 2000,
            "gate_version": 6, "gate_games": 8, "gate_score": 0.625, "gate_next": 9, "keeps_value": 0.9,
            "keeps_value_policy": 0.7, "takes_win": 0.8, "blocks": 0.75, "alike": 0.6, "random_black": 1.0,
            "random_white": 0.9,
        }
    )  # fmt: skip
    assert standstills(reports) == 2


def test_a_match_of_the_ladder_is_none_of_the_gate():
    climbing = replace(JUDGING, gate_version=None, gate_games=0, gate_score=None, ladder_score=0.625)
    values = Collector().collect(Reports(judge=climbing))
    assert (values["ladder_score"], values.keys() & {"gate_version", "gate_games"}) == (0.625, set())


def test_a_learner_that_restarts_keeps_its_counters():
    collector = Collector()
    collector.collect(Reports(learner={"games": 9}))
    assert collector.collect(Reports())["games"] == 9


def test_failures_outlive_the_process_that_had_them():
    collector = Collector()
    for failures in (2, 0, 1):
        values = collector.collect(Reports(actors={0: actor(None, failures=failures)}))
    assert values["failures"] == 3


def test_parts_that_have_not_begun_have_no_numbers():
    assert standstills(Reports()) == standstills(Reports(judge=JudgeReport())) == 0
    assert Collector().collect(Reports(judge=JudgeReport()))["evaluations"] == 0
