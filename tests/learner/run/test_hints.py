from gobang.run_folder import RunFolder, weights_path
from gobang.types import Variant
from learner.run.config import read_config
from learner.run.hints import blindness, farewell, play_command


def test_the_command_to_play_is_for_the_game_of_the_run(tmp_path):
    folder = RunFolder(tmp_path / "my run")
    assert play_command(Variant.square(8), folder).endswith(f"play --player 'net:{folder.root}' --size 8")
    small = Variant(height=6, width=5, k=4, rule="standard")
    assert play_command(small, folder).endswith("--size 6x5 --k 4 --rule standard")
    assert play_command(Variant.square(8, players=3), folder).endswith("--size 8 --players 3")


def test_a_network_that_sees_others_alike_is_warned_of():
    three = {"game": {"players": 3}}
    assert blindness(read_config(three)) == blindness(read_config({"network": {"features": "two"}})) == ""
    assert "the stones of 2 others alike" in blindness(read_config({**three, "network": {"features": "two"}}))


def test_a_network_that_does_not_know_who_has_forbidden_points_is_warned_of():
    renju = {"game": {"rule": "renju"}}
    assert "who is black" in blindness(read_config({**renju, "network": {"features": "two"}}))
    assert blindness(read_config({**renju, "network": {"features": "three"}})) == ""


def test_the_end_names_nothing_that_is_not_there(tmp_path):
    folder = RunFolder(tmp_path)
    folder.create("seed: 1\n")
    assert farewell(Variant.square(8), folder, "named --resume") == ["nothing has been learned, and nothing is kept"]
    weights_path(folder, 3).touch()
    play, report, resume = farewell(Variant.square(8), folder, "named --resume")
    assert play.startswith("to play against version 3: ")
    assert report.endswith(f"report --run {tmp_path}")
    assert resume.endswith("train --run named --resume")
