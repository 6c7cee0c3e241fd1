import io

import pytest

from learner.watching.metrics import METRICS
from learner.watching.progress import Progress, block, duration, line, number

VALUES = {
    "seconds": 754.0, "left": 1046.0, "restarts": 1, "games": 5210, "positions": 98_000, "games_per_s": 12.34,
    "positions_per_s": 410.6, "evaluations_per_s": 52_345.6, "batch_size": 61.25, "cache_hits": 0.234, "actors": 4,
    "simulations": 32, "window": 43_210, "window_limit": 50_000, "reuse": 4.012, "age": 1.5, "game_length": 18.2,
    "black_score": 0.61, "step": 12_345, "steps_per_s": 8.0, "version": 123, "best": 100, "loss": 2.3145,
    "loss_policy": 1.8, "loss_outcome": 0.5145, "entropy": 1.7, "learning_rate": 0.0012, "elo": 512.4,
    "elo_error": 35.2, "ladder": 2000, "ladder_score": 0.75, "gate_version": 120, "gate_games": 34,
    "gate_score": 0.574, "gate_next": 123,
}  # fmt: skip

BLOCK = """\
time        12:34   left 17:26   restarts 1
self-play   12.3 games/s   411 positions/s   5,210 games   32 simulations   4 actors
inference   52,346 evaluations/s   batch 61.2   cache 23%
replay      window 43,210 of 50,000   reuse 4.01   age 1.5   length 18.2   black 0.61
learner     step 12,345   8 steps/s   version 123   rate 0.0012
losses      2.31   policy 1.8   chances 0.514   entropy 1.7
strength    Elo 512 +- 35.2   best 100   ladder 2,000, 0.75
gate        120 against 100, 34 games, 0.574   next 123"""


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_the_block_shows_what_a_run_does():
    assert "\n".join(block(VALUES)) == BLOCK
    assert block({})[-1] == "gate        -   next -"


def test_the_line_shows_the_same_in_short():
    assert line(VALUES) == (
        "12:34 5,210 games 12.3/s 411 positions/s 52,346 evaluations/s batch 61.2 cache 23% reuse 4.01 window 43,210 "
        "step 12,345 version 123 loss 2.31 policy 1.8 chances 0.514 entropy 1.7 rate 0.0012 Elo 512 best 100 "
        "gate 34 games 0.574 next 123 left 17:26"
    )


def test_troubles_are_shown_once_there_are_some():
    values = {**VALUES, "failures": 3, "faults": 1, "cut_off": 0}
    assert "4 actors, 3 failures, 1 steps left out" in block(values)[1]
    assert line(values).endswith("left 17:26, 3 failures, 1 steps left out")


def test_where_positions_are_solved_both_show_how_many_moves_keep_their_value():
    values = {**VALUES, "keeps_value": 0.9312, "keeps_value_policy": 0.75}
    assert "strength    Elo 512 +- 35.2   best 100   ladder 2,000, 0.75   keeps value 93.1%, policy 75.0%" in block(
        values
    )
    assert "next 123 keeps value 93.1%, policy 75.0% left 17:26" in line(values)


def test_a_terminal_is_redrawn_in_place_and_events_stay_above():
    now = [0.0]
    terminal = Terminal()
    progress = Progress("8x8", terminal, clock=lambda: now[0])
    progress.update(VALUES)
    progress.update(VALUES)  # too soon
    assert terminal.getvalue().count("\n") == 9
    now[0] = 1.0
    progress.update(VALUES)
    assert terminal.getvalue().count("\x1b[9A\r8x8") == 1
    progress.say("actor 3 hung")
    assert terminal.getvalue().endswith("\x1b[9A\r\x1b[Jactor 3 hung\n")
    progress.update(VALUES)
    assert terminal.getvalue().count("8x8") == 3


def test_without_a_terminal_a_line_comes_every_few_seconds():
    now = [0.0]
    stream = io.StringIO()
    progress = Progress("8x8", stream, clock=lambda: now[0])
    for now[0] in (0.0, 1.0, 4.9, 5.0):
        progress.update(VALUES)
    assert stream.getvalue().splitlines() == [line(VALUES)] * 2


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [("loss", None, "-"), ("loss", float("nan"), "-"), ("left", 3725.0, "1:02:05"), ("games_per_s", 1234.5, "1,234")],
)
def test_numbers_for_people(name, value, text):
    assert number(name, value) == text


def test_every_metric_that_is_shown_exists():
    assert VALUES.keys() <= METRICS.keys()
    assert duration(59.6) == "1:00"
