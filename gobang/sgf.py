"""Games in SGF, the format that programs for board games share; gomoku is game 4 of its list.

    (;FF[4]GM[4]CA[UTF-8]SZ[15]RU[freestyle]PB[v12]PW[v9]RE[B+];B[hh]C[win 0.52];W[hi])

A point is two letters, column and row from the upper left corner.  What is read is the first line of play of each
game of a file; variations and unknown properties are left out.  How many in a row win has no property in SGF: it stands
in RU, as "freestyle, 4 in a row", where it is not five.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from gobang.errors import GobangError, InvalidGame
from gobang.numbers import read_whole
from gobang.rules.position import Position
from gobang.types import RULES, UNDECIDED, Variant

GOMOKU: Final = "4"
_GAMES: Final = (GOMOKU, "1", "")  # some programs write Go's number
_LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"
_COLOURS: Final = ("B", "W")
_MOST_GAMES: Final = 2000
MOST_MOVES: Final = 100_000  # of all games of a file; to play them takes some seconds
_MOST_TOKENS: Final = 1_000_000  # ten for each of these moves
_TOKEN: Final = re.compile(r"\s*(?:([();])|([A-Za-z]+)|\[([^\]\\]*(?:\\.[^\]\\]*)*)\])", re.DOTALL)
_ROW_LENGTH: Final = re.compile(r"([0-9]{1,2}) in a row")

_Node = dict[str, list[str]]  # values by property


@dataclass(frozen=True, kw_only=True, slots=True)
class GameText:
    """A game as a file tells it, e.g. `GameText(variant=Variant(), moves=(112, 113), players=("v12", "v9"))`."""

    variant: Variant
    moves: tuple[int, ...]
    players: tuple[str, ...] = ("", "")  # names of black and white
    result: str = ""  # as in RE, e.g. "B+", "Draw"; empty for a game that goes on
    event: str = ""
    comments: Mapping[int, str] = field(default_factory=dict)  # by the number of moves played


def write_sgf(game: GameText) -> str:
    """A game as a tree of SGF; raises InvalidGame for more than two players."""
    variant = game.variant
    if variant.players != len(_COLOURS):
        raise InvalidGame(f"{variant}: SGF has two colours")
    size = str(variant.width) if variant.width == variant.height else f"{variant.width}:{variant.height}"
    rule = variant.rule if variant.k == Variant().k else f"{variant.rule}, {variant.k} in a row"
    head = {"FF": "4", "GM": GOMOKU, "CA": "UTF-8", "AP": "gobang", "SZ": size, "RU": rule}
    names = {"PB": game.players[0], "PW": game.players[1], "RE": game.result, "EV": game.event}
    nodes = ["".join(f"{key}[{_escaped(value)}]" for key, value in {**head, **names}.items() if value)]
    nodes[0] += _comment(game, 0)
    for ply, point in enumerate(game.moves):
        nodes.append(f"{_COLOURS[ply % 2]}[{_point_text(variant, point)}]{_comment(game, ply + 1)}")
    return f"({''.join(f';{node}' for node in nodes)})"


def read_sgf(text: str) -> list[GameText]:
    """Return the games of a file; raise InvalidGame, which says where."""
    games, moves = list[GameText](), 0
    for number, nodes in enumerate(_main_lines(text), 1):
        if number > _MOST_GAMES:
            raise InvalidGame(f"more than {_MOST_GAMES} games in one file")
        try:
            games.append(_read_game(nodes))
        except GobangError as error:
            raise InvalidGame(f"game {number} of the file: {error}") from error
        moves += len(games[-1].moves)
        if moves > MOST_MOVES:
            raise InvalidGame(f"more than {MOST_MOVES:,} moves in one file: open fewer games at once")
    if not games:
        raise InvalidGame("no game of SGF, which begins with (;")
    return games


def result_text(position: Position) -> str:
    """How a game ended, as in RE."""
    if position.outcome == UNDECIDED:
        return ""
    return "Draw" if position.outcome == position.variant.draw else f"{_COLOURS[position.outcome]}+"


def _comment(game: GameText, ply: int) -> str:
    return f"C[{_escaped(game.comments[ply])}]" if game.comments.get(ply) else ""


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("]", "\\]")


def _point_text(variant: Variant, point: int) -> str:
    row, column = divmod(point, variant.width)
    return _LETTERS[column] + _LETTERS[variant.height - 1 - row]


def _read_game(nodes: Sequence[_Node]) -> GameText:
    root = nodes[0]
    if _first(root, "GM") not in _GAMES:
        raise InvalidGame(f"GM[{_first(root, 'GM')[:20]}] is another game than gomoku, which is GM[4]")
    variant = _read_variant(root)
    position, comments = Position(variant), dict[int, str]()
    for colour, point in _moves(nodes, variant, comments):
        if colour != position.to_move:
            raise InvalidGame(f"move {len(position.moves) + 1} is {_COLOURS[colour]}'s, out of turn")
        position.play(point)
    return GameText(
        variant=variant,
        moves=tuple(position.moves),
        players=(_first(root, "PB"), _first(root, "PW")),
        result=_first(root, "RE"),
        event=_first(root, "EV"),
        comments=comments,
    )


def _moves(nodes: Sequence[_Node], variant: Variant, comments: dict[int, str]) -> Iterator[tuple[int, int]]:
    """Colours and points in the order of play; stones that were set up come first, in turn."""
    ply = 0
    for node in nodes:
        setups = [[_read_point(variant, value) for value in node.get(f"A{colour}", [])] for colour in _COLOURS]
        if any(setups) and ply:
            raise InvalidGame("stones are set up in mid-game")
        black, white = setups
        if len(black) - len(white) not in (0, 1):
            raise InvalidGame(f"{len(black)} black and {len(white)} white stones are set up: impossible in turns")
        for index in range(len(black) + len(white)):
            yield index % 2, setups[index % 2][index // 2]
            ply += 1
        for index, colour in enumerate(_COLOURS):
            if colour in node:
                yield index, _read_point(variant, _first(node, colour))
                ply += 1
        if "C" in node:
            comments[ply] = _first(node, "C")


def _read_variant(root: _Node) -> Variant:
    width, _, height = _first(root, "SZ", "15").partition(":")
    sides = read_whole(width), read_whole(height or width)
    if sides[0] is None or sides[1] is None:
        raise InvalidGame(f"SZ[{_first(root, 'SZ')[:20]}] is no size")
    words = _first(root, "RU").lower()
    rule = next((rule for rule in RULES if rule in words), RULES[0])
    length = _ROW_LENGTH.search(words)
    k = int(length[1]) if length else Variant().k
    return Variant(width=sides[0], height=sides[1], rule=rule, k=k)


def _read_point(variant: Variant, text: str) -> int:
    letters = text.strip().lower()
    if len(letters) != 2 or not all(letter in _LETTERS for letter in letters):
        raise InvalidGame(f"{text[:20]!r} is no point such as hh")
    column, row = map(_LETTERS.index, letters)
    if column >= variant.width or row >= variant.height:
        raise InvalidGame(f"{letters!r} is not on a board of {variant.width} columns and {variant.height} rows")
    return (variant.height - 1 - row) * variant.width + column


def _first(node: _Node, name: str, default: str = "") -> str:
    return node.get(name, [default])[0]


def _main_lines(text: str) -> Iterator[list[_Node]]:
    """The nodes of each game along its first variations."""
    nodes: list[_Node] = []
    depth, closed = 0, False  # brackets that are open; whether a variation has ended, so that others are skipped
    name = ""
    start = max(0, text.find("("))
    for mark, word, value in _tokens(text[start:]):
        if mark == "(":
            depth += 1
        elif mark == ")":
            depth, closed = depth - 1, True
            if depth < 0:
                raise InvalidGame("a bracket is closed that was not opened")
            if depth == 0:
                if not nodes:
                    raise InvalidGame("a game without a node, which begins with ;")
                yield nodes
                nodes, closed = [], False
        elif not closed and mark == ";":
            nodes.append({})
        elif not closed and word:
            name = "".join(letter for letter in word if letter.isupper())  # old files have long names
        elif not closed and mark is None and nodes:
            nodes[-1].setdefault(name, []).append(value)
    if depth:
        raise InvalidGame("the file ends before its last bracket is closed")


def _tokens(text: str) -> Iterator[tuple[str | None, str | None, str]]:
    """Yield marks, names and values one by one."""
    place, end, count = 0, len(text.rstrip()), 0
    while place < end:
        count += 1
        if count > _MOST_TOKENS:
            raise InvalidGame(
                f"more than {_MOST_TOKENS:,} marks, names and values in one file: open fewer games at once"
            )
        match = _TOKEN.match(text, place)
        if match is None:
            raise InvalidGame(f"not SGF at {text[place : place + 20].strip()!r}")
        place = match.end()
        value = re.sub(r"\\(.)", r"\1", (match[3] or "").replace("\\\n", ""), flags=re.DOTALL)
        yield match[1], match[2], value
