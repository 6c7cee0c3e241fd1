from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import SupportsIndex

import numpy as np
import pytest

from gobang.errors import InvalidGame
from gobang.rules.position import Position
from gobang.sgf import GameText, read_sgf, result_text, write_sgf
from gobang.types import UNDECIDED, Variant

TREE = r"""
text before (;GM[4]FF[4]SZ[15]RU[Standard]PB[a\]b]PW[c\\d](;B[hh]C[one
two];W[ii](;B[aa])(;B[bb];W[cc]))(;B[oo]))
(;SZ[6:5]RU[freestyle, 4 in a row];AB[aa][ab]AW[ba];W[bb])
"""


def test_a_game_comes_back_as_it_was() -> None:
    rng = np.random.default_rng(1)
    for variant in (Variant(), Variant(width=7, height=5, k=4, rule="standard"), Variant.square(22, rule="freestyle")):
        position = Position(variant)
        for _ in range(12):
            if position.outcome == UNDECIDED:
                position.play(int(rng.choice(np.flatnonzero(position.legal()))))
        game = GameText(
            variant=variant,
            moves=tuple(position.moves),
            players=("net:a,b=[1]", "\\"),
            result=result_text(position),
            comments={0: "at first", 3: "win [0.52]\\"},
        )
        assert read_sgf(write_sgf(game)) == [game]


def test_the_upper_left_corner_is_aa() -> None:
    assert "B[aa];W[oo]" in write_sgf(GameText(variant=Variant(), moves=(14 * 15, 14)))


def test_the_first_line_of_play_is_read() -> None:
    first, second = read_sgf(TREE)
    assert first.moves == (7 * 15 + 7, 6 * 15 + 8, 14 * 15)
    assert (first.players, first.variant.rule, first.comments) == (("a]b", "c\\d"), "standard", {1: "one\ntwo"})
    assert second.variant == Variant(width=6, height=5, k=4)
    assert second.moves == (24, 25, 18, 19)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "no game"),
        ("()", "without a node"),
        ("(;GM[2])", "another game"),
        ("(;SZ[x])", "no size"),
        ("(;SZ[99])", "3 to 22"),
        (f"(;SZ[{'9' * 5000}])", "no size"),
        ("(;SZ[٩])", "no size"),
        (f"(;RU[{'9' * 5000} in a row];B[hh])", "k 99"),
        ("(;B[h])", "no point"),
        ("(;SZ[9];B[zz])", "not on a board"),
        ("(;W[aa])", "out of turn"),
        ("(;B[aa];W[aa])", "occupied"),
        ("(;AB[aa][bb])", "impossible"),
        ("(;B[aa]", "last bracket"),
        ("(;B[aa]))", "not opened"),
        ("(;B[aa", "not SGF"),
    ],
)
def test_what_is_no_game_is_refused_with_the_reason(text: str, reason: str) -> None:
    with pytest.raises(InvalidGame, match=reason):
        read_sgf(text)


def test_noise_is_refused_and_nothing_else_happens() -> None:
    whole = write_sgf(replace(read_sgf(TREE)[0], players=("x", "y")))
    rng = np.random.default_rng(2)
    for _ in range(300):
        letters = list(whole)
        for place in rng.integers(0, len(letters), 3):
            letters[place] = chr(int(rng.integers(32, 127)))
        with suppress(InvalidGame):
            read_sgf("".join(letters))


def test_three_players_have_no_sgf(tmp_path: Path) -> None:
    with pytest.raises(InvalidGame, match="two colours"):
        write_sgf(GameText(variant=Variant(players=3), moves=()))


class Counted(str):
    """A text that counts the characters that are copied when it is cut."""

    copied = 0

    def __getitem__(self, key: SupportsIndex | slice) -> Counted:
        return self._count(super().__getitem__(key))

    def rstrip(self, letters: str | None = None) -> Counted:
        return self._count(super().rstrip(letters))

    def _count(self, text: str) -> Counted:
        Counted.copied += len(text)
        return Counted(text)


def test_the_work_grows_like_the_file_also_with_blanks_at_its_end() -> None:
    copied = []
    for games in (20, 40):
        Counted.copied = 0
        assert len(read_sgf(Counted(f"{write_sgf(GameText(variant=Variant(), moves=(0, 1)))} " * games))) == games
        copied.append(Counted.copied)
    assert copied[1] <= 2.1 * copied[0]


def test_a_file_has_so_many_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    text = write_sgf(GameText(variant=Variant(), moves=(0, 1)))
    monkeypatch.setattr("gobang.sgf.MOST_MOVES", 4)
    assert len(read_sgf(text * 2)) == 2
    with pytest.raises(InvalidGame, match="more than 4 moves in one file"):
        read_sgf(text * 3)


@pytest.mark.parametrize("text", ["({})", "(;{}", "(;A{}"])
def test_a_file_of_marks_without_moves_is_refused(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gobang.sgf._MOST_TOKENS", 100)
    with pytest.raises(InvalidGame, match="more than 100 marks, names and values"):
        read_sgf(text.format(";" * 200))
