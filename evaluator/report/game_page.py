"""An annotated game as HTML: its final position, the chances move by move, and a board for each key move."""

from __future__ import annotations

from html import escape
from typing import Final
from urllib.parse import quote

import numpy as np

from evaluator.judging.gate import ContestGame
from evaluator.report.annotation import AnnotatedGame, KeyMove, View
from evaluator.report.board import board_html
from evaluator.report.page import Draw
from evaluator.report.plots import Curve, Plot
from gobang.rules.position import point_name
from gobang.sgf import GameText, write_sgf
from gobang.types import COLOURS, Variant

PAGE_ADDRESS: Final = "http://127.0.0.1:8080/"  # where `gobang web` listens unless told otherwise
_SHOWN_SHARE: Final = 0.02  # of the visits from which on a move is drawn


def chances_plot(annotated: AnnotatedGame, name: str) -> Plot:
    """A plot of what the search expects after each move, with the key moves marked."""
    record = annotated.game.record
    plies = np.arange(record.opening, len(record.moves) + 1, dtype=np.float64)
    chances = np.array([view.chances for view in annotated.views])
    words = (*(f"{colour} wins" for colour in COLOURS[: record.variant.players]), "draw")
    return Plot(
        name=name,
        title="Chances after each move",
        unit="probability",
        caption="What the search expects after each move; dotted: the moves shown below.",
        curves=tuple(
            Curve(label=label, x={"ply": plies}, y=chances[:, column], colour=column)
            for column, label in enumerate(words)
        ),
        bounds=(0.0, 1.0),
        axes={"ply": "moves played"},
        marks=tuple(float(move.ply + 1) for move in annotated.key_moves),
    )


def game_html(annotated: AnnotatedGame, variant: Variant, reason: str, draw: Draw) -> str:
    """A card; the chances are drawn under the name of the game."""
    game = annotated.game
    plot = chances_plot(annotated, f"game-{game.match}-{game.number}")
    final = board_html(variant, game.record.moves, title="final position")
    boards = "".join(_key_move_html(annotated, move, variant) for move in annotated.key_moves)
    none = (
        "" if boards else '<p class="quiet">The search finds no move that cost much or that it would not have made.</p>'
    )
    moves = " ".join(f"{number}.{point_name(variant, point)}" for number, point in enumerate(game.record.moves, 1))
    return (
        f'<article class="card wide"><h3>{_heading(game)}: '
        f"{_result(annotated)}</h3>"
        f'<p class="quiet">Match {game.match}, game {game.number}: {escape(reason)}. '
        f"The first {game.record.opening} moves were given. {_links(annotated)}</p>"
        f'<div class="game"><div><h4>Final position</h4>{final}</div>'
        f'<div class="chances"><h4>{plot.title}</h4>{draw(plot)["ply"]}'
        f'<p class="quiet">{escape(plot.caption)}</p></div>{boards}</div>'
        f'{none}<p class="quiet">{moves}</p></article>'
    )


def _heading(game: ContestGame) -> str:
    """As in "v12 (black) v v9 (white)"."""
    return " v ".join(f"{escape(name)} ({colour})" for name, colour in zip(game.names, COLOURS, strict=False))


def describe(move: KeyMove, variant: Variant) -> str:
    """A move in words, e.g. "White played h8 (visits 3 %), win 0.31 -> 0.12; preferred g6 (62 %), win 0.35."."""
    played, preferred = (point_name(variant, point) for point in (move.played, move.before.preferred))
    text = (
        f"{COLOURS[move.player].capitalize()} played {played} (visits {_share(move.before, move.played)}), "
        f"{_change(move)}"
    )
    if move.played == move.before.preferred:
        return f"{text}; the search would have played it too."
    share, chances = _share(move.before, move.before.preferred), _chances(move.after_preferred, move.player)
    return f"{text}; preferred {preferred} ({share}), {chances}."


def _key_move_html(annotated: AnnotatedGame, move: KeyMove, variant: Variant) -> str:
    shares = {point: float(share) for point, share in enumerate(move.before.shares) if share >= _SHOWN_SHARE}
    title = f"before move {move.ply + 1}"
    board = board_html(variant, annotated.game.record.moves[: move.ply], shares=shares, played=move.played, title=title)
    return f"<div><h4>Move {move.ply + 1}</h4>{board}<p>{escape(describe(move, variant))}</p></div>"


def _links(annotated: AnnotatedGame) -> str:
    """To the game as a file, and to the page, if that is being served where it usually is; SGF has two colours."""
    game = annotated.game
    if game.record.variant.players > 2:
        return ""
    text = quote(
        write_sgf(
            GameText(
                variant=game.record.variant,
                moves=game.record.moves,
                players=game.names,
                event=f"match {game.match}, game {game.number}",
                comments={
                    game.record.opening + index: f"black wins {view.chances[0]:.2f}, white {view.chances[1]:.2f}"
                    for index, view in enumerate(annotated.views)
                },
            )
        )
    )
    name = f"match-{game.match}-game-{game.number}.sgf"
    return (
        f'<a download="{name}" href="data:application/x-go-sgf;charset=utf-8,{text}">As SGF</a>, '
        f'<a href="{PAGE_ADDRESS}#sgf={text}">on the page</a> while <code>gobang web</code> serves it.'
    )


def _change(move: KeyMove) -> str:
    before, after = (view.chances[move.player] for view in (move.before, move.after))
    draws = f", draw {move.before.chances[-1]:.2f} \u2192 {move.after.chances[-1]:.2f}"
    return f"win {before:.2f} \u2192 {after:.2f}{draws}"


def _chances(view: View, player: int) -> str:
    return f"win {view.chances[player]:.2f}, draw {view.chances[-1]:.2f}"


def _share(view: View, point: int) -> str:
    return f"{100 * view.shares[point]:.0f} %"


def _result(annotated: AnnotatedGame) -> str:
    record = annotated.game.record
    words = "a draw" if record.outcome == record.variant.draw else f"{COLOURS[record.outcome]} won"
    return f"{words} in {len(record.moves)} moves"
