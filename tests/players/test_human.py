import pytest

from gobang.errors import PlayerFailure
from gobang.players.human import Console, HumanPlayer, ask_move, draw_for_person
from gobang.players.player import Turn
from gobang.rules.position import Position
from gobang.types import Variant

VARIANT = Variant.square(5, k=4)


class Script(Console):
    """Types what it was given, then closes the input; keeps what it was told."""

    def __init__(self, *answers: str) -> None:
        self.answers = list(answers)
        self.told: list[str] = []

    def tell(self, text: str) -> None:
        self.told.append(text)

    def ask(self, prompt: str) -> str:
        return self.answers.pop(0) if self.answers else "quit"


def test_asks_until_a_legal_point_is_typed() -> None:
    console = Script("", "z9", "a99", "a", "a1", "7", "°", "b1")
    assert ask_move(console, Position(VARIANT, [0]), {}) == 1
    assert "type a point such as a1" in console.told[0]
    assert any("a1 is occupied" in line for line in console.told)


def test_commands_are_returned_and_explained() -> None:
    console = Script("?", "undo")
    assert ask_move(console, Position(VARIANT), {"undo": "take back"}) == "undo"
    assert "undo: take back" in console.told[0]


def test_draws_the_board_and_gives_up_at_the_end_of_the_input() -> None:
    console = Script()
    with pytest.raises(PlayerFailure, match=r"white \(O\) gives up"):
        HumanPlayer(console).choose([Turn(game=0, position=Position(VARIANT, [12]))])
    assert "[X]" in console.told[0]


def test_points_that_may_not_be_played_are_marked(monkeypatch: pytest.MonkeyPatch) -> None:
    position = Position(VARIANT, [12, 0])
    legal = position.legal()
    legal[3] = False
    monkeypatch.setattr(Position, "legal", lambda self: legal)
    assert draw_for_person(position).splitlines()[-2] == " 1 [O] .  .  !  ."


def test_console_reads_standard_input(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    import io

    monkeypatch.setattr("sys.stdin", io.StringIO(" B2 \n"))
    console = Console()
    console.tell("hello")
    assert [console.ask("> "), console.ask("> ")] == ["B2", "quit"]
    assert capsys.readouterr().out == "hello\n> > \n"
