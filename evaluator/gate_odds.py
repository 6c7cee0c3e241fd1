"""How often a gate promotes whom: python -m evaluator.gate_odds

Matches of 400 games in pairs are simulated, for given shares of draws and of decided games that the candidate wins.
With a bias black wins so much more often than white that colour decides most games.  Beside the
gate of a run stand those that promote for 55 % of the points of a fixed number of games.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evaluator.judging.gate import GateConfig
from evaluator.statistics.sign_test import MARGINS, is_better_at_last, is_better_early, is_hopeless

MATCHES: Final = 10_000
SEED: Final = 1
BIAS: Final = 0.9  # share of the decided games between equals that black wins
FIXED_GAMES: Final = (10, 100, 400)
_CONFIG: Final = GateConfig()


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """A kind of candidate and what became of it, e.g. `Row(draw_share=0.5, decided_share=0.6, promoted=0.85, ...)`."""

    draw_share: float  # of the games
    decided_share: float  # of the decided games that the candidate wins; 0.5: it is equal
    black_share: float  # of the decided games between equals that black wins
    promoted: float = 0.0  # share of the matches
    games: float = 0.0  # of a match, on average


ROWS: Final = (
    *(Row(draw_share=draws, decided_share=0.5, black_share=0.5) for draws in (0.0, 0.5, 0.9, 0.99)),
    *(Row(draw_share=draws, decided_share=0.5, black_share=BIAS) for draws in (0.0, 0.5, 0.9, 0.99)),
    *(Row(draw_share=draws, decided_share=0.55, black_share=0.5) for draws in (0.0, 0.5)),
    *(Row(draw_share=draws, decided_share=0.6, black_share=0.5) for draws in (0.0, 0.25, 0.5)),
    *(Row(draw_share=draws, decided_share=0.75, black_share=0.5) for draws in (0.0, 0.5, 0.9)),
)


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Matches:
    """Simulated matches as they stand after each pair of games."""

    pairs: NDArray[np.int64]  # [M, N, 5] pairs with each of MARGINS
    wins: NDArray[np.int64]  # [M, N] games that the candidate has won
    losses: NDArray[np.int64]  # [M, N]


def simulate(row: Row, matches: int, games: int, seed: int) -> Matches:
    """So many matches of so many games, in which each game of a pair is played for itself."""
    generator = np.random.default_rng(seed)
    shape = (matches, games // 2)
    results = []
    for bias in (_log_odds(row.black_share), -_log_odds(row.black_share)):
        chance = 1 / (1 + np.exp(-(_log_odds(row.decided_share) + bias)))
        is_won, is_decided = generator.random(shape) < chance, generator.random(shape) >= row.draw_share
        results.append(np.where(is_decided, np.where(is_won, 1, -1), 0))
    as_black, as_white = results
    margins = as_black + as_white
    return Matches(
        pairs=np.stack([(margins == margin).cumsum(axis=1) for margin in MARGINS], axis=-1),
        wins=sum((result == 1).cumsum(axis=1) for result in results),
        losses=sum((result == -1).cumsum(axis=1) for result in results),
    )


def judge(matches: Matches) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """[M] which candidates the gate of a run promotes, and [M] after how many games each match is over."""
    wins, losses = matches.wins, matches.losses
    has_enough = (wins > 0) & (100 * wins >= _CONFIG.percent * (wins + losses))
    promoted, rejected = is_better_early(matches.pairs) & has_enough, is_hopeless(matches.pairs)
    last = wins.shape[1] - 1
    goes_on = ~(promoted | rejected)[:, last]
    at_last = np.array([is_better_at_last(pairs) for pairs in matches.pairs[:, last].tolist()])
    promoted[:, last] |= goes_on & at_last & has_enough[:, last]
    rejected[:, last] |= ~promoted[:, last]
    over = (promoted | rejected).argmax(axis=1)
    is_rejected = rejected[np.arange(len(over)), over]
    return ~is_rejected, 2 * (over + 1)


def judge_fixed(matches: Matches, games: int) -> NDArray[np.bool_]:
    """[M] which candidates have 55 % of the points after a fixed number of games."""
    margin = matches.wins[:, games // 2 - 1] - matches.losses[:, games // 2 - 1]
    return 50 * (games + margin) >= _CONFIG.percent * games


def odds() -> tuple[list[Row], list[dict[str, float]]]:
    """The rows for the gate of a run, and what fixed gates do, by their number of games, with the same candidates."""
    rows, others = [], []
    for row in ROWS:
        matches = simulate(row, MATCHES, _CONFIG.games, SEED)
        promoted, games = judge(matches)
        rows.append(replace(row, promoted=float(promoted.mean()), games=float(games.mean())))
        others.append({str(games): float(judge_fixed(matches, games).mean()) for games in FIXED_GAMES})
    return rows, others


def main(argv: Sequence[str] | None = None) -> int:
    """Simulate, and print the table; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m evaluator.gate_odds", description=__doc__.partition("\n")[0])
    parser.add_argument("--json", action="store_true", help="print the result as JSON in the last line")
    arguments = parser.parse_args(argv)
    rows, others = odds()
    print(_as_text(rows, others))
    if arguments.json:
        print(json.dumps({"matches": MATCHES, "rows": [asdict(row) for row in rows], "fixed": others}))
    return 0


def _as_text(rows: Sequence[Row], others: Sequence[dict[str, float]]) -> str:
    fixed = " ".join(f"{f'of {games}':>7}" for games in FIXED_GAMES)
    lines = [f"{'drawn':>6} {'won':>5} {'black':>6} {'promoted':>9} {'games':>6}   fixed {fixed}"]
    for row, other in zip(rows, others, strict=True):
        shares = " ".join(f"{share:7.1%}" for share in other.values())
        lines.append(
            f"{row.draw_share:6.0%} {row.decided_share:5.0%} {row.black_share:6.0%} {row.promoted:9.1%} "
            f"{row.games:6.0f}         {shares}"
        )
    legend = "drawn: of all games; won by the candidate, and by black between equals: of the decided games"
    return "\n".join([*lines, "", f"{legend}; {MATCHES:,} matches each"])


def _log_odds(share: float) -> float:
    return float(np.log(share / (1 - share)))


if __name__ == "__main__":
    raise SystemExit(main())
