from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gobang.errors import InvalidCheckpoint, PlayerFailure
from gobang.gomocup.protocol import Conversation, Tell
from gobang.players.player import Turn
from gobang.rules.position import Position
from gobang.types import UNDECIDED, Analysis, MoveAnalysis, Variant

GOLDEN = sorted((Path(__file__).parents[1] / "golden" / "gomocup").glob("*.txt"))


def analysis(position: Position, points: list[int]) -> Analysis:
    """Each point with a win rate of 0.6 to who moves."""
    chances = (0.6, 0.3, 0.1) if position.to_move == 0 else (0.3, 0.6, 0.1)
    moves = tuple(
        MoveAnalysis(point=point, visits=10, prior=0.1, chances=chances, proven=UNDECIDED, line=(point, 3))
        for point in points
    )
    priors = np.zeros(position.variant.points, np.float32)
    return Analysis(visits=20, chances=chances, proven=UNDECIDED, moves=moves, priors=priors)


class FirstPoint:
    """Plays the first legal point and keeps what it was asked; each move takes 2 s of its clock."""

    def __init__(self) -> None:
        self.now = 0.0
        self.points = 0.6  # that the side to move is judged to expect
        self.turns: list[Turn] = []
        self.written: list[str] = []
        self.prepared: list[tuple[Variant, int | None]] = []
        self.memory_mb: list[int | None] = []  # limits that came in mid-game
        self.threads = 1
        self.pondered: list[int] = []  # moves on the board

    def clock(self) -> float:
        return self.now

    def prepare(self, variant: Variant, memory_mb: int | None, threads: int) -> None:
        if variant.width == 19:
            raise InvalidCheckpoint("these weights are not for 19x19")
        self.prepared.append((variant, memory_mb))
        self.threads = threads

    def limit_memory(self, memory_mb: int | None) -> None:
        self.memory_mb.append(memory_mb)

    def ponder(self, turn: Turn) -> None:
        self.pondered.append(len(turn.position.moves))

    def judge(self, position: Position, seconds: float) -> float:
        return self.points

    def choose(self, turn: Turn, tell: Tell | None = None, most: int = 1) -> int:
        if tell is not None:
            line = np.flatnonzero(turn.position.legal())[:most].tolist()
            tell(analysis(turn.position, line), 1.5)
        self.now += 2
        self.turns.append(turn)
        if turn.position.variant.width == 18:
            raise PlayerFailure("out of ideas")
        return int(np.flatnonzero(turn.position.legal())[0])


def conversation(brain: FirstPoint, rule: str = "freestyle") -> Conversation:
    return Conversation(brain, k=5, rule=rule, about='name="test"', write=brain.written.append, clock=brain.clock)


def say(talk: Conversation, *lines: str) -> list[str | None]:
    return [talk.reply(line, 0.0) for line in lines]


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
@pytest.mark.parametrize("line_end", ["\n", "\r\n", ""])
def test_golden_transcript(path: Path, line_end: str) -> None:
    talk = conversation(FirstPoint())
    spoken = []
    for line in path.read_text().splitlines():
        if line.startswith(">"):
            spoken.append(line)
            reply = talk.reply(line[2:] + line_end, 0.0)
            spoken += [] if reply is None else [f"< {reply}"]
    assert spoken == [line for line in path.read_text().splitlines() if not line.startswith("#")]
    assert talk.ended == ("> END" in spoken)


def test_limits_reach_the_brain_as_seconds() -> None:
    brain = FirstPoint()
    talk = conversation(brain)
    say(talk, "START 8", "BEGIN", "INFO timeout_turn 1000", "INFO time_left 2147483647")
    brain.now = 10.0
    talk.reply("TURN 7,7", 9.9)
    assert [turn.seconds for turn in brain.turns] == [None, pytest.approx(1 - 0.05 - 0.1)]


def test_match_time_is_counted_down_where_the_manager_does_not_say_it() -> None:
    brain = FirstPoint()
    talk = conversation(brain)
    for command in ("START 20", "INFO timeout_match 60000", "BEGIN", "TURN 9,9", "RESTART", "BEGIN"):
        talk.reply(command, brain.now)
    first, second, again = (turn.seconds for turn in brain.turns)
    assert first is not None
    assert second == pytest.approx(first * 58 / 60 * 35 / 34)
    assert again == first


def test_settings_prepare_the_game_before_its_first_move_only() -> None:
    brain = FirstPoint()
    talk = conversation(brain, rule="standard")
    say(talk, "START 15", "INFO rule 4", "INFO max_memory 83886080", "BEGIN", "INFO rule 0", "INFO max_memory 0")
    variants = [(variant.rule, memory) for variant, memory in brain.prepared]
    assert variants == [("standard", None), ("renju", None), ("renju", 80)]
    say(talk, "RESTART")
    assert brain.prepared[-1] == (Variant.square(15), None)


def test_a_memory_limit_holds_from_the_next_move_on() -> None:
    brain = FirstPoint()
    talk = conversation(brain)
    say(talk, "START 8", f"INFO max_memory {10**18}", "INFO max_memory -1", "BEGIN")
    assert brain.prepared[-1][1] == 10**18 // 2**20
    prepared = len(brain.prepared)
    say(talk, "INFO max_memory 367001600", "TURN 7,7", "INFO max_memory -5", "INFO max_memory 1", "INFO max_memory 0")
    assert brain.memory_mb == [350, 1, None]
    assert len(brain.prepared) == prepared  # the player of a game under way stays


def test_game_has_a_new_number_whenever_the_board_changes_other_than_by_moves() -> None:
    brain = FirstPoint()
    talk = conversation(brain)
    say(talk, "START 8", "BEGIN", "TURN 7,7", "TAKEBACK 1,0", "TAKEBACK 7,7", "TURN 7,6")
    say(talk, "RESTART", "BEGIN", "BOARD", "3,3,2", "DONE")
    games = [turn.game for turn in brain.turns]
    assert games[0] == games[1]
    assert len(set(games)) == 4


def test_what_the_brain_cannot_do_is_an_error_and_no_end() -> None:
    talk = conversation(FirstPoint())
    assert say(talk, "START 19", "BEGIN", "START 18", "BEGIN", "START 15", "BEGIN") == [
        "ERROR these weights are not for 19x19",
        "ERROR there is no board yet: START comes first",
        "OK",
        "ERROR out of ideas",
        "OK",
        "0,0",
    ]


def test_refused_setup_is_told_when_a_move_is_asked() -> None:
    talk = Conversation(FirstPoint(), k=4, rule="freestyle", about="")
    assert say(talk, "START 8", "INFO rule 4", "BEGIN", "INFO rule 0", "BEGIN") == [
        "OK",
        None,
        "ERROR renju is five in a row for two players, not k=4, players=2",
        None,
        "0,0",
    ]


def test_a_full_board_is_over() -> None:
    talk = Conversation(FirstPoint(), k=3, rule="standard", about="")
    say(talk, "START 3", "BOARD", *(f"{x},{y},{1 + (x + y * 3 in (0, 2, 3, 7))}" for x in range(3) for y in range(3)))
    reply = talk.reply("DONE", 0.0)
    assert reply is not None
    assert reply.startswith("ERROR")


COMMANDS = st.sampled_from(
    ["START", "RECTSTART", "RESTART", "BEGIN", "TURN", "TAKEBACK", "BOARD", "DONE", "INFO", "ABOUT", "turn", ""]
)
KEYS = st.sampled_from(["rule", "timeout_turn", "timeout_match", "time_left", "max_memory", "folder", "evaluate"])
NUMBERS = st.one_of(st.integers(0, 7), st.integers(-(10**30), 10**30))
ARGUMENTS = st.one_of(
    st.just(""),
    st.text(max_size=10),
    NUMBERS.map(str),
    st.builds("{},{}".format, NUMBERS, NUMBERS),
    st.builds("{} {}".format, KEYS, NUMBERS),
)
LINES = st.one_of(
    st.text(max_size=20),
    st.builds("{} {}".format, COMMANDS, ARGUMENTS),
    st.builds("{},{},{}".format, st.integers(0, 7), st.integers(0, 7), st.integers(1, 2)),
    st.just("START 7"),
)


@settings(max_examples=150, deadline=None)
@given(st.lists(LINES, max_size=60))
def test_no_line_breaks_the_conversation(lines: list[str]) -> None:
    talk = conversation(FirstPoint())
    for line in lines:
        reply = talk.reply(line, 0.0)
        assert reply is None or (reply.isascii() and reply.isprintable() and reply)
    assert talk.reply("START 8", 0.0) == "OK"
    talk.reply("INFO rule 0", 0.0)
    assert talk.reply("BEGIN", 0.0) == "0,0"


def test_swap2_proposes_takes_and_declines() -> None:
    brain = FirstPoint()
    talk = conversation(brain)
    say(talk, "START 15")
    proposed = say(talk, "SWAP2BOARD", "DONE")[-1]
    assert proposed is not None
    assert len(set(proposed.split())) == 3
    three = ["SWAP2BOARD", *proposed.split(), "DONE"]
    assert say(talk, *three)[-1] == "0,0"  # white is better: stay
    brain.points = 0.4
    assert say(talk, *three)[-1] == "SWAP"
    assert say(talk, "SWAP2BOARD", "1,1,1", "2,2,2", "3,3,1", "4,4,2", "5,5,1", "DONE")[-1] == "SWAP"


class SlowJudge(FirstPoint):
    """Takes 3 s of its clock to judge a position, and finds it even at once."""

    def judge(self, position: Position, seconds: float) -> float:
        self.now += 3
        return self.points


@pytest.mark.parametrize(
    ("points", "board", "answer_seconds"),
    [(0.5, (), 3), (0.4, ("1,1,1", "2,2,2", "3,3,1"), 3), (0.6, ("1,1,1", "2,2,2", "3,3,1"), 3 + 2)],
    ids=["propose", "swap", "stay"],
)
def test_every_answer_of_swap2_takes_time_of_the_match(
    points: float, board: tuple[str, ...], answer_seconds: int
) -> None:
    seconds = []
    for opening in ((), ("SWAP2BOARD", *board, "DONE")):
        brain = SlowJudge()
        brain.points = points
        talk = conversation(brain)
        for command in ("START 15", "INFO timeout_match 60000", *opening, "BOARD", "5,5,1", "6,6,2", "DONE"):
            talk.reply(command, brain.now)
        seconds.append(brain.turns[-1].seconds)
    assert seconds[1] == pytest.approx(seconds[0] * (60 - answer_seconds) / 60)


def test_swap2_refuses_other_boards() -> None:
    talk = conversation(FirstPoint())
    assert say(talk, "SWAP2BOARD", "DONE")[-1] == "ERROR there is no board yet: START comes first"
    say(talk, "START 15")
    assert "none, three or five" in str(say(talk, "SWAP2BOARD", "1,1", "DONE")[-1])
    assert "occupied" in str(say(talk, "SWAP2BOARD", "1,1", "1,1", "2,2", "DONE")[-1])


def test_the_best_moves_are_told_before_the_answer() -> None:
    brain = FirstPoint()
    talk = conversation(brain)
    assert say(talk, "START 15", "YXBOARD", "7,7,2", "DONE", "YXNBEST 2") == ["OK", None, None, None, "0,0"]
    assert brain.written == [
        "MESSAGE 1. win 0.600 draw 0.100 visits 10 line a1 d1",
        "MESSAGE 2. win 0.600 draw 0.100 visits 10 line b1 d1",
    ]
    assert "how many" in str(say(talk, "YXNBEST x")[0])


def test_detail_is_told_in_the_forms_that_managers_read() -> None:
    brain = FirstPoint()
    talk = conversation(brain)
    say(talk, "START 15", "INFO show_detail 3", "TURN 7,7")
    realtime, info = brain.written[:4], brain.written[4:]
    assert realtime == [
        "MESSAGE REALTIME REFRESH",
        "MESSAGE REALTIME BEST 0,0",
        "MESSAGE REALTIME VAL 124",
        "MESSAGE REALTIME PV a1 d1",
    ]
    assert info[0] == "INFO PV 0"
    assert info[-1] == "INFO PV DONE"
    assert {"INFO WINRATE 0.6500", "INFO EVAL 124", "INFO BESTLINE 0,0 3,0", "INFO SPEED 13"} <= set(info)


def test_the_opponents_turn_is_pondered_on_where_it_is_asked_for() -> None:
    brain = FirstPoint()
    talk = conversation(brain)
    for line in ("START 8", "BEGIN", "INFO pondering 1", "TURN 7,7", "ABOUT", "TAKEBACK 1,0", "INFO pondering 0"):
        talk.reply(line, 0.0)
        talk.ponder()
    assert brain.pondered == [3]


def test_threads_reach_the_brain_as_far_as_there_are_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gobang.gomocup.protocol.cores_here", lambda: 4)
    brain = FirstPoint()
    talk = conversation(brain)
    for asked, wanted in ((3, 3), (9, 4), (0, 1)):
        say(talk, "START 8", f"INFO thread_num {asked}")
        assert brain.threads == wanted
