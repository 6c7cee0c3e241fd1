"""Swap and swap2, choice by choice."""

from __future__ import annotations

import pytest

from gobang.errors import IllegalMove
from gobang.types import Variant
from gobang.web.opening import Opening, read_opening


@pytest.mark.parametrize(
    ("rule", "choices", "is_exchanged"),
    [
        ("swap", ["black"], True),
        ("swap", ["white"], False),
        ("swap2", ["two", "black"], False),
        ("swap2", ["two", "white"], True),
    ],
)
def test_who_takes_a_colour_gets_it(rule: str, choices: list[str], is_exchanged: bool) -> None:
    opening = Opening(rule=rule)
    exchanges = [opening.choose(choice, opening.stones) for choice in choices]
    assert (any(exchanges), opening.is_over) == (is_exchanged, True)
    assert read_opening(rule, choices, Variant(), opening.stones) == opening


def test_each_step_has_its_actor() -> None:
    opening = Opening(rule="swap2")
    assert [opening.actor(ply) for ply in range(4)] == [0, 0, 0, 1]
    opening.choose("two", 3)
    assert [opening.actor(ply) for ply in (3, 4, 5)] == [1, 1, 0]
    assert [opening.choices(ply) for ply in (4, 5)] == [[], ["black", "white"]]


def test_a_choice_has_its_time() -> None:
    for rule, ply, choice in (("swap", 3, "two"), ("swap2", 2, "black"), ("", 3, "black"), ("swap2", 3, "red")):
        with pytest.raises(IllegalMove):
            Opening(rule=rule).choose(choice, ply)
