import ast
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import pytest

from gobang.errors import InvalidConfig
from gobang.network.architectures.architecture import ARCHITECTURES
from gobang.options import Options, argument, declarations, keys_of, option, plain, read_options, read_settings
from gobang.players.registry import PLAYERS
from learner.run.config import RunConfig

ROOT = Path(__file__).parents[1]
PACKAGES = ("gobang", "actors", "learner", "evaluator")


@dataclass(frozen=True, kw_only=True, slots=True)
class Brush(Options):
    width: float = option(1.0, "of a stroke", minimum=0.1, maximum=60)
    soft: bool = option(False, "at the rim")
    colour: Literal["red", "blue"] = option("red", "of the paint")
    hairs: int | None = option(None, "how many; null: enough", minimum=1)


@dataclass(frozen=True, kw_only=True, slots=True)
class Painting:
    brush: Brush = field(default_factory=Brush)
    strokes: int = 100
    frame: int | None = None
    steps: tuple[tuple[int, float], ...] = ()
    notes: str = ""

    def __post_init__(self) -> None:
        if self.strokes < 0:
            raise InvalidConfig(f"strokes {self.strokes}: at least 0")


@dataclass(frozen=True, kw_only=True, slots=True)
class Copy(Options):
    of: str = argument("what to copy")
    times: int = option(1, "how often", instead_of="hours")
    hours: int | None = option(None, "how long")


def test_what_is_not_given_keeps_its_default() -> None:
    values = {"brush": {"width": 3}, "frame": 2, "steps": [[0, 1.5], [10, 2]]}
    assert read_settings(Painting(), values) == Painting(brush=Brush(width=3.0), frame=2, steps=((0, 1.5), (10, 2.0)))
    assert read_settings(Painting(), {}) == Painting()


def test_defaults_are_those_of_the_whole_not_of_the_section() -> None:
    house = Painting(brush=Brush(width=9.0))
    assert read_settings(house, {"brush": {"soft": True}}).brush == Brush(width=9.0, soft=True)


def test_plain_settings_can_be_read_again() -> None:
    painting = Painting(brush=Brush(width=1.5, colour="blue"), steps=((1, 2.0),))
    assert read_settings(Painting(), plain(painting)) == painting
    assert read_options(Painting, plain(painting)) == painting


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"stroke": 3}, "there is no key 'stroke'; did you mean strokes?"),
        ({"brush": {"with": 3}}, "there is no key 'brush.with'; did you mean brush.width?"),
        ({"soft": True}, "there is no key 'soft'; did you mean brush.soft?"),
        ({"brush": {"zzz": 3}}, "there is no key 'brush.zzz'; known are colour, hairs, soft, width"),
        ({"strokes": 3.5}, "strokes is 3.5, not a whole number"),
        ({"strokes": True}, "strokes is True, not a whole number"),
        ({"strokes": "3"}, "strokes is '3', not a whole number"),
        ({"strokes": -1}, "strokes -1: at least 0"),
        ({"brush": {"width": True}}, "brush.width is True, not a number (0.1 to 60)"),
        ({"brush": {"width": -1}}, "brush.width is -1, not a number (0.1 to 60)"),
        ({"brush": {"width": float("nan")}}, "brush.width is nan, not a number (0.1 to 60)"),
        ({"brush": {"hairs": 0}}, "brush.hairs is 0, not a whole number (at least 1) or null"),
        ({"brush": {"colour": "green"}}, "brush.colour is 'green', not one of red, blue"),
        ({"brush": {"soft": 1}}, "brush.soft is 1, not on or off"),
        ({"brush": 3}, "brush is 3, not keys with values"),
        ({"frame": "a"}, "frame is 'a', not a whole number or null"),
        ({"notes": 3}, "notes is 3, not text"),
        ({"steps": 3}, "steps is 3, not a list"),
        ({"steps": [[1]]}, "steps[0] is [1], not a list of 2"),
        ({"steps": [[1, "a"]]}, "steps[0][1] is 'a', not a number"),
    ],
)
def test_mistakes_are_named(values: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidConfig) as failure:
        read_settings(Painting(), values)
    assert str(failure.value) == message


def test_a_value_made_in_code_is_checked_too() -> None:
    with pytest.raises(InvalidConfig, match="width is 61, not a number"):
        Brush(width=61)
    with pytest.raises(InvalidConfig, match="times and hours exclude each other"):
        Copy(of="x", times=2, hours=3)


def test_keys_are_those_of_the_whole_in_messages() -> None:
    with pytest.raises(InvalidConfig, match=r"no key 'work.brush.widht'; did you mean work.brush.width\?"):
        read_options(Painting, {"brush": {"widht": 3}}, "work")


@pytest.mark.parametrize("value", [Brush(), Brush(width=0.1, soft=True, colour="blue", hairs=7)])
def test_texts_are_read_by_the_declared_type(value: Brush) -> None:
    texts = {each.name: each.show(getattr(value, each.name)) for each in declarations(Brush)}
    assert read_options(Brush, {each.name: each.parse(texts[each.name]) for each in declarations(Brush)}) == value


def test_keys_are_listed_with_their_sections() -> None:
    assert list(keys_of(Painting)) == [
        *("brush", "brush.width", "brush.soft", "brush.colour", "brush.hairs"),
        *("strokes", "frame", "steps", "notes"),
    ]


def test_what_must_be_given_is_declared_first() -> None:
    assert [(each.name, each.is_required) for each in declarations(Copy)] == [
        ("of", True),
        ("times", False),
        ("hours", False),
    ]


def test_the_reader_loads_no_framework() -> None:
    program = "import sys, gobang.options; print(*sys.modules)"
    modules = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout.split()
    assert "gobang.options" in modules
    assert not {"numba", "numpy", "ray", "torch", "yaml"} & set(modules)


def names_read(path: Path) -> Iterator[str]:
    """Attributes that a module reads outside of the checks of its own options."""
    tree = ast.parse(path.read_text(encoding="utf8"))
    checks = {
        id(node)
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef) and function.name == "__post_init__"
        for node in ast.walk(function)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load) and id(node) not in checks:
            yield node.attr


def test_every_key_is_read_by_code() -> None:
    read = {name for package in PACKAGES for path in (ROOT / package).rglob("*.py") for name in names_read(path)}
    kinds = [RunConfig, *(kind.options for kind in (*PLAYERS.values(), *ARCHITECTURES.values()))]
    unread = [f"{kind.__name__}.{key}" for kind in kinds for key in keys_of(kind) if key.rpartition(".")[2] not in read]
    assert unread == []
