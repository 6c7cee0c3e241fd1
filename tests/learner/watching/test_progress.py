"""The screen of a run, on a real terminal and without one."""

import io

from learner.watching.display import line
from learner.watching.progress import LineProgress
from tests.learner.watching.values import VALUES
from tests.terminals import on_terminal

# Writes to standard error as Ray's libraries do: past Python, in the middle of the display.
RUN = """
import os, sys
from pathlib import Path
from learner.watching.progress import progress_on
from tests.learner.watching.values import VALUES
with progress_on(sys.stdout, "gobang 8x8", Path(sys.argv[1])) as progress:
    progress.say("starting")
    progress.update({**VALUES, "games": 7, "failures": 2})
    os.write(2, b"W gcs_client.cc: lost the connection\\n")
    progress.say("actor 3 [hung]")
    progress.finish(VALUES)
    progress.say("to play against it: gobang play")
os.write(2, b"after the display\\n")
"""


def test_the_last_state_stays_with_what_was_said_above_and_below_it(tmp_path):
    lines = on_terminal(RUN, str(tmp_path / "log"))
    assert lines[:4] == ["starting", "actor 3 [hung]", "gobang 8x8", "time       12:34   left 17:26"]
    assert lines[4] == "self-play  12.3 games/s   411 positions/s   5,210 games   32 simulations   4 actors"
    assert lines[11:] == ["to play against it: gobang play", "after the display"]
    assert (tmp_path / "log").read_text() == "W gcs_client.cc: lost the connection\n"


def test_without_a_terminal_a_line_comes_every_few_seconds_with_the_first_loss_and_at_the_end():
    now = [0.0]
    stream = io.StringIO()
    progress = LineProgress(stream, clock=lambda: now[0])
    begun = {"seconds": 1.0}
    for now[0], values in ((0.0, begun), (1.0, begun), (9.0, VALUES), (18.9, VALUES), (19.0, VALUES)):
        progress.update(values)
    progress.finish(VALUES)
    assert stream.getvalue().splitlines() == [line(begun), *[line(VALUES)] * 3]


def test_an_output_on_a_full_disk_goes_on_where_it_stopped(small_disk):
    with (small_disk.place / "out").open("w") as stream:
        progress = LineProgress(stream)
        progress.say("begin" + "." * 4090)  # fills its page
        small_disk.fill()
        progress.say("middle")
        assert (small_disk.place / "out").stat().st_size == 4096
        small_disk.free()
        progress.say("end")
    assert (small_disk.place / "out").read_text().splitlines()[1:] == ["middle", "end"]
