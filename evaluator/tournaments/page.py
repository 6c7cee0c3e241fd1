"""The page of a tournament: the cross-table, and Elo with intervals as a picture that needs no library."""

from __future__ import annotations

from html import escape
from typing import Final

from evaluator.report.page import Section, Table, page_html
from evaluator.tournaments.plan import Plan
from evaluator.tournaments.standings import Standings, about_model

_WIDTH: Final = 900.0  # of the picture
_NAMES: Final = 360.0  # of the part with the names
_ROW: Final = 30.0


def tournament_page(plan: Plan, table: Standings, command: str) -> str:
    """The whole document."""
    order = table.order
    head = (
        "",
        "player",
        "Elo",
        "+-",
        "games",
        *(("as black", "as white") if table.players == 2 else ("alone", "as all others")),
        *(str(rank) for rank in range(1, len(order) + 1)),
    )
    sections = [
        Section(
            name="strength",
            title="Strength",
            words=about_model(table),
            extra=f'<figure class="card">{elo_svg(table)}</figure>',
        ),
        Section(
            name="table",
            title="Cross-table",
            words="Points per game of the row's player against each other, by rank; draws count half.",
            table=Table(head=head, rows=tuple(_row(table, rank, player) for rank, player in enumerate(order, 1))),
        ),
        Section(
            name="games",
            title="Games",
            words="Each opening is played twice, with the colours swapped."
            if table.players == 2
            else "Each opening is played with each of the two alone, in each seat, against copies of the other.",
            code=command,
            extra=f"<p>{''.join(_link(name, title) for name, title in _files(table.players))}</p>",
        ),
    ]
    facts = {"game": str(plan.variant), "games": str(int(table.results.sum())), "a pairing": str(plan.games_each)}
    return page_html("Tournament", facts, sections, lambda plot: {})


def _files(players: int) -> tuple[tuple[str, str], ...]:
    """Those with the games; SGF has two colours."""
    lines = (("games.jsonl", "All games as JSON lines"),)
    return (("games.sgf", "All games as SGF"), *lines) if players == 2 else lines


def _link(name: str, title: str) -> str:
    return f'<a href="{name}">{title}</a> '


def _row(table: Standings, rank: int, player: int) -> tuple[str, ...]:
    everyone = range(len(table.names))
    total = table.tally(player, everyone)
    by_colour = (table.tally(player, everyone, [colour]) for colour in (0, 1))
    return (
        str(rank),
        table.names[player],
        f"{table.strengths.elo[player]:+.0f}",
        f"{table.strengths.error[player]:.0f}",
        str(total.games),
        *(f"{counts.wins}-{counts.draws}-{counts.losses}" for counts in by_colour),
        *(_cell(table, player, other) for other in table.order),
    )


def _cell(table: Standings, player: int, other: int) -> str:
    met = table.tally(player, [other])
    if not met.games:
        return ""
    return f"{met.score:.3f}"


def elo_svg(table: Standings) -> str:
    """A row for each player: a point, and the interval of 95 % through it."""
    elo, error = table.strengths.elo, table.strengths.error
    low, high = float((elo - error).min()), float((elo + error).max())
    scale = (_WIDTH - _NAMES - 40) / max(high - low, 1.0)
    rows = []
    for rank, player in enumerate(table.order):
        middle = _ROW * (rank + 0.7)
        left, point, right = (
            _NAMES + 20 + (value - low) * scale
            for value in (elo[player] - error[player], elo[player], elo[player] + error[player])
        )
        rows.append(
            f'<text x="{_NAMES}" y="{middle + 4:.0f}" text-anchor="end" fill="currentColor">'
            f"{escape(_shortened(table.names[player]))}</text>"
            f'<path d="M{left:.1f} {middle:.0f}H{right:.1f}" stroke="currentColor" stroke-opacity=".45"/>'
            f'<circle cx="{point:.1f}" cy="{middle:.0f}" r="5" fill="currentColor"/>'
            f'<text x="{point:.1f}" y="{middle - 8:.0f}" text-anchor="middle" font-size="11" fill="currentColor">'
            f"{elo[player]:+.0f}</text>"
        )
    height = _ROW * len(table.names) + 8
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH:.0f} {height:.0f}" role="img" '
        f'font-size="13" font-family="sans-serif"><title>Elo of each player</title>{"".join(rows)}</svg>'
    )


def _shortened(name: str) -> str:
    return name if len(name) <= 48 else f"{name[:22]}…{name[-24:]}"
