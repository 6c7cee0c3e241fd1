import pytest

from gobang.progress import duration
from learner.watching.display import block, line, number
from learner.watching.metrics import METRICS
from tests.learner.watching.values import VALUES

BLOCK = {
    "time": "12:34   left 17:26",
    "self-play": "12.3 games/s   411 positions/s   5,210 games   32 simulations   4 actors",
    "inference": "52,346 evaluations/s   batch 61.2   cache 23%",
    "replay": "window 43,210 of 50,000   reuse 4.01   age 1.5   length 18.2   black 0.61",
    "learner": "step 12,345   8 steps/s   version 123   rate 0.0012",
    "losses": "2.31   policy 1.8   chances 0.514   entropy 1.7",
    "strength": "Elo 512 +- 35.2   best 100   ladder 2,000, 0.75",
    "gate": "120 against 100, 34 games, 0.574   next 123",
}


def test_the_block_shows_what_a_run_does():
    assert dict(block(VALUES)) == BLOCK
    assert dict(block({}))["gate"] == "-   next -"


def test_the_line_has_what_matters():
    assert line(VALUES) == (
        "12:34  5,210 games  411 positions/s  version 123  loss 2.31 (policy 1.8, chances 0.514)  "
        "Elo 512 of version 100  17:26 left"
    )


def test_the_line_leaves_out_what_is_not_known():
    assert line({"seconds": 4.0, "games": 0, "left": float("nan")}) == "0:04  0 games"


def test_troubles_are_shown_once_there_are_some():
    values = {**VALUES, "restarts": 2, "failures": 3, "failing": 1, "faults": 1, "cut_off": 0}
    assert dict(block(values))["troubles"] == "2 restarts, 1 actors do nothing but fail, 3 failures, 1 steps left out"
    assert line(values).endswith("17:26 left  2 restarts  1 actors do nothing but fail  3 failures  1 steps left out")
    assert line({**VALUES, "rejected": 7, "damaged": 1}).endswith("left  7 games put aside  1 checkpoints damaged")


def test_where_positions_are_solved_both_show_how_many_moves_keep_their_value():
    values = {**VALUES, "keeps_value": 0.9312, "keeps_value_policy": 0.75}
    assert dict(block(values))["solved"] == "keeps value 93.1%, policy 75.0%"
    assert "Elo 512 of version 100  keeps value 93.1%, policy 75.0%  17:26 left" in line(values)


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [("loss", None, "-"), ("loss", float("nan"), "-"), ("left", 3725.0, "1:02:05"), ("games_per_s", 1234.5, "1,234")],
)
def test_numbers_for_people(name, value, text):
    assert number(name, value) == text


def test_every_metric_that_is_shown_exists():
    assert VALUES.keys() <= METRICS.keys()
    assert duration(59.6) == "1:00"
