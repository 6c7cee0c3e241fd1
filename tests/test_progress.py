import io

from gobang.progress import Progress, duration


class Terminal(io.StringIO):
    def isatty(self):
        return True


def show(stream, times):
    moments = iter([0.0, *times])
    progress = Progress(len(times), stream, clock=lambda: next(moments))
    for done in range(1, len(times) + 1):
        progress.update(done, 0.5)
    progress.close()
    return stream.getvalue()


def test_a_log_gets_a_line_now_and_then_and_at_the_end():
    lines = show(io.StringIO(), [1, 6, 7, 8]).splitlines()
    assert lines == ["2/4 games  score 0.500  0:06 left", "4/4 games  score 0.500  0:00 left"]


def test_a_terminal_has_one_line_that_disappears():
    text = show(Terminal(), [1, 1.01, 60])
    assert text.count("\n") == 0
    assert [part for part in text.split("\r\x1b[K") if part] == [
        "[                        ] 0/3 games",
        "[========                ] 1/3 games  score 0.500  0:02 left",
        "[========================] 3/3 games  score 0.500  0:00 left",
    ]


def test_durations():
    assert [duration(seconds) for seconds in (0, 59.6, 3723)] == ["0:00", "1:00", "1:02:03"]
