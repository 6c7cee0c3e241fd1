"""An engine for the tests: `broken_engine.py FAULT [PATH]` plays the first free point, with one fault."""

import os
import signal
import subprocess
import sys

FAULT = sys.argv[1]


def say(text: str) -> None:
    end = {"carriage-return": "\r", "crlf": "\r\n"}.get(FAULT, "\n")
    sys.stdout.buffer.write((text + end).encode())
    sys.stdout.buffer.flush()


def flood(descriptor: int, text: bytes) -> None:
    while True:
        os.write(descriptor, text)


def fail_on_move() -> None:
    if FAULT == "crash":
        sys.stderr.write("cannot go on\nout of ideas\n")
        sys.exit(3)
    if FAULT == "hang":
        signal.pause()
    if FAULT == "close-output":
        os.close(1)
        signal.pause()
    if FAULT in ("garbage", "illegal", "off-board", "error"):
        say({"garbage": "\x00\xff;", "illegal": "0,0", "off-board": "99,1", "error": "ERROR no idea"}[FAULT])
    if FAULT == "flood-output":
        flood(1, b"MESSAGE thinking\n" * 500)
    if FAULT == "flood-line":
        flood(1, b"x" * 10_000)
    if FAULT == "flood-errors":
        os.write(2, b"noise\n" * 100_000)


def answer_move(occupied: set[tuple[int, int]]) -> None:
    if len(occupied) >= 4:
        fail_on_move()
    free = next((x, y) for y in range(20) for x in range(20) if (x, y) not in occupied)
    occupied.add(free)
    text = "{},{}".format(*free)
    if FAULT == "talk":
        say("MESSAGE hello\n\nDEBUG 1,1")
    say(f"SUGGEST {text}" if FAULT == "suggest" else text)


def main() -> None:
    if FAULT == "crash-at-start":
        sys.exit("no licence")
    if FAULT == "deaf":
        signal.pause()
    if FAULT == "child":
        child = "import signal, sys; alive = open(sys.argv[1], 'w'); alive.write('x'); alive.flush(); signal.pause()"
        subprocess.Popen([sys.executable, "-c", child, sys.argv[2]])
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    occupied: set[tuple[int, int]] = set()
    in_board = False
    for line in iter(sys.stdin.readline, ""):
        command, _, text = line.strip().partition(" ")
        if command == "START" or (command == "RESTART" and FAULT not in ("no-restart", "die-after-game")):
            occupied = set()
            say("ERROR too large" if FAULT == "refuse" else "OK ready")
        elif command in ("BOARD", "DONE"):
            in_board = command == "BOARD"
        elif in_board:
            x, y, _ = line.split(",")
            occupied.add((int(x), int(y)))
        elif command == "TURN":
            x, y = text.split(",")
            occupied.add((int(x), int(y)))
        elif command == "PLAY":
            say(text)
        elif command == "END" and FAULT != "child":
            return
        elif command == "RESTART" and FAULT == "die-after-game":
            sys.exit(1)
        elif command == "RESTART":
            say("UNKNOWN RESTART")
        if command in ("BEGIN", "TURN", "DONE"):
            answer_move(occupied)


main()
