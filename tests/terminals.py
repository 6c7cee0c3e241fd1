"""A terminal for tests: programs run on a real one, and what stands on its screen at the end."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys

_PIECE = re.compile(r"\x1b\[([?\d;]*)([A-Za-z])|(\r|\n)|([^\x1b\r\n]+)")


def on_terminal(program: str, *arguments: str) -> list[str]:
    """The lines that a Python program leaves on a screen of 100 by 40."""
    mine, its = pty.openpty()
    size = {"COLUMNS": "100", "LINES": "40", "TERM": "xterm"}
    command = [sys.executable, "-c", program, *arguments]
    with subprocess.Popen(command, stdin=its, stdout=its, stderr=its, env={**os.environ, **size}) as process:
        os.close(its)
        written = b""
        while chunk := _read(mine):
            written += chunk
        assert process.wait(60) == 0, written
    os.close(mine)
    return screen(written.decode())


def screen(written: str) -> list[str]:
    """What stands there after all that moved the cursor, without empty lines."""
    lines, row, column = [""], 0, 0
    for codes, command, move, text in _PIECE.findall(written):
        if move == "\n":
            row += 1
            lines += [""] * (row == len(lines))
        elif move == "\r":
            column = 0
        elif command == "A":
            row -= int(codes or 1)
        elif command == "K":
            lines[row] = ""
        elif text:
            line = lines[row].ljust(column)
            lines[row] = line[:column] + text + line[column + len(text) :]
            column += len(text)
    return [line.rstrip() for line in lines if line.strip()]


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # how Linux says that the other side is closed
        return b""
