"""Search by depth against plain minimax, and on positions whose answer is known."""

from __future__ import annotations

import random

import pytest

from gobang.errors import InvalidConfig
from gobang.rules.position import Position, parse_point, point_name
from gobang.search.depth.alphabeta import DepthConfig, DepthSearch
from gobang.search.depth.negamax import WON
from gobang.types import UNDECIDED, Variant
from tests.rules.games import random_moves
from tests.search.plain_minimax import minimax, wins_in_one

FREE = Variant.square(15)


def searched(position: Position, config: DepthConfig, seed: int = 1) -> DepthSearch:
    """A search that has come to its end."""
    search = DepthSearch(position.variant, seed=seed)
    search.begin(position, config)
    while search.step():
        pass
    return search


def quiet_positions(variant: Variant, count: int) -> list[Position]:
    """Positions in which neither side can win with one stone."""
    found: list[Position] = []
    for seed in range(20 * count):
        position = Position(variant)
        plies = random.Random(seed).randint(2, variant.points // 2)
        for move in random_moves(position, seed):
            position.play(move)
            if len(position.moves) == plies:
                break
        quiet = position.outcome == UNDECIDED and not any(wins_in_one(position, player) for player in (0, 1))
        if quiet:
            found.append(position)
    return found[:count]


@pytest.mark.parametrize(
    "variant",
    [
        Variant.square(4, k=3),
        Variant.square(5, k=4, rule="standard"),
        Variant.square(6, rule="renju"),
        Variant.square(6, rule="caro"),
    ],
    ids=str,
)
def test_values_are_those_of_plain_minimax(variant: Variant) -> None:
    positions = quiet_positions(variant, 12)
    assert len(positions) == 12
    for position in positions:
        plain = {depth: minimax(position, depth) for depth in (1, 2)}
        for mode in ("minimax", "alphabeta", "pvs"):
            search = searched(position, DepthConfig(mode=mode, threats=False, depth=2, width=variant.points))
            assert search.value == plain[search.depth], (mode, position)


def test_alphabeta_finds_what_minimax_finds_with_fewer_positions() -> None:
    for position in quiet_positions(Variant.square(6, k=4), 10):
        plain, pruned = (
            searched(position, DepthConfig(mode=mode, threats=False, depth=4, width=8))
            for mode in ("minimax", "alphabeta")
        )
        assert (plain.value, plain.depth) == (pruned.value, pruned.depth)
        assert pruned.nodes() <= plain.nodes()


def test_principal_variation_search_that_reduces_no_depth_finds_what_alphabeta_finds() -> None:
    for position in quiet_positions(Variant.square(6, k=4), 10):
        plain, pvs = (
            searched(position, DepthConfig(mode=mode, threats=False, reduced=False, depth=4, width=36))
            for mode in ("alphabeta", "pvs")
        )
        assert (plain.value, plain.depth) == (pvs.value, pvs.depth)


# fmt: off
KNOWN = [
    ("wins now", FREE, "c3 d3 e3 f3", "c5 d5 e5 f5", {"b3", "g3"}),
    ("blocks a four", FREE, "h8 i8", "b5 c5 d5 e5 a9", {"a5", "f5"}),
    ("a double four", FREE, "c8 d8 e8 f5 f6 f7", "b8 f4 o1 o3 o5 o7", {"f8"}),
    ("meets an open three", FREE, "a1 o15", "g8 h8 i8", {"e8", "f8", "j8", "k8"}),
    ("renju: a double three is no move", Variant.square(15, rule="renju"), "g8 f8 h7 h6", "a1 o15 a15 o1", set()),
]
# fmt: on


@pytest.mark.parametrize("mode", ["minimax", "alphabeta", "pvs"])
@pytest.mark.parametrize("threats", [True, False])
@pytest.mark.parametrize(("what", "variant", "black", "white", "moves"), KNOWN, ids=[known[0] for known in KNOWN])
def test_plays_what_must_be_played(
    what: str, variant: Variant, black: str, white: str, moves: set[str], threats: bool, mode: str
) -> None:
    stones = [[parse_point(variant, name) for name in names.split()] for names in (black, white)]
    position = Position.from_stones(variant, stones, 0)
    config = DepthConfig(mode=mode, threats=threats, depth=3, nodes=3000)
    move = searched(position, config).move
    assert position.legal()[move]
    if moves:
        assert point_name(variant, move) in moves


def test_a_win_that_fours_alone_do_not_give_is_found() -> None:
    """4x4 with three in a row: black wins from any first move in the middle."""
    variant = Variant.square(4, k=3)
    search = searched(Position(variant), DepthConfig(threats=False, depth=8, width=16))
    assert search.value > WON - 20


@pytest.mark.parametrize("mode", ["minimax", "alphabeta", "pvs"])
def test_equal_searches_find_equal_moves_whatever_was_searched_before(mode: str) -> None:
    config = DepthConfig(mode=mode, nodes=1500)
    positions = quiet_positions(Variant.square(8), 4)
    search = DepthSearch(Variant.square(8), seed=3)
    found = []
    for position in [*positions, *reversed(positions)]:
        search.begin(position, config)
        while search.step():
            pass
        found.append((search.move, search.value, search.depth, search.nodes()))
        assert search.nodes() <= 1500
    assert found == found[::-1]


@pytest.mark.parametrize(
    "variant",
    [Variant.square(7, rule="renju"), Variant(height=5, width=8, rule="standard"), Variant.square(4, k=3)],
    ids=str,
)
def test_plays_legal_moves_to_the_end(variant: Variant) -> None:
    search = DepthSearch(variant, seed=1)
    for game in range(4):
        position = Position(variant, [game])
        while position.outcome == UNDECIDED:
            search.begin(position, DepthConfig(nodes=300))
            while search.step():
                pass
            position.play(search.move)


@pytest.mark.parametrize("values", [{"mode": "mtd"}, {"depth": 0}, {"width": 0}, {"nodes": -1}])
def test_wrong_settings_are_refused(values: dict[str, object]) -> None:
    with pytest.raises(InvalidConfig, match=next(iter(values))):
        DepthConfig(**values)  # type: ignore[arg-type]
