import json

import pytest

from evaluator.exact import main


def test_the_last_line_is_the_result_as_json(capsys):
    assert main(["--player", "random", "--size", "5", "--k", "4", "--json"]) == 0
    out, err = capsys.readouterr()
    fields = json.loads(out.splitlines()[-1])
    assert fields["all"]["positions"] == 1000
    assert 0.1 < fields["all"]["share"] < 0.4
    assert fields.keys() >= {"to_win", "to_draw", "black_to_move", "white_to_move", "player", "game"}
    assert "1000/1000 positions" in err


def test_perfect_play_wins_what_is_won(capsys):
    assert main(["--player", "exact", "--size", "3x4", "--k", "3", "--openings", "--json"]) == 0
    fields = json.loads(capsys.readouterr().out.splitlines()[-1])
    games = fields["as_black"]["games"] + fields["as_white"]["games"]
    assert fields["as_black"]["won"] + fields["as_white"]["won"] == games > 0


def test_perfect_play_keeps_the_value_of_all_that_it_meets(capsys):
    game = ["--size", "4", "--k", "4", "--in-play", "6", "--json"]
    assert main(["--player", "exact", *game]) == 0
    perfect = json.loads(capsys.readouterr().out.splitlines()[-1])["all"]
    assert perfect["kept"] == perfect["positions"] > 0
    assert main(["--player", "random", *game]) == 0
    random = json.loads(capsys.readouterr().out.splitlines()[-1])["all"]
    assert random["kept"] < random["positions"]


def test_drawn_positions_are_written_alike(tmp_path, capsys):
    texts = []
    for name in ("first", "second"):
        main(["--draw", str(tmp_path / name), "--size", "4", "--k", "4", "--positions", "5", "--seed", "3"])
        texts.append((tmp_path / name).read_bytes())
    assert texts[0] == texts[1]
    assert "5 positions in" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--player", "random", "--size", "8", "--k", "5"], "8x8, 5 in a row, freestyle: there are solved positions"),
        (["--player", "random", "--players", "3"], "no position has one exact value"),
        (["--player", "rndom"], "did you mean random?"),
        (["--player", "random", "--size", "8", "--k", "5", "--openings"], "boards of up to 36 points"),
        (["--player", "random", "--size", "3", "--k", "3", "--openings"], "every first move leads to a draw"),
        (["--player", "random", "--size", "5", "--k", "4", "--openings"], "every first move leads to a draw"),
        (["--player", "random", "--size", "8", "--k", "5", "--in-play", "2"], "boards of up to 36 points"),
        (["--player", "random", "--in-play", "0"], "--in-play 0"),
        (["--size", "5"], "say whom to examine"),
        (["--draw", "x", "--positions", "0"], "--positions 0"),
        (["--player", "random", "--seed", "-1"], "--seed -1"),
    ],
)
def test_mistakes_are_named(arguments, message, capsys):
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    assert stop.value.code == 2
    assert message in capsys.readouterr().err
