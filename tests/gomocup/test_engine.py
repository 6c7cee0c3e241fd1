import gc
import io
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from gobang.cli import main
from gobang.gomocup.engine import PlayerBrain, serve
from gobang.gomocup.inbox import Inbox
from gobang.gomocup.protocol import Conversation
from gobang.gomocup.timing import report
from gobang.players.gomocup import GomocupPlayer
from gobang.players.options import GomocupOptions
from gobang.players.player import MemoryLimited, Turn
from gobang.players.random_player import RandomPlayer
from gobang.players.spec import make_player, parse
from gobang.players.trained import FALLBACK
from gobang.players.warm_up import play_anywhere
from gobang.rules.position import Position
from gobang.types import UNDECIDED, Variant

ENGINE = [sys.executable, "-m", "gobang.gomocup", "--player", "random"]


@pytest.fixture(autouse=True, scope="module")
def rules_are_compiled() -> None:
    """An engine on a machine without compiled kernels has a test of its own."""
    play_anywhere(Position(Variant.square(8)))


def play_out(engine: GomocupPlayer, opponent: RandomPlayer, position: Position, game: int) -> None:
    """The engine's moves are checked by its player and by the position."""
    engine_side = game % 2
    while position.outcome == UNDECIDED:
        player = engine if position.to_move == engine_side else opponent
        position.play(player.choose([Turn(game=game, position=position)])[0])


@pytest.mark.parametrize(
    "variant",
    [
        Variant.square(8),
        Variant.square(15, rule="renju"),
        Variant.square(20, rule="standard"),
        Variant(height=4, width=9),
    ],
    ids=str,
)
def test_client_and_engine_play_whole_games_with_each_other(variant: Variant) -> None:
    engine = GomocupPlayer(GomocupOptions(command=shlex.join(ENGINE)), variant)
    try:
        for game in range(4):
            opening = [variant.points // 2, 0, 1][: game if game < 3 else 0]
            position = Position(variant, opening)
            play_out(engine, RandomPlayer(seed=game), position, game)
            assert position.outcome in (0, 1, variant.draw)
    finally:
        engine.close()


def test_process_answers_garbage_and_ends_at_the_end_of_its_input() -> None:
    noise = np.random.default_rng(1).integers(0, 256, 20_000, np.uint8).tobytes().replace(b"\n", b"")
    lines = [
        b"START 15",
        b"\xff\x00TURN",
        noise,
        b"BOARD",
        noise[:50],
        b"DONE",
        b"INFO " + noise[:9],
        b"BEGIN",
        b"TURN 1",
    ]
    done = subprocess.run(ENGINE, input=b"\r\n".join(lines), capture_output=True, timeout=60, check=True)
    replies = done.stdout.decode("ascii").splitlines()
    assert [reply.partition(" ")[0] for reply in replies[:4]] == ["OK", "UNKNOWN", "UNKNOWN", "ERROR"]
    assert replies[-1] == "ERROR '1' is not a point such as 7,7"
    assert done.stderr == b""


@pytest.mark.parametrize(("player", "reason"), [("randon", "did you mean random?"), ("human", "has the terminal")])
def test_process_refuses_a_wrong_player_with_the_reason(player: str, reason: str) -> None:
    done = subprocess.run([*ENGINE[:-1], player], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2
    assert reason in done.stderr


def test_what_a_library_prints_does_not_reach_the_manager() -> None:
    program = (
        "import gobang.gomocup.engine as engine; from gobang.gomocup.__main__ import main; make = engine.make_player;"
        "engine.make_player = lambda *given: (print('loading'), make(*given))[1]; main(['--player', 'random'])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], input=b"START 8\n", capture_output=True, timeout=60, check=True
    )
    assert (done.stdout, done.stderr) == (b"OK\n", b"loading\n")


def test_timing_measures_every_answer(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["timing", "--player", "random", "--size", "8", "--ms", "30000", "--games", "2"]) == 0
    told = re.fullmatch(r"(\d+) answers at 30000 ms a turn: .*; 0 over 30030 ms\n", capsys.readouterr().out)
    assert told is not None
    assert int(told[1]) > 8
    assert "3 answers at 100 ms a turn: p50 20.0 ms" in report([10.0, 20.0, 131.0], 100)
    assert report([10.0, 20.0, 131.0], 100).endswith("1 over 130 ms")


class Faulty:
    """A brain with a mistake of its own."""

    def prepare(self, variant: Variant, memory_mb: int | None, threads: int) -> None:
        assert not gc.isenabled()

    def choose(self, turn: Turn) -> int:
        raise ZeroDivisionError


def run(lines: Sequence[bytes]) -> list[bytes]:
    source, sink = os.pipe()
    with os.fdopen(sink, "wb") as pipe:
        pipe.write(b"\n".join(lines))
    replies = io.BytesIO()
    serve(Conversation(Faulty(), k=5, rule="freestyle", about=""), Inbox(source), replies)
    os.close(source)
    return replies.getvalue().splitlines()


def test_engine_survives_its_own_mistakes(caplog: pytest.LogCaptureFixture) -> None:
    assert run([b"START 15", b"BEGIN", b"RESTART"]) == [b"OK", b"ERROR ZeroDivisionError", b"OK"]
    assert "while answering b'BEGIN'" in caplog.text
    assert gc.isenabled()


def test_nothing_is_answered_after_the_end() -> None:
    assert run([b"START 15", b"END", b"START 15"]) == [b"OK"]


class Limited(RandomPlayer):
    """Keeps the limits that it was given since the last look at them."""

    def __init__(self) -> None:
        super().__init__(1)
        self.limits: list[int | None] = []

    def limit_memory(self, megabytes: int | None) -> None:
        self.limits.append(megabytes)

    def taken(self) -> list[int | None]:
        taken, self.limits = self.limits, []
        return taken


@pytest.fixture
def limited(monkeypatch: pytest.MonkeyPatch) -> Limited:
    """The player of all brains, in a process of 100 MB on a machine with 4 GB to spare."""
    player = Limited()
    monkeypatch.setattr("gobang.gomocup.engine.make_player", lambda *given: player)
    monkeypatch.setattr("gobang.gomocup.engine.resident_mb", lambda: 100)
    monkeypatch.setattr("gobang.gomocup.engine.available_mb", lambda: 4000)
    return player


def test_trees_get_what_the_warm_process_leaves_of_the_memory_limit(limited: Limited) -> None:
    brain, variant = PlayerBrain(parse("uniform"), seed=1), Variant.square(8)
    brain.prepare(variant, 400, 1)
    assert limited.taken()[-1] == 400 - 100 - 24
    brain.prepare(variant, 400, 1)
    brain.limit_memory(400)
    assert limited.taken() == []  # the same limit keeps the tree
    brain.limit_memory(300)
    assert limited.taken() == [300 - 100 - 24]
    brain.prepare(variant, None, 1)
    assert limited.taken() == [None]


def test_a_limit_beyond_the_machine_or_below_the_engine_leaves_a_tree(limited: Limited) -> None:
    written: list[str] = []
    brain = PlayerBrain(parse("uniform"), seed=1, write=written.append)
    brain.prepare(Variant.square(8), 10**12, 1)
    assert limited.taken()[-1] == 3000
    assert written == []
    for _ in range(3):
        brain.limit_memory(50)
        brain.limit_memory(None)
    assert limited.taken() == [16, None] * 3
    assert written == ["MESSAGE max_memory of 50 MB is too low: 140 MB are used, with the smallest tree"]


@pytest.mark.parametrize("text", ["uniform:ms=5", "rollout:ms=5", "net:builtin-8x8,ms=5"])
def test_players_with_trees_can_be_limited_between_two_moves(text: str) -> None:
    variant = Variant.square(8)
    player = make_player(parse(text), variant, 1)
    assert isinstance(player, MemoryLimited)
    position = Position(variant)
    for megabytes in (2, None, 1):
        player.limit_memory(megabytes)
        position.play(player.choose([Turn(game=0, position=position)])[0])
    player.close()


def test_without_a_player_the_board_decides_who_plays(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []

    def make(spec: object, variant: Variant, seed: int) -> RandomPlayer:
        made.append(str(spec))
        return RandomPlayer(seed)

    monkeypatch.setattr("gobang.gomocup.engine.make_player", make)
    brain = PlayerBrain(None, seed=1)
    brain.prepare(Variant.square(8), 400, 1)
    brain.prepare(Variant.square(9), None, 1)
    brain.prepare(Variant.square(9, k=3), None, 1)
    assert made == ["net:builtin-8x8,ms=1000", "net:builtin-8x8,ms=1000", FALLBACK]


def test_engine_can_be_a_gomocup_player_itself(tmp_path: Path) -> None:
    chain = [*ENGINE[:-1], f"gomocup:{shlex.join(ENGINE)}"]
    done = subprocess.run(chain, input=b"START 8\nBEGIN\nEND\n", capture_output=True, timeout=60, check=True)
    ok, move = done.stdout.splitlines()
    assert ok == b"OK"
    assert b"," in move


def test_an_engine_with_a_search_judges_openings_and_tells_what_it_sees() -> None:
    brain, written = PlayerBrain(parse("uniform:sims=64"), seed=1), list[str]()
    talk = Conversation(brain, k=4, rule="freestyle", about="", write=written.append)
    lines = ["START 15", "INFO timeout_turn 400", "INFO show_detail 1", "SWAP2BOARD", "DONE"]
    proposed = str([talk.reply(line, 0.0) for line in lines][-1])
    assert len(set(proposed.split())) == 3
    lost = ["SWAP2BOARD", "7,7", "0,0", "8,7", "0,2", "9,7", "DONE"]  # black will have four in a row
    assert [talk.reply(line, 0.0) for line in lost][-1] == "SWAP"
    talk.reply("RESTART", 0.0)
    answer = str(talk.reply("BEGIN", 0.0))
    assert any(line.startswith("MESSAGE REALTIME BEST") for line in written)
    x, y = answer.split(",")
    assert written[-3] == f"MESSAGE REALTIME BEST {y},{x}"
    brain.close()


class Pondering(RandomPlayer):
    """Keeps the turns that it pondered on."""

    def ponder(self, turn: Turn) -> None:
        self.seen = (turn.game, turn.may_go_on())


def test_players_that_can_ponder_do_so_as_long_as_no_line_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    player, turn = Pondering(seed=1), Turn(game=7, position=Position(Variant.square(8)))
    monkeypatch.setattr("gobang.gomocup.engine.make_player", lambda *given: player)
    brain = PlayerBrain(parse("uniform"), seed=1, may_ponder=lambda: False)
    brain.prepare(Variant.square(8), None, 1)
    brain.ponder(turn)
    assert player.seen == (7, False)


def test_threads_go_to_players_that_know_them(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []

    def make(spec: object, variant: Variant, seed: int) -> RandomPlayer:
        made.append(str(spec))
        return RandomPlayer(seed)

    monkeypatch.setattr("gobang.gomocup.engine.make_player", make)
    for text in ("net:builtin-8x8", "net:builtin-8x8,threads=3", "uniform"):
        PlayerBrain(parse(text), seed=1).prepare(Variant.square(8), None, 2)
    assert made == ["net:builtin-8x8,threads=2", "net:builtin-8x8,threads=3", "uniform"]
