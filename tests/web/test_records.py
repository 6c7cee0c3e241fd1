from __future__ import annotations

import json

import pytest

from gobang.errors import InvalidGame
from gobang.types import Variant
from gobang.web.records import read_games, sgf_of

LINE = {"height": 5, "width": 5, "k": 3, "black": "x", "white": "y", "moves": ["a1"]}


def test_comments_are_kept_by_move_number() -> None:
    comments = {"1": "one", "9" * 5000: "many digits", "²": "a power", "x": "no number"}
    text = sgf_of(Variant.square(5, k=3), {"moves": ["a1"], "comments": comments})
    assert read_games(text)[0]["comments"] == {"1": "one"}


@pytest.mark.parametrize("wrong", [{"k": "9" * 5000}, {"k": 3.5}, {"height": "٣"}, {"moves": ["a" + "9" * 5000]}])
def test_a_line_with_a_number_that_is_none_is_named(wrong: dict[str, object]) -> None:
    assert len(read_games(json.dumps(LINE))) == 1
    with pytest.raises(InvalidGame, match=r"line 2: .{0,200}$"):
        read_games(f"{json.dumps(LINE)}\n{json.dumps({**LINE, **wrong})}")


def test_a_file_has_so_many_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gobang.web.records.MOST_MOVES", 2)
    assert len(read_games("\n".join([json.dumps(LINE)] * 2))) == 2
    with pytest.raises(InvalidGame, match="more than 2 moves"):
        read_games("\n".join([json.dumps(LINE)] * 3))
