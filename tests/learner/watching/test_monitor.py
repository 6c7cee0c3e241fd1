import io
import json

from gobang.run_folder import RunFolder
from learner.watching.budget import Budget
from learner.watching.monitor import Monitor
from learner.watching.progress import LineProgress


class FakeMeters:
    def __init__(self):
        self.last = {}

    def write(self, values):
        self.last = dict(values)


def make(folder: RunFolder, now: list[float], meters: FakeMeters, screen: io.StringIO | None = None) -> Monitor:
    progress = LineProgress(screen or io.StringIO())
    return Monitor(folder, progress, meters, Budget(games=100), {"play": "gobang play"}, clock=lambda: now[0])


def test_numbers_go_to_all_places_and_time_goes_on_after_a_restart(tmp_path):
    folder = RunFolder(tmp_path)
    folder.create("")
    now, meters = [1000.0], FakeMeters()
    monitor = make(folder, now, meters)
    assert monitor.show({"games": 0, "step": 0})
    now[0] += 10
    assert monitor.show({"games": 40, "step": 7})
    assert meters.last == {"seconds": 10, "games": 40, "games_per_s": 4.0, "step": 7, "steps_per_s": 0.7, "left": 15.0}
    assert json.loads(folder.metrics.read_text())["left"] == 15.0
    assert b"self_play/games_per_s" in next(folder.tensorboard.iterdir()).read_bytes()
    with folder.locked():
        assert folder.read_summary()["state"] == "running"
    now[0] += 10
    assert not monitor.show({"games": 100, "step": 9})
    monitor.finish({"games": 101, "step": 9}, "finished")
    summary = folder.read_summary()
    assert (summary["state"], summary["play"], summary["values"]["games"]) == ("finished", "gobang play", 101)
    assert make(folder, now, meters).seconds() == 20


def test_evaluations_are_counted_on_after_a_restart(tmp_path):
    folder = RunFolder(tmp_path)
    folder.create("")
    now, meters = [1000.0], FakeMeters()
    make(folder, now, meters).finish({"evaluations": 500.0}, "stopped")
    now[0] += 10
    make(folder, now, meters).finish({"evaluations": 20.0}, "stopped")
    assert folder.read_summary()["values"]["evaluations"] == 520


def test_a_jump_of_the_wall_clock_ends_no_run_and_changes_no_rate(tmp_path):
    folder, meters, now, wall = RunFolder(tmp_path), FakeMeters(), [50.0], [1_760_000_000.0]
    folder.create("")
    monitor = Monitor(
        folder,
        LineProgress(io.StringIO()),
        meters,
        Budget(minutes=30),
        {},
        clock=lambda: now[0],
        calendar=lambda: wall[0],
    )
    for jump in (0, 3600, -7200):
        now[0] += 10
        wall[0] += 10 + jump
        assert monitor.show({"games": 4 * now[0]})
        assert (monitor.seconds(), meters.last["seconds"]) == (now[0] - 50, now[0] - 50)
    assert meters.last["games_per_s"] == 4
    assert [json.loads(line)["time"] for line in folder.metrics.read_text().splitlines()][-1] == wall[0]


def test_on_a_full_disk_the_run_goes_on_and_no_number_is_lost(small_disk, caplog):
    folder, now, screen = RunFolder(small_disk.place), [1000.0], io.StringIO()
    folder.create("")
    monitor = make(folder, now, FakeMeters(), screen)

    def show(games):
        now[0] += 10
        return monitor.show({"games": games})

    assert show(0)
    small_disk.fill()
    assert all(show(games) for games in range(1, 90))
    assert folder.read_summary()["values"]["games"] == 0  # the old one is whole
    small_disk.free()
    show(90)
    assert [json.loads(line)["games"] for line in folder.metrics.read_text().splitlines()] == list(range(91))
    events = next(folder.tensorboard.iterdir()).read_bytes()
    assert events.count(b"self_play/games_per_s") == 90
    assert folder.read_summary()["values"]["games"] == 90
    for text in (screen.getvalue(), caplog.text):
        assert text.count("cannot be written") == text.count("can be written again") == 1
    assert [path.name for path in folder.root.glob(".*")] == []
