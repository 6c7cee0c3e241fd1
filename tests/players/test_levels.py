"""Levels are players by another name."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gobang.players.levels import LEVELS
from gobang.players.spec import make_player, parse, resolve
from gobang.players.trained import strongest_player
from gobang.types import Variant


@pytest.mark.parametrize("name", LEVELS)
@pytest.mark.parametrize(
    "variant",
    [Variant.square(8), Variant.square(15, rule="renju"), replace(Variant.square(6, k=4), players=3)],
    ids=str,
)
def test_every_level_plays_every_game(name: str, variant: Variant) -> None:
    assert resolve(parse(name), variant).name not in LEVELS
    make_player(parse(name), variant, seed=1).close()


def test_the_highest_level_is_the_strongest_player_with_more_time() -> None:
    for variant in (Variant.square(8), Variant.square(15, rule="standard")):
        assert LEVELS["max"].player(variant) == strongest_player(variant, 5000)


def test_levels_have_no_options() -> None:
    with pytest.raises(Exception, match="there is no key 'sims'"):
        parse("easy:sims=3")
