from pathlib import Path

import pytest

from gobang.errors import InvalidConfig
from gobang.run_folder import RunFolder, weights_path, weights_versions
from learner.launch import main
from learner.run import run
from learner.run.config import RunConfig, read_config
from learner.run.lead_in import LeadIn
from learner.run.presets import load_preset

SETTINGS = ("--preset", "tiny", "--set", "lead_in.settings=[game.height=4, game.width=4]")


class FakeRuns:
    """In place of real ones: each leaves weights and a summary, and is noted with its board and budget."""

    def __init__(self):
        self.started = []
        self.ended = "finished"
        self.has_begun = True
        self.option = ""

    def __call__(self, config, options, folder, progress):
        self.started.append((config, options.budget, folder.root.name))
        self._folder = folder
        return self

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        pass

    def start(self):
        if not self.has_begun:
            raise InvalidConfig("cannot start")
        weights_path(self._folder, 1 + len(weights_versions(self._folder))).touch()

    def watch(self):
        seconds = 60.0 + self._folder.read_summary().get("values", {}).get("seconds", 0.0)
        self._folder.write_summary({"state": self.ended, "values": {"seconds": seconds, "games": 10}})

    def boards(self):
        return [(config.game.height, root) for config, _, root in self.started]


@pytest.fixture
def runs(monkeypatch):
    fakes = FakeRuns()
    monkeypatch.setattr(run, "Run", fakes)
    return fakes


def train(run, *arguments):
    assert main(["--run", str(run), *arguments]) == 0


def test_the_lead_in_comes_first_and_gives_its_weights(tmp_path, runs):
    run = tmp_path / "r"
    train(run, *SETTINGS, "--minutes", "30", "--games", "300")
    assert runs.boards() == [(4, "r-lead-in"), (5, "r")]
    (_, part, _), (config, rest, _) = runs.started
    assert (part.minutes, part.games) == (10, 100)
    assert (rest.minutes, rest.games) == (29, 290)
    assert config.learner.begin_with == str(run / "r-lead-in" / "weights" / "00000001.safetensors")
    assert not LeadIn(config, RunFolder(run)).is_due


def test_a_run_goes_on_in_its_lead_in(tmp_path, runs, capsys):
    run = tmp_path / "r"
    runs.ended = "stopped"
    train(run, *SETTINGS)
    assert runs.boards() == [(4, "r-lead-in")]
    assert f"train --run {run} --resume" in capsys.readouterr().out
    runs.ended = "finished"
    train(run, "--resume")
    assert runs.boards()[1:] == [(4, "r-lead-in"), (5, "r")]
    train(run, "--resume")
    assert runs.boards()[3:] == [(5, "r")]


def test_a_budget_is_that_of_both(tmp_path, runs, capsys):
    run = tmp_path / "r"
    train(run, *SETTINGS, "--minutes", "2")
    train(run, "--resume", "--minutes", "2")
    assert "has had its 2 minutes" in capsys.readouterr().out
    train(run, "--resume", "--minutes", "5")
    assert [round(budget.minutes, 1) for _, budget, _ in runs.started] == [0.7, 1.0, 4.0]


def test_a_lead_in_that_takes_more_than_both_have_says_so_and_can_be_gone_on_from(tmp_path, runs, capsys):
    run = tmp_path / "r"
    train(run, *SETTINGS, "--games", "8")  # it counts ten
    assert runs.boards() == [(4, "r-lead-in")]
    assert "has had its 8 games: give it more to go on" in capsys.readouterr().out
    train(run, "--resume", "--games", "50")
    assert runs.boards()[1:] == [(5, "r")]


def test_what_cannot_start_leaves_nothing(tmp_path, runs):
    runs.has_begun = False
    with pytest.raises(SystemExit, match="2"):
        main(["--run", str(tmp_path / "runs" / "r"), *SETTINGS])
    assert list(tmp_path.iterdir()) == []


def test_there_is_none_where_weights_are_given_or_nothing_is_asked(tmp_path, runs):
    three = ("--set", "network.options={blocks: 3}", "--set", "network.features=two")
    train(tmp_path / "a", *SETTINGS, "--set", "learner.begin_with=builtin-5x5", *three)
    train(tmp_path / "b", "--preset", "tiny")
    assert runs.boards() == [(5, "a"), (5, "b")]


def test_a_network_that_plays_one_board_is_refused_before_anything_starts(tmp_path, capsys):
    with pytest.raises(SystemExit, match="2"):
        main(["--run", str(tmp_path / "r"), *SETTINGS, "--set", "network=mlp"])
    assert "cannot play 5x5" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_the_lead_in_of_the_full_board_is_of_the_same_network():
    config = read_config(load_preset("15x15-blocks"))
    led = LeadIn(config, RunFolder(Path("r"))).config()
    assert (led.game.height, led.network) == (8, config.network)
    assert led.lead_in == RunConfig().lead_in


@pytest.mark.parametrize("bad", [{"share": 1.0}, {"share": 0}, {"minutes": 0}])
def test_a_share_or_time_that_cannot_be_is_refused(bad):
    with pytest.raises(InvalidConfig, match=next(iter(bad))):
        read_config({"lead_in": bad})
