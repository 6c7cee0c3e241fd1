"""`gobang analyse < positions.jsonl`: questions as JSON lines, answers as JSON lines, many in flight."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import sys
import threading
from collections.abc import Callable, Iterator
from queue import Empty, Queue
from typing import BinaryIO, Final

from gobang.analysis.desk import Analysts, Desk
from gobang.analysis.query import Answer, BadQuery, Json, Stop, answer_json, read_request
from gobang.errors import GobangError
from gobang.players.spec import parse

_LONGEST_LINE: Final = 1 << 20  # bytes
_LINES_AHEAD: Final = 100  # that are read while the desk is full

_Lines = Queue[bytes | None]  # None at the end


def serve(lines: _Lines, desk: Desk, send: Callable[[Json], None]) -> None:
    """Answer lines until there are no more, and all is answered."""
    is_open, is_busy = True, False
    while is_open or is_busy:
        try:
            while is_open and not desk.is_full:
                line = lines.get(block=not is_busy)
                is_open = line is not None
                is_busy = True
                if line is not None and line.strip():
                    _take(line, desk, send)
        except Empty:
            pass
        is_busy = desk.step()


def _take(line: bytes, desk: Desk, send: Callable[[Json], None]) -> None:
    try:
        if len(line) > _LONGEST_LINE:
            raise BadQuery(f"a line of more than {_LONGEST_LINE:,} bytes")
        request = read_request(line.decode("utf-8", errors="replace"))
        if isinstance(request, Stop):
            desk.stop(request.target)
            send(request.fields)
            return
        try:
            desk.add(request)
        except GobangError as error:
            raise BadQuery(str(error), field="player", asked_by=request.id) from error
    except BadQuery as error:
        send(error.as_json())


def lines_of(source: BinaryIO) -> Iterator[bytes]:
    """Yield the lines of a source; of a line that is too long the beginning, which is too long as well."""
    is_rest = False
    while piece := source.readline(_LONGEST_LINE + 1):
        if not is_rest:
            yield piece
        is_rest = not piece.endswith(b"\n")


def _read(source: BinaryIO, lines: _Lines) -> None:
    try:
        for line in lines_of(source):
            lines.put(line)
    finally:
        lines.put(None)


def run(arguments: argparse.Namespace) -> int:
    """Serve until the end of the input."""
    if arguments.player:
        parse(arguments.player)
    # What a library prints must not stand between the answers.
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as answers:
        os.dup2(2, 1)

        def send(fields: Json) -> None:
            answers.write(json.dumps(fields, separators=(",", ":")) + "\n")
            answers.flush()

        def tell(answer: Answer) -> None:
            send(answer_json(answer))

        lines: _Lines = Queue(_LINES_AHEAD)
        threading.Thread(target=_read, args=(sys.stdin.buffer, lines), daemon=True).start()
        desk = Desk(Analysts(arguments.player or "", arguments.seed), tell, side_by_side=arguments.at_once)
        with contextlib.suppress(BrokenPipeError):  # nobody reads the answers any more
            serve(lines, desk, send)
    return 0
