"""The trained players that come with the package."""

from __future__ import annotations

import re

import pytest

from gobang.errors import InvalidSpec
from gobang.network.checkpoint import load_checkpoint
from gobang.players import parse, trained
from gobang.players.player import Turn
from gobang.players.spec import make_player
from gobang.players.trained import FALLBACK, default_player, trained_names, variant_of, weights_file
from gobang.rules.position import Position
from gobang.types import Variant


@pytest.mark.parametrize("name", trained_names())
def test_each_plays_the_board_of_its_name_and_is_described(name: str) -> None:
    variant = variant_of(name)
    assert load_checkpoint(weights_file(name), variant=variant).variant == variant
    assert f"`{name}`" in (trained.FOLDER / "README.md").read_text(encoding="utf8")
    first = next(other for other in trained_names() if variant_of(other) == variant)
    assert default_player(variant) == f"net:{first},ms=1000"
    assert str(parse(f"net:{name},sims=4")) == f"net:{name},sims=4"


def test_the_files_are_small_and_all_have_a_name() -> None:
    files = list(trained.FOLDER.glob("*.safetensors"))
    assert sorted(weights_file(name) for name in trained_names()) == sorted(map(str, files))
    assert sum(file.stat().st_size for file in files) < 30e6


def test_an_unknown_name_is_refused_with_those_that_are_there() -> None:
    with pytest.raises(InvalidSpec, match=re.escape(f"'builtin-7x9'; there is {', '.join(trained_names())}")):
        parse("net:builtin-7x9,sims=4")
    assert weights_file("runs/best.safetensors") == "runs/best.safetensors"


@pytest.mark.parametrize(
    ("variant", "name"),
    [
        (Variant.square(4, k=4), "builtin-5x5"),
        (Variant(height=6, width=7, k=4), "builtin-6x6"),
        (Variant.square(11), "builtin-8x8"),
        (Variant.square(12), "builtin-15x15-lines"),
        (Variant.square(17), "builtin-15x15-lines"),
        (Variant.square(18), "builtin-20x20"),
        (Variant.square(20, rule="standard"), "builtin-15x15-standard"),
        (Variant.square(9, players=3), "builtin-8x8-three"),
    ],
    ids=str,
)
def test_another_board_is_played_by_the_network_of_the_nearest(variant: Variant, name: str) -> None:
    text = default_player(variant)
    assert text == f"net:{name},ms=1000"
    player = make_player(parse(f"net:{name},sims=2"), variant, seed=1)
    assert variant.points > player.choose([Turn(game=0, position=Position(variant))])[0] >= 0
    player.close()


@pytest.mark.parametrize(
    "variant", [Variant.square(8, k=3), Variant.square(8, rule="caro"), Variant.square(8, players=4)], ids=str
)
def test_another_game_is_played_without_a_network(variant: Variant) -> None:
    assert default_player(variant) == (FALLBACK if variant.players == 2 else "rollout:ms=1000,solver=on")
    make_player(parse(default_player(variant)), variant, seed=1).close()
