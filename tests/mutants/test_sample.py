from __future__ import annotations

from pathlib import Path

import pytest

from tests.mutants.sample import Mutant, drawn, is_sensible, is_within, pruned

SOURCE = """
from __future__ import annotations
from dataclasses import dataclass
from typing import TYPE_CHECKING
if TYPE_CHECKING:
    from a import b

@dataclass(frozen=True)
class Row:
    size: int | None = 1

@retried(times=3)
def grown(row: Row | None, by: int = 2) -> int | None:
    assert by > 0
    _log.info("%d", by + 1)
    return row.size + by
"""


def mutant(line: str, row: int, operator: str = "core/ReplaceBinaryOperator_Add_Sub", occurrence: int = 0) -> Mutant:
    return Mutant(path=Path("a.py"), operator=operator, occurrence=occurrence, at=(row, line.index("+")), line=line)


@pytest.mark.parametrize(
    ("text", "is_pruned"),
    [
        ("| None = 1", True),
        ("1\n", False),
        ("True", True),
        ("3)", False),
        ("| None, by", True),
        ("2)", False),
        ("| None:", True),
        ("> 0", True),
        ("+ 1", True),
        ("+ by", False),
        ("import b", True),
    ],
)
def test_what_has_no_effect_is_not_mutated(text: str, is_pruned: bool) -> None:
    before = SOURCE[: SOURCE.index(text)]
    at = (before.count("\n") + 1, len(before) - before.rfind("\n") - 1)
    assert is_within(at, pruned(SOURCE)) == is_pruned


@pytest.mark.parametrize(
    ("operator", "sensible"),
    [
        ("core/ReplaceBinaryOperator_Add_Sub", True),
        ("core/ReplaceBinaryOperator_Add_Pow", False),
        ("core/ReplaceComparisonOperator_Eq_Is", False),
        ("core/ReplaceComparisonOperator_Is_IsNot", True),
        ("core/ReplaceComparisonOperator_Lt_LtE", True),
        ("own/RemoveStatement", True),
    ],
)
def test_changes_that_nobody_makes_are_left_out(operator: str, sensible: bool) -> None:
    assert is_sensible(operator) == sensible


def test_a_place_is_drawn_once_and_another_seed_draws_in_another_order() -> None:
    lines = [f"    x{number} = a + b" for number in range(40)]
    mutants = [mutant(line, row, occurrence=row) for row, line in enumerate(lines)]
    both = mutants + [mutant(line, row, "core/ReplaceBinaryOperator_Add_Mul") for row, line in enumerate(lines)]
    assert sorted(found.at for found in drawn(both, 1)) == sorted(found.at for found in mutants)
    assert {found.operator for found in drawn(both, 1)} == {found.operator for found in both}
    assert list(drawn(mutants, 1)) != list(drawn(mutants, 2))


def test_a_line_that_is_added_above_leaves_the_sample_as_it_is() -> None:
    lines = ["    same = a + b", "    same = a + b", *(f"    x{number} = a + b" for number in range(20))]
    before = [found.line for found in drawn((mutant(line, row) for row, line in enumerate(lines)), 1)][:5]
    after = [found.line for found in drawn((mutant(line, row + 7) for row, line in enumerate(lines)), 1)][:5]
    assert before == after
