from __future__ import annotations

import pickle
import re

import pytest

from gobang.errors import InvalidConfig
from gobang.network.spec import NetworkSpec
from gobang.types import Variant

SPEC = NetworkSpec(
    architecture="cnn3", options={"filters": 16}, features="players", players=3, height=7, width=9, reply_head=True
)


def test_dict_round_trip() -> None:
    assert NetworkSpec.from_dict(SPEC.to_dict()) == SPEC
    assert pickle.loads(pickle.dumps(SPEC)) == SPEC


def test_spec_keeps_its_options_when_the_caller_changes_theirs() -> None:
    options = {"filters": 16}
    spec = NetworkSpec(architecture="cnn3", options=options)
    options["filters"] = 32
    assert spec.options == {"filters": 16}


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"architecure": "cnn3"}, "architecture"),
        ({"players": 5}, "network.players is 5, not a whole number (2 to 4)"),
        ({"players": True}, "network.players is True"),
        ({"players": "two"}, "network.players is 'two', not a whole number (2 to 4)"),
        ({"features": "five"}, "'five'"),
        ({"height": 8}, "both or neither"),
        ({"height": 8, "width": 23}, "network.width is 23, not a whole number (3 to 22) or null"),
        ({"options": ["blocks"]}, "network.options is ['blocks'], not keys with values"),
        ({"scalar_value": 1}, "network.scalar_value is 1, not on or off"),
    ],
)
def test_wrong_values_are_named(values: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidConfig, match=re.escape(message)):
        NetworkSpec.from_dict(values)


def test_plays_its_own_board_and_players() -> None:
    assert SPEC.plays(Variant(height=7, width=9, players=3))
    assert not SPEC.plays(Variant(height=9, width=7, players=3))
    assert not SPEC.plays(Variant(height=7, width=9))


def test_without_a_board_it_plays_every_board() -> None:
    assert all(NetworkSpec().plays(Variant.square(size)) for size in (5, 8, 22))
    with pytest.raises(InvalidConfig, match="dense heads"):
        NetworkSpec().points  # noqa: B018


def test_value_outputs() -> None:
    assert NetworkSpec(players=3).value_outputs == 4
    assert NetworkSpec(players=3, scalar_value=True).value_outputs == 1
