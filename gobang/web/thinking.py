"""The programs that search for the page, each in a process of its own, so that the page never waits for a search.

    python -m gobang.web.thinking moves       {"id", "game", "player", moves and board} -> {"id", "moves", "seconds"}
    python -m gobang.web.thinking analysis    what `gobang analyse` reads and writes

Lines of JSON in, lines of JSON out.  Both say {"ready": true} first, and end with their input.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Callable
from queue import Queue
from typing import BinaryIO, Final, TextIO

import numpy as np

from gobang.analysis.command import serve
from gobang.analysis.desk import Analysts, Desk
from gobang.analysis.query import Json, answer_json, read_moves, read_variant
from gobang.errors import GobangError
from gobang.players.player import Analyst, Turn
from gobang.players.swap2 import even_opening, judge_by, wants_to_swap
from gobang.rules.position import Position, point_name
from gobang.types import UNDECIDED, Variant
from gobang.web.opening import BLACK, WHITE

MOVES: Final = "moves"
ANALYSIS: Final = "analysis"

_OPENING_SECONDS: Final = 2.0  # for a step of swap2
_END: Final = b'{"id": "end", "action": "terminate_all"}'  # so that no search outlives the page

_Lines = Queue[bytes | None]  # None at the end
_Send = Callable[[Json], None]


class Chooser:
    """Chooses moves one after the other; a request that was taken back before its turn is left out."""

    def __init__(self, send: _Send, seed: int) -> None:
        self._send = send
        # The server checks each seat when it is taken, and puts in the weights of the run that it watches.
        self._players, self._random = Analysts("", seed, is_trusted=True), np.random.default_rng(seed)
        self._taken_back: set[int] = set()
        self._numbers: dict[str, int] = {}  # of the games, as players count them

    def take_back(self, request: int) -> None:
        """Forget a request; may be called from another thread."""
        self._taken_back.add(request)

    def answer(self, request: Json) -> None:
        """Choose a move, or say why there is none."""
        number = int(request["id"])
        if number in self._taken_back:
            self._taken_back.discard(number)
            return
        self._send({"id": number, "thinks": True})
        try:
            self._send({"id": number, **self._choose(request)})
        except GobangError as error:
            self._send({"id": number, "error": str(error)})
        except Exception as error:  # a player may do anything, and the other games go on
            self._send({"id": number, "error": f"{type(error).__name__}: {error}"})

    def _choose(self, request: Json) -> Json:
        variant = read_variant(request)
        position = Position(variant, read_moves(request["moves"], variant))
        game = self._numbers.setdefault(str(request["game"]), len(self._numbers))
        started = time.monotonic()
        found = self._open(request, position) if "stones" in request else self._move(request, position, game)
        return {**found, "seconds": round(time.monotonic() - started, 3)}

    def _move(self, request: Json, position: Position, game: int) -> Json:
        player = self._players.player(str(request["player"]), position.variant)
        point = player.choose([Turn(game=game, position=position)])[0]
        position.check(point)
        return {"moves": [point_name(position.variant, point)]}

    def _open(self, request: Json, position: Position) -> Json:
        """The next step of an opening: a colour, or the stones that are still to be put."""
        judge = judge_by(self._analyst(str(request["player"]), position.variant))
        if request["choices"]:
            return {"choice": BLACK if wants_to_swap(position, judge, _OPENING_SECONDS) else WHITE}
        stones = int(request["stones"])
        opened = even_opening(position, stones, judge, _OPENING_SECONDS, self._random)
        return {"moves": [point_name(position.variant, point) for point in opened.moves[len(position.moves) :]]}

    def _analyst(self, player: str, variant: Variant) -> Analyst:
        """The player itself, or where its search cannot be looked at the one that analyses the board."""
        made = self._players.player(player, variant)
        return made if isinstance(made, Analyst) else self._players.analyst(variant)


def choose_moves(lines: _Lines, chooser: Chooser) -> None:
    """Answer requests until there are no more."""
    while (line := lines.get()) is not None:
        chooser.answer(json.loads(line))


def warm_up_rules() -> None:
    """Play a little, so that what has to be compiled is compiled."""
    for variant in (Variant(), Variant(rule="renju")):
        position = Position(variant)
        for point in range(0, 9, 2):
            position.play(point)
        assert position.outcome == UNDECIDED
        assert position.legal().any()
        assert position.key


def _read(source: BinaryIO, lines: _Lines, chooser: Chooser | None) -> None:
    try:
        for line in source:
            request = json.loads(line) if chooser else {}
            if chooser and "takeBack" in request:
                chooser.take_back(int(request["takeBack"]))
            elif line.strip():
                lines.put(line)
    finally:
        if chooser is None:
            lines.put(_END)
        lines.put(None)


def _sender(replies: TextIO) -> _Send:
    def send(fields: Json) -> None:
        replies.write(json.dumps(fields, separators=(",", ":")) + "\n")
        replies.flush()

    return send


def main(arguments: list[str]) -> int:
    """Serve until the end of the input."""
    # What a library prints must not stand between the answers.
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as replies:
        os.dup2(2, 1)
        send = _sender(replies)
        lines: _Lines = Queue()
        chooser = Chooser(send, seed=int(time.time())) if arguments == [MOVES] else None
        threading.Thread(target=_read, args=(sys.stdin.buffer, lines, chooser), daemon=True).start()
        warm_up_rules()
        try:
            send({"ready": True})
            if chooser:
                choose_moves(lines, chooser)
            else:
                serve(lines, Desk(Analysts("", seed=1), lambda answer: send(answer_json(answer))), send)
        except (BrokenPipeError, KeyboardInterrupt):
            os._exit(0)  # the page is gone
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
