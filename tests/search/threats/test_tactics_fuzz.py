"""The tactical solver against brute force: no false verdict."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from numpy.typing import NDArray

from gobang.rules.geometry import geometry
from gobang.search.threats.tactical_positions import tactical_positions
from gobang.search.threats.tactics import FORCED, NOTHING, WIN, solve, tactics_workspace
from gobang.types import Variant
from tests.search.brute_force import contradiction, random_positions

# Variant and the most empty points that brute force can bear.
CASES = [
    (Variant(height=3, width=3, k=3), 9),
    (Variant(height=3, width=5, k=3), 10),
    (Variant(height=4, width=4, k=3, rule="standard"), 10),
    (Variant(height=4, width=4, k=4), 10),
    (Variant(height=5, width=5, k=4), 11),
    (Variant(height=5, width=5, k=4, rule="standard"), 11),
    (Variant(height=6, width=4, k=4, rule="standard"), 11),
    (Variant(height=6, width=6, k=5), 11),
    (Variant(height=4, width=7, k=5), 11),
    (Variant(height=6, width=6, k=5, rule="standard"), 11),
    (Variant(height=7, width=7, k=6), 10),
    (Variant(height=5, width=5, k=5, rule="renju"), 10),
    (Variant(height=6, width=6, k=5, rule="renju"), 11),
    (Variant(height=7, width=7, k=5, rule="renju"), 11),
    (Variant(height=5, width=8, k=5, rule="renju"), 11),
    (Variant(height=6, width=6, rule="caro"), 11),
    (Variant(height=7, width=7, rule="caro"), 11),
    (Variant(height=4, width=9, rule="caro"), 11),
    (Variant(height=5, width=5, k=3, players=3), 15),
    (Variant(height=5, width=5, k=4, players=3, rule="standard"), 12),
    (Variant(height=6, width=5, k=4, players=4), 15),
]
NAMES = [str(variant) for variant, _ in CASES]


def positions(variant: Variant, empty: int, count: int, seed: int) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
    """Half from play that leaves wins lying, half from play that blocks them."""
    rng = np.random.default_rng(seed)
    careless = random_positions(variant, count // 2, rng, (1, empty))
    careful = tactical_positions(variant, count // 2, rng, plies=(variant.points - empty, variant.points - 4))
    return np.concatenate([careless[0], careful[0]]), np.concatenate([careless[1], careful[1]])


def check(variant: Variant, empty: int, count: int, seed: int) -> Counter[int]:
    """Compare verdicts with brute force; returns how often each was given."""
    table, workspace = geometry(variant), tactics_workspace(variant, 1000)
    verdicts: Counter[int] = Counter()
    for cells, to_move in zip(*positions(variant, empty, count, seed), strict=True):
        verdict, point, _ = solve(table, workspace, cells, int(to_move), 1000)
        wrong = contradiction(variant, cells, int(to_move), verdict, point)
        assert not wrong, f"{wrong}: {variant}, verdict {verdict}, {point=}, {to_move=}, {cells.tolist()}"
        verdicts[verdict] += 1
    return verdicts


@pytest.mark.parametrize(("variant", "empty"), CASES, ids=NAMES)
def test_verdicts_agree_with_brute_force(variant: Variant, empty: int) -> None:
    verdicts = check(variant, empty, 6000, seed=1)
    assert verdicts.total() == 6000
    assert verdicts[WIN] > 100
    assert verdicts[FORCED] > 100
    assert verdicts[NOTHING] > 10
