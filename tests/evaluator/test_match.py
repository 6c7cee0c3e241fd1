import json

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
