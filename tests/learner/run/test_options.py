import argparse
from pathlib import Path

import pytest

from gobang.commands import COMMANDS
from gobang.errors import InvalidConfig
from gobang.network.presets import preset, preset_names
from gobang.network.spec import NetworkSpec
from gobang.run_folder import RunFolder
from gobang.types import Variant
from learner.run.config import read_config
from learner.run.options import LOCAL, CommandLine, read
from learner.watching.budget import Budget


def parse(words: list[str]) -> CommandLine:
    parser = argparse.ArgumentParser()
    COMMANDS["train"].set_up(parser)
    return read(parser.parse_args(words))


def test_the_game_can_be_given_as_everywhere():
    options = parse(["--preset", "8x8", "--size", "6x7", "--k", "4", "--rule", "standard", "--set", "game.k=5"])
    assert options.values()["game"] == {"height": 6, "width": 7, "k": 5, "rule": "standard"}


def test_a_new_run_has_the_preset_with_what_was_set(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    options = parse(["--preset", "tiny", "--minutes", "2.5", "--seed", "7", "--set", "learner.batch=8"])
    assert (options.run, options.budget) == (Path("runs/tiny-1"), Budget(minutes=2.5))
    values = options.values()
    assert (values["seed"], values["learner"]["batch"], values["game"]["k"]) == (7, 8, 4)


def test_a_resumed_run_has_its_own_settings(tmp_path):
    RunFolder(tmp_path).create("{seed: 3, learner: {batch: 16}}")
    options = parse(["--run", str(tmp_path), "--resume", "--set", "learner.batch=8"])
    assert options.values() == {"seed": 3, "learner": {"batch": 8}}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--resume"], "--resume: which run?"),
        (["--insecure"], "--insecure: of which cluster?"),
        (["--resume", "--run", "r", "--preset", "8x8"], "a resumed run keeps its own settings"),
        (["--resume", "--run", "r", "--rule", "renju"], "game.rule=renju: a resumed run keeps its own game"),
    ],
)
def test_what_does_not_go_together_is_refused(arguments, message):
    with pytest.raises(InvalidConfig, match=message):
        parse(arguments)


def test_abbreviations_are_no_options():
    with pytest.raises(SystemExit):
        parse(["--min", "3"])


def test_a_run_joins_the_cluster_that_the_environment_names(monkeypatch):
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    assert parse([]).address == LOCAL
    monkeypatch.setenv("RAY_ADDRESS", "10.0.0.7:6379")
    assert parse([]).address == "auto"
    assert parse(["--address", "local"]).address == LOCAL


def network_of(*assignments: str, preset: str = "8x8") -> NetworkSpec:
    arguments = [part for each in assignments for part in ("--set", each)]
    return read_config(parse(["--preset", preset, *arguments]).values()).network


def test_a_network_is_chosen_by_its_name_and_changed_further():
    assert network_of("network=paper_cascaded4") == preset("paper_cascaded4")
    deeper = network_of("network.options.blocks=3", "network=alphago_zero_1x256")
    assert (deeper.architecture, deeper.options) == ("resnet", {"blocks": 3})


def test_an_architecture_alone_has_its_own_defaults():
    assert network_of("network.architecture=cnn3").options == {}
    assert network_of("network.architecture=mlp", preset="paper8x8").options == {}
    narrow = network_of("network.options.filters=16", "network.architecture=cnn3", preset="tiny")
    assert narrow.options == {"filters": 16}


@pytest.mark.parametrize("name", preset_names())
@pytest.mark.parametrize("game", [Variant.square(5, k=4), Variant.square(15), Variant.square(11, players=3)], ids=str)
def test_every_network_fits_every_game(name, game):
    values = {"height": game.height, "width": game.width, "k": game.k, "players": game.players}
    read_config({"network": name, "game": values}).check()


def test_an_unknown_network_names_the_nearest():
    with pytest.raises(InvalidConfig, match="paper_cnn"):
        network_of("network=paper_cn")
