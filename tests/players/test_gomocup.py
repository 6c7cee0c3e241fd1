import os
import select
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from gobang.errors import InvalidSpec, PlayerFailure
from gobang.players.gomocup import GomocupPlayer, make_gomocup
from gobang.players.options import GomocupOptions
from gobang.players.player import Turn
from gobang.rules.position import Position
from gobang.types import Variant

VARIANT = Variant.square(8)
ENGINE = Path(__file__).with_name("broken_engine.py")

Start = Callable[..., GomocupPlayer]


@pytest.fixture
def start() -> Iterator[Start]:
    """Make a player of the engine with a fault; all are closed at the end."""
    players: list[GomocupPlayer] = []

    def make(*arguments: str, timeout: float = 5, start: float = 5) -> GomocupPlayer:
        command = shlex.join([sys.executable, "-S", "-E", str(ENGINE), *arguments])
        options = GomocupOptions(command=command, timeout=timeout, grace=0, start=start)
        players.append(GomocupPlayer(options, VARIANT))
        return players[-1]

    yield make
    for player in players:
        player.close()


def ask(player: GomocupPlayer, position: Position, game: int = 0) -> int:
    point = player.choose([Turn(game=game, position=position)])[0]
    position.play(point)
    return point


@pytest.mark.parametrize(
    "habit", ["none", "crlf", "carriage-return", "talk", "suggest", "no-restart", "die-after-game", "flood-errors"]
)
def test_harmless_habits_do_not_disturb_the_game(start: Start, habit: str) -> None:
    player = start(habit)
    position = Position(VARIANT)
    assert ask(player, position) == 0
    position.play(1)
    assert ask(player, position) == 2
    position.play(3)
    assert ask(player, position) == 4
    assert ask(player, Position(VARIANT, [0, 1, 2]), game=1) == 3
    assert ask(player, Position(VARIANT), game=2) == 0


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        ("crash", r"ended with status 3; its last words: cannot go on / out of ideas"),
        ("close-output", "closed its output"),
        ("hang", "no answer in time"),
        ("garbage", "where a move is due"),
        ("error", "answers 'ERROR no idea' where a move is due"),
        ("illegal", "a1 is occupied"),
        ("off-board", "99,1 is not on a board of 8 columns and 8 rows"),
        ("flood-output", "no answer in time"),
        ("flood-line", "a line of more than 65536 bytes"),
    ],
)
def test_fault_in_the_third_move_is_reported_and_the_next_game_is_played(start: Start, fault: str, reason: str) -> None:
    player = start(fault, timeout=0.5 if fault in ("hang", "flood-output") else 5)
    position = Position(VARIANT)
    for reply in (1, 3):
        ask(player, position)
        position.play(reply)
    with pytest.raises(PlayerFailure, match=reason):
        ask(player, position)
    assert ask(player, Position(VARIANT, [0, 1]), game=1) == 2


def test_game_is_set_up_again_after_a_failure(start: Start) -> None:
    player = start("crash")
    position = Position(VARIANT, [60, 61, 62, 63])
    with pytest.raises(PlayerFailure, match="status 3"):
        ask(player, position)
    position.undo()
    assert ask(player, position) == 0


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        ("crash-at-start", "ended with status 1; its last words: no licence"),
        ("deaf", "no answer in time"),
        ("refuse", "'ERROR too large' to a board of 8x8"),
    ],
)
def test_failure_to_start_is_reported(start: Start, fault: str, reason: str) -> None:
    with pytest.raises(PlayerFailure, match=reason):
        ask(start(fault, start=0.3 if fault == "deaf" else 5), Position(VARIANT))


def test_missing_program_is_reported() -> None:
    player = GomocupPlayer(GomocupOptions(command="/no/such/engine --x"), VARIANT)
    with pytest.raises(PlayerFailure, match="/no/such/engine --x does not start"):
        ask(player, Position(VARIANT))
    player.close()


def test_turn_can_shorten_the_time(start: Start) -> None:
    player = start("hang", timeout=1000)
    with pytest.raises(PlayerFailure, match="no answer in time"):
        player.choose([Turn(game=0, position=Position(VARIANT, [0, 1, 2, 3]), seconds=0.2)])


def test_close_kills_an_engine_that_stays_and_its_children(start: Start, tmp_path: Path) -> None:
    fifo = tmp_path / "alive"
    os.mkfifo(fifo)
    alive = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    player = start("child", str(fifo))
    ask(player, Position(VARIANT))
    assert select.select([alive], [], [], 10)[0]
    assert os.read(alive, 1) == b"x"
    assert not select.select([alive], [], [], 0)[0]  # the child holds the other end
    player.close()
    assert select.select([alive], [], [], 10)[0]
    assert os.read(alive, 1) == b""  # and no longer does
    os.close(alive)


STUBBORN = """
import signal, sys
signal.signal(signal.SIGTERM, signal.SIG_IGN)
signal.signal(signal.SIGHUP, signal.SIG_IGN)
alive = open(sys.argv[1], "w")
alive.write("x")
alive.flush()
while True:
    signal.pause()
"""
PARENT = """
import sys, threading
from gobang.players.engine_process import EngineProcess
starting = threading.Thread(target=EngineProcess, args=(sys.argv[1],))
starting.start()
starting.join()
print("started", flush=True)
sys.stdin.read()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends children with their parent")
def test_an_engine_that_heeds_nothing_ends_with_its_parent_and_no_sooner(tmp_path: Path) -> None:
    fifo = tmp_path / "alive"
    os.mkfifo(fifo)
    alive = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    command = shlex.join([sys.executable, "-S", "-E", "-c", STUBBORN, str(fifo)])
    with subprocess.Popen(
        [sys.executable, "-c", PARENT, command], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as parent:
        assert parent.stdout
        assert parent.stdout.readline() == b"started\n"
        assert select.select([alive], [], [], 30)[0]
        assert os.read(alive, 1) == b"x"
        assert not select.select([alive], [], [], 0)[0]  # the thread that asked for it is gone
        parent.kill()
    assert select.select([alive], [], [], 30)[0]
    assert os.read(alive, 1) == b""  # nobody holds the other end any more
    os.close(alive)


def test_protocol_is_for_two_players() -> None:
    with pytest.raises(InvalidSpec, match="for two players, not 3"):
        make_gomocup(GomocupOptions(command="x"), Variant(players=3), seed=1)
