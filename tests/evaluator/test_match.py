import json
import re

import pytest

import evaluator.match
from evaluator.match import main
from gobang.errors import InvalidCheckpoint
from gobang.sgf import read_sgf
from gobang.types import Variant

SMALL = ["--a", "random", "--b", "random", "--size", "6x5", "--k", "4", "--games", "12", "--seed", "3"]


def test_the_last_line_is_the_result_as_json(capsys):
    assert main([*SMALL, "--json"]) == 0
    fields = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert fields["wins"] + fields["draws"] + fields["losses"] == fields["distinct"] <= fields["games"] == 12
    assert fields["by_colour"].keys() == {"black", "white"}
    assert fields.keys() >= {"score", "score_interval", "elo", "elo_error", "failures", "ms_per_move", "a", "b"}
    assert fields["score"] == pytest.approx((fields["wins"] + fields["draws"] / 2) / fields["distinct"], abs=1e-4)


def test_recorded_games_are_the_same_for_any_number_of_jobs(tmp_path, capsys):
    for jobs in ("1", "2"):
        main([*SMALL, "--jobs", jobs, "--record", str(tmp_path / jobs)])
    games = [json.loads(line) for line in (tmp_path / "1").read_text().splitlines()]
    assert (tmp_path / "1").read_text() == (tmp_path / "2").read_text()
    assert [game["game"] for game in games] == list(range(12))
    assert [game["height"] for game in games] == [6] * 12
    assert all(first["moves"][:2] == second["moves"][:2] for first, second in zip(games[::2], games[1::2], strict=True))


def test_games_are_recorded_as_sgf_too(tmp_path, capsys):
    path = tmp_path / "games.sgf"
    assert main([*SMALL, "--record", str(path)]) == 0
    games = read_sgf(path.read_text())
    assert len(games) == 12
    assert games[0].variant == Variant(height=6, width=5, k=4)
    assert all(game.players == ("random", "random") and game.result for game in games)


THREE = ["--a", "rollout:sims=50", "--b", "random", "--size", "4", "--k", "3", "--players", "3", "--games", "12"]


def test_among_three_each_sits_alone_in_every_seat(tmp_path, capsys):
    path = tmp_path / "games"
    assert main([*THREE, "--json", "--record", str(path)]) == 0
    out = capsys.readouterr().out
    fields = json.loads(out.splitlines()[-1])
    games = [json.loads(line) for line in path.read_text().splitlines()]
    seats = [tuple(game[colour] for colour in ("black", "white", "red")) for game in games]
    assert [len(set(each)) for each in seats] == [2] * 12
    assert len(set(seats[:6])) == 6
    assert seats[:6] == seats[6:]
    won = [game[game["result"]] == "rollout:sims=50" for game in games if game["result"] != "draw"]
    assert (fields["wins"], fields["losses"]) == (won.count(True), won.count(False))
    assert sum(each["points"] for each in fields["by_seats"].values()) == pytest.approx(36 * fields["share"])
    assert fields["share"] > 0.8
    assert fields["chance_of_equals"] < 0.05
    assert "a alone as red" in out


def test_four_may_play_too(capsys):
    assert main([*THREE, "--players", "4", "--games", "8", "--size", "5", "--k", "3"]) == 0
    assert "b alone as blue" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (["--games", "14"], "--games 14: a multiple of 6"),
        (["--record", "games.sgf"], "SGF has two colours"),
        (["--rule", "renju", "--k", "5", "--size", "5"], "renju is five in a row for two players"),
    ],
)
def test_what_three_cannot_have_is_refused(wrong, message, capsys):
    with pytest.raises(SystemExit):
        main([*THREE, *wrong])
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("player", ["pattern", "alphabeta", "hmcts", "gomocup:true", "exact"])
def test_players_for_two_say_so(player, capsys):
    assert main([*THREE, "--a", player]) == 2
    assert re.search(r"error: .*(two|among three)", capsys.readouterr().err)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (["--size", "8y"], "'8y' is not a size"),
        (["--size", "4", "--k", "5"], "k 5"),
        (["--games", "3"], "--games 3"),
        (["--jobs", "0"], "--jobs 0"),
        (["--seed", "-1"], "--seed -1"),
        (["--opening-plies", "30"], "opening of 30 plies"),
        (["--a", "rndom"], "rndom"),
        (["--record", "/nowhere/games"], "/nowhere/games"),
    ],
)
def test_wrong_arguments_are_named_before_anything_starts(wrong, message, capsys):
    with pytest.raises(SystemExit) as stop:
        main([*SMALL, *wrong])
    captured = capsys.readouterr()
    assert (stop.value.code, captured.out) == (2, "")
    assert message in captured.err


def test_an_interrupt_shows_what_was_played(capsys, monkeypatch):
    def play_three(sets, jobs, on_result):
        def stop_at_three(number, game):
            on_result(number, game)
            if number == 2:
                raise KeyboardInterrupt

        play_sets(sets, jobs, stop_at_three)

    play_sets = evaluator.match.play_sets
    monkeypatch.setattr(evaluator.match, "play_sets", play_three)
    assert main([*SMALL, "--json"]) == 130
    captured = capsys.readouterr()
    games = json.loads(captured.out.splitlines()[-1])["games"]
    assert f"interrupted; {games} of 12 games were played" in captured.err
    assert 0 < games < 12


def test_a_player_that_cannot_be_made_ends_the_match(capsys, monkeypatch):
    def make_nothing(spec, variant, seed):
        raise InvalidCheckpoint("weights.safetensors: no such file")

    monkeypatch.setattr(evaluator.match, "make_player", make_nothing)
    assert main(SMALL) == 2
    assert "weights.safetensors: no such file; 0 of 12 games were played" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["/typo", "false"])
def test_an_engine_that_does_not_start_ends_the_match_before_its_first_game(command, capsys):
    assert main([*SMALL, "--a", f"gomocup:{command}"]) == 2
    assert f"error: gomocup:{command}: " in (shown := capsys.readouterr().err)
    assert "0 of 12 games were played" in shown
