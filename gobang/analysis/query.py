"""Questions and answers of analysis, and their JSON: what KataGo's analysis engine has, with the names it gives them.

A question, one line; all but `id` and `moves` may be left out:

    {"id": "a", "moves": [["B", "h8"], ["W", "i9"]], "boardXSize": 15, "boardYSize": 15, "k": 5, "rules": "freestyle",
     "analyzeTurns": [0, 2], "maxVisits": 1000, "mostMoves": 5, "reportDuringSearchEvery": 0.5, "priority": 0,
     "includePolicy": true, "includeThreats": true}
    {"id": "b", "action": "terminate", "terminateId": "a"}

An answer, one line for each turn, and more with `isDuringSearch` true on the way:

    {"id": "a", "turnNumber": 2, "isDuringSearch": false, "rootInfo": {...}, "moveInfos": [{...}, ...]}

Win rates are those of the side to move.  What cannot be read is answered {"error": ..., "field": ..., "id": ...}.
"""

from __future__ import annotations

import reprlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from gobang.analysis.threats import Threats
from gobang.errors import GobangError, nearest
from gobang.json_text import parse_json
from gobang.rules.position import Position, parse_point, point_name
from gobang.types import MAX_SIDE, RULES, UNDECIDED, Analysis, MoveAnalysis, Variant

DEFAULT_VISITS: Final = 1000
MOST_VISITS: Final = 1_000_000
DEFAULT_MOVES: Final = 10
_LONGEST_ID: Final = 100
_COLOURS: Final = "BW34"  # of the players in `moves`, as their first letters

Json = dict[str, Any]  # an object of JSON
_Number = int | float


class BadQuery(GobangError, ValueError):
    """A question that cannot be read; `field` is where, `asked_by` its id as far as that is known."""

    def __init__(self, reason: str, *, field: str = "", asked_by: str = "") -> None:
        super().__init__(reason)
        self.field, self.id = field, asked_by

    def as_json(self) -> Json:
        """The answer to it."""
        return {"error": str(self), "field": self.field, "id": self.id}


@dataclass(frozen=True, kw_only=True, slots=True)
class Query:
    """A game of which some turns are to be analysed."""

    id: str
    variant: Variant
    moves: tuple[int, ...]
    turns: tuple[int, ...]  # number of moves played before each position
    visits: int = DEFAULT_VISITS
    most_moves: int = DEFAULT_MOVES
    every: float | None = None  # seconds between two answers during the search; None: only the last one
    priority: int = 0  # a higher one comes first
    has_policy: bool = False
    has_threats: bool = False
    player: str = ""  # who analyses; empty for the default


@dataclass(frozen=True, kw_only=True, slots=True)
class Stop:
    """A request to end the search of a query, or of all if `target` is empty."""

    id: str
    target: str
    fields: Json  # of the request, which are sent back


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    """What a search has found of one turn of a query."""

    query: Query
    turn: int
    position: Position
    analysis: Analysis | None  # None of a decided position
    is_last: bool  # of this turn
    threats: Threats | None = None


def read_request(line: str) -> Query | Stop:
    """The request of a line; raises BadQuery."""
    try:
        fields = parse_json(line)
    except ValueError as error:
        raise BadQuery(f"not JSON: {error}") from error
    return request_of(fields)


def request_of(fields: object) -> Query | Stop:
    """The request of an object of JSON; raises BadQuery."""
    if not isinstance(fields, dict):
        raise BadQuery(f"{_short(fields)} is not an object with an id")
    name = fields.get("id")
    if not isinstance(name, str) or not 0 < len(name) <= _LONGEST_ID:
        raise BadQuery(f"id {_short(name)}: a text of 1 to {_LONGEST_ID} characters", field="id")
    try:
        return _read_action(fields, name) if "action" in fields else _read_query(fields, name)
    except BadQuery as error:
        raise BadQuery(str(error), field=error.field, asked_by=name) from error


def _read_action(fields: Json, name: str) -> Stop:
    action, target = fields["action"], fields.get("terminateId", "")
    if action not in ("terminate", "terminate_all") or not isinstance(target, str):
        raise BadQuery(f"action {_short(action)}: terminate with a terminateId, or terminate_all", field="action")
    if action == "terminate" and not target:
        raise BadQuery("terminateId: whose search?", field="terminateId")
    known = {field: value for field, value in fields.items() if field in ("id", "action", "terminateId")}
    return Stop(id=name, target=target if action == "terminate" else "", fields=known)


_KNOWN: Final = (
    *("id", "moves", "boardXSize", "boardYSize", "k", "rules", "players", "analyzeTurns", "maxVisits", "mostMoves"),
    *("reportDuringSearchEvery", "priority", "includePolicy", "includeThreats", "player"),
)


def _read_query(fields: Json, name: str) -> Query:
    for field in fields:
        if field not in _KNOWN:
            raise BadQuery(f"there is no field {_short(field)}; {nearest(str(field), _KNOWN)}", field=str(field)[:40])
    variant = read_variant(fields)
    moves = read_moves(fields.get("moves"), variant)
    every = _number(fields, "reportDuringSearchEvery", None, 0.01, 3600)
    return Query(
        id=name,
        variant=variant,
        moves=moves,
        turns=_read_turns(fields.get("analyzeTurns", [len(moves)]), len(moves)),
        visits=read_whole_field(fields, "maxVisits", DEFAULT_VISITS, 1, MOST_VISITS),
        most_moves=read_whole_field(fields, "mostMoves", DEFAULT_MOVES, 1, MAX_SIDE**2),
        every=None if every is None else float(every),
        priority=read_whole_field(fields, "priority", 0, -(10**9), 10**9),
        has_policy=_truth(fields, "includePolicy"),
        has_threats=_truth(fields, "includeThreats"),
        player=_text(fields, "player"),
    )


def read_variant(fields: Mapping[str, object]) -> Variant:
    """The game that an object of JSON names; raises BadQuery."""
    rule = fields.get("rules", RULES[0])
    if not isinstance(rule, str):
        raise BadQuery(f"rules {_short(rule)}: a text", field="rules")
    width = read_whole_field(fields, "boardXSize", 15, 1, 99)
    try:
        return Variant(
            width=width,
            height=read_whole_field(fields, "boardYSize", width, 1, 99),
            k=read_whole_field(fields, "k", 5, 1, 99),
            rule=rule[:20],
            players=read_whole_field(fields, "players", 2, 1, 99),
        )
    except BadQuery:
        raise
    except GobangError as error:
        raise BadQuery(str(error), field="rules") from error


def read_moves(moves: object, variant: Variant) -> tuple[int, ...]:
    """The points of moves such as "h8" or ["B", "h8"], all of them legal in turn; raises BadQuery."""
    if not isinstance(moves, Sequence) or isinstance(moves, str):
        raise BadQuery(f"moves {_short(moves)}: a list of points such as h8", field="moves")
    position = Position(variant)
    for number, move in enumerate(moves):
        try:
            position.play(parse_point(variant, _name_of_point(move, position.to_move)))
        except GobangError as error:
            raise BadQuery(f"move {number + 1}: {error}", field="moves") from error
    return tuple(position.moves)


def _name_of_point(move: object, to_move: int) -> str:
    if isinstance(move, str):
        return move
    match move:
        case [str(colour), str(name)]:
            if colour.upper() != _COLOURS[to_move]:
                raise BadQuery(f"{colour} moves out of turn")
            return name
    raise BadQuery(f"{_short(move)} is not a move such as h8")


def _read_turns(turns: object, last: int) -> tuple[int, ...]:
    if not isinstance(turns, list) or not 0 < len(turns) <= last + 1:
        raise BadQuery(f"analyzeTurns {_short(turns)}: a list of 1 to {last + 1} numbers", field="analyzeTurns")
    for turn in turns:
        if not isinstance(turn, int) or isinstance(turn, bool) or not 0 <= turn <= last:
            raise BadQuery(f"analyzeTurns {_short(turn)}: from 0 to {last}", field="analyzeTurns")
    return tuple(dict.fromkeys(turns))


def read_whole_field(fields: Mapping[str, object], name: str, default: int, low: int, high: int) -> int:
    """Return the whole number of a field, or the default; raise BadQuery unless it lies from `low` to `high`."""
    value = _number(fields, name, default, low, high)
    if not isinstance(value, int):
        raise BadQuery(f"{name} {_short(value)}: a whole number", field=name)
    return value


def _number(
    fields: Mapping[str, object], name: str, default: _Number | None, low: _Number, high: _Number
) -> _Number | None:
    value = fields.get(name, default)
    if value is None:
        return None
    if not isinstance(value, int | float) or isinstance(value, bool) or not low <= value <= high:
        raise BadQuery(f"{name} {_short(value)}: a number from {low:g} to {high:g}", field=name)
    return value


def _truth(fields: Json, name: str) -> bool:
    value = fields.get(name, False)
    if not isinstance(value, bool):
        raise BadQuery(f"{name} {_short(value)}: true or false", field=name)
    return value


def _text(fields: Json, name: str) -> str:
    value = fields.get(name, "")
    if not isinstance(value, str):
        raise BadQuery(f"{name} {_short(value)}: a text", field=name)
    return value


def _short(value: object) -> str:
    """Return the start of a value for a message; reprlib does not walk through all of a deep or long one."""
    return reprlib.repr(value)[:40]


def answer_json(answer: Answer) -> Json:
    """An answer as an object of JSON."""
    position, analysis = answer.position, answer.analysis
    fields: Json = {"id": answer.query.id, "turnNumber": answer.turn, "isDuringSearch": not answer.is_last}
    if analysis is None:
        return {**fields, "rootInfo": {"visits": 0, **_certain(position)}, "moveInfos": []}
    fields["rootInfo"] = {"visits": analysis.visits, **_rates(analysis.chances, analysis.proven, position)}
    fields["moveInfos"] = [_move_info(each, order, position) for order, each in enumerate(analysis.moves)]
    if answer.query.has_policy:
        fields["policy"] = _policy(analysis, position)
    if answer.threats is not None:
        fields["threats"] = _threats(answer.threats, position.variant)
    return fields


def _move_info(move: MoveAnalysis, order: int, position: Position) -> Json:
    return {
        "move": point_name(position.variant, move.point),
        "visits": move.visits,
        **_rates(move.chances, move.proven, position),
        "prior": round(move.prior, 5),
        "order": order,
        "pv": _names(position.variant, move.line),
    }


def _rates(chances: Sequence[float], proven: int, position: Position) -> Json:
    """The chances of the side to move, and those of all players in turn with the draw last."""
    players, own = position.variant.players, chances[position.to_move]
    lost = sum(chances[:players]) - own
    fields: Json = {
        "winrate": round(own, 5),
        "drawrate": round(chances[players], 5),
        "utility": round(own - lost / (players - 1), 5),
        "chances": [round(each, 5) for each in chances],
    }
    if proven != UNDECIDED:
        fields["proven"] = "draw" if proven == players else "win" if proven == position.to_move else "loss"
    return fields


def _certain(position: Position) -> Json:
    chances = [float(index == position.outcome) for index in range(position.variant.players + 1)]
    return _rates(chances, position.outcome, position)


def _policy(analysis: Analysis, position: Position) -> list[float]:
    """Priors in rows from the top left, -1 where no stone may be put."""
    legal = position.legal()
    shares = [round(float(each), 5) if may else -1.0 for each, may in zip(analysis.priors, legal, strict=True)]
    width = position.variant.width
    rows = [shares[start : start + width] for start in range(0, len(shares), width)]
    return [share for row in reversed(rows) for share in row]


def _threats(threats: Threats, variant: Variant) -> Json:
    return {
        "win": _names(variant, threats.win),
        "forced": None if threats.forced is None else point_name(variant, threats.forced),
        "isLost": threats.is_lost,
        "menace": _names(variant, threats.menace),
    }


def _names(variant: Variant, points: Sequence[int]) -> list[str]:
    return [point_name(variant, point) for point in points]
