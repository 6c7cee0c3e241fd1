import json

import numpy as np
import pytest

from evaluator import gate_odds
from evaluator.gate_odds import Row, judge, judge_fixed, main, simulate
from evaluator.judging.gate import PROMOTE, ContestGame, Gate, GateConfig
from gobang.types import GameRecord, Variant

BOARD = Variant.square(8)


def standing_of(matches, number):
    """What the real gate makes of a simulated match; of a pair it is not known which game was won."""
    gate = Gate(GateConfig(), "v2")
    wins, losses = (np.diff(counts[number], prepend=0) for counts in (matches.wins, matches.losses))
    for pair, (won, lost) in enumerate(zip(wins.tolist(), losses.tolist(), strict=True)):
        for game, points in enumerate([1.0] * won + [0.5] * (2 - won - lost) + [0.0] * lost):
            black, white = ("v2", "v1") if game == 0 else ("v1", "v2")
            outcome = 2 if points == 0.5 else int((points == 1) != (game == 0))
            record = GameRecord(variant=BOARD, moves=(pair, 63), outcome=outcome)
            gate.add(ContestGame(match=0, number=2 * pair + game, names=(black, white), record=record))
    return gate.standing()


@pytest.mark.parametrize(("draws", "share"), [(0.0, 0.6), (0.5, 0.6), (0.9, 0.75), (0.5, 0.5)])
def test_simulated_matches_are_judged_as_the_gate_judges(draws, share):
    matches = simulate(Row(draw_share=draws, decided_share=share, black_share=0.7), 12, 400, seed=3)
    standings = [standing_of(matches, number) for number in range(12)]
    promoted, games = judge(matches)
    assert promoted.tolist() == [standing.verdict == PROMOTE for standing in standings]
    assert games.tolist() == [standing.games for standing in standings]


def test_games_are_drawn_and_won_as_often_as_the_row_says():
    matches = simulate(Row(draw_share=0.5, decided_share=0.75, black_share=0.5), 200, 400, seed=1)
    wins, losses = matches.wins[:, -1].mean(), matches.losses[:, -1].mean()
    assert (wins / 400, losses / 400) == pytest.approx((0.375, 0.125), abs=0.01)
    biased = simulate(Row(draw_share=0.0, decided_share=0.5, black_share=0.9), 200, 400, seed=1)
    assert biased.pairs[:, -1, 2].mean() / 200 == pytest.approx(0.9**2 + 0.1**2, abs=0.01)


def test_a_fixed_gate_counts_points():
    matches = simulate(Row(draw_share=0.0, decided_share=0.5, black_share=0.5), 4000, 400, seed=1)
    assert judge_fixed(matches, 10).mean() == pytest.approx(0.377, abs=0.03)


def test_the_gate_keeps_what_its_page_promises(monkeypatch, capsys):
    monkeypatch.setattr(gate_odds, "MATCHES", 1000)
    assert main(["--json"]) == 0
    rows = json.loads(capsys.readouterr().out.splitlines()[-1])["rows"]
    for row in rows:
        if row["decided_share"] == 0.5:
            assert row["promoted"] <= 0.06, row  # 0.05, and chance
        elif row["decided_share"] >= 0.6:
            assert row["promoted"] >= 0.80, row
        assert row["games"] <= 400
    assert {row["draw_share"] for row in rows if row["decided_share"] == 0.5} == {0, 0.5, 0.9, 0.99}
