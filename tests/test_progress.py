import io

from gobang.progress import Progress, duration
from tests.terminals import on_terminal

BAR = """
import sys
from gobang.progress import Progress
progress = Progress(4, sys.stderr)
progress.update(1, 0.5)
progress.update(2, 0.75)
if sys.argv[1] == "closed":
    progress.close()
    print("the result")
else:
    progress._bar.refresh()
    import os; os._exit(0)
"""


def test_a_log_gets_a_line_now_and_then_and_at_the_end():
    stream, moments = io.StringIO(), iter([0.0, 1.0, 11.0, 12.0, 13.0])
    progress = Progress(4, stream, clock=lambda: next(moments))
    for done in range(1, 5):
        progress.update(done, 0.5)
    progress.close()
    assert stream.getvalue().splitlines() == [
        "2/4 games  score 0.500  0:11 left",
        "4/4 games  score 0.500  0:00 left",
    ]


def test_a_terminal_has_a_bar_with_the_score():
    (line,) = on_terminal(BAR, "open")
    assert line.endswith("2/4 games  score 0.750  0:00 left")


def test_the_bar_gives_way_to_the_result():
    assert on_terminal(BAR, "closed") == ["the result"]


def test_durations():
    assert [duration(seconds) for seconds in (0, 59.6, 3723)] == ["0:00", "1:00", "1:02:03"]
