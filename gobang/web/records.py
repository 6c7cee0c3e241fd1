"""Files of games that a person opens on the page: SGF, and what `gobang match --record` writes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from gobang.analysis.query import BadQuery, Json, read_moves
from gobang.analysis.rows import winning_row
from gobang.errors import GobangError, InvalidGame
from gobang.json_text import parse_json
from gobang.numbers import read_whole
from gobang.rules.position import Position, point_name
from gobang.sgf import MOST_MOVES, GameText, read_sgf, result_text, write_sgf
from gobang.types import COLOURS, RULES, Variant
from gobang.web.games import outcome_json, variant_json

_MOST_LINES: Final = 5000


def read_games(text: str) -> list[Json]:
    """The games of a file for the page; raises InvalidGame."""
    if text.lstrip().startswith("{"):
        return [_game_json(game) for game in _read_lines(text)]
    return [_game_json(game) for game in read_sgf(text)]


def sgf_of(variant: Variant, fields: Mapping[str, object]) -> str:
    """A game of the page as SGF, with the comments that it has made; raises BadQuery."""
    moves = read_moves(fields.get("moves"), variant)
    comments = fields.get("comments", {})
    names = fields.get("names", ["", ""])
    if not isinstance(comments, dict) or not isinstance(names, list) or len(names) != variant.players:
        raise BadQuery("comments by move number, and a name for each player", field="comments")
    return write_sgf(
        GameText(
            variant=variant,
            moves=moves,
            players=tuple(str(name)[:300] for name in names),
            result=result_text(Position(variant, moves)),
            comments={
                ply: str(text)[:2000] for key, text in comments.items() if (ply := read_whole(str(key), 0)) is not None
            },
        )
    )


def game_json(variant: Variant, moves: tuple[int, ...], **more: object) -> Json:
    """A game to be replayed, as the page wants it."""
    position = Position(variant, moves)
    return {
        **variant_json(variant),
        "moves": [point_name(variant, point) for point in moves],
        "outcome": outcome_json(position),
        "row": [point_name(variant, point) for point in winning_row(position)],
        **more,
    }


def _game_json(game: GameText) -> Json:
    comments = {str(ply): text for ply, text in game.comments.items()}
    return game_json(
        game.variant, game.moves, names=list(game.players), result=game.result, event=game.event, comments=comments
    )


def _read_lines(text: str) -> list[GameText]:
    games, moves = list[GameText](), 0
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        if len(games) == _MOST_LINES:
            raise InvalidGame(f"more than {_MOST_LINES} games in one file")
        try:
            games.append(_read_line(parse_json(line)))
        except (ValueError, TypeError, KeyError, GobangError) as error:
            raise InvalidGame(f"line {number}: {error}") from error
        moves += len(games[-1].moves)
        if moves > MOST_MOVES:
            raise InvalidGame(f"more than {MOST_MOVES:,} moves in one file: open fewer games at once")
    return games


def _read_line(fields: object) -> GameText:
    """Return the game of a line of `gobang match --record`."""
    if not isinstance(fields, dict):
        raise InvalidGame("not an object of JSON")
    variant = Variant(
        height=_whole(fields["height"]),
        width=_whole(fields["width"]),
        k=_whole(fields["k"]),
        rule=str(fields.get("rule", RULES[0])),
        players=max(2, sum(colour in fields for colour in COLOURS)),
    )
    return GameText(
        variant=variant,
        moves=read_moves(fields["moves"], variant),
        players=tuple(str(fields.get(colour, "")) for colour in COLOURS[: variant.players]),
        result=str(fields.get("result", "")),
        event=f"game {fields.get('game', '')}",
    )


def _whole(value: object) -> int:
    number = read_whole(str(value)[:40])
    if number is None:
        raise InvalidGame(f"{str(value)[:40]!r} is no whole number")
    return number
