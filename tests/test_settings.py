from dataclasses import dataclass, field
from typing import Literal

import pytest

from gobang.errors import InvalidConfig
from gobang.settings import assign, keys_of, load_preset, parse_yaml, read_settings, read_yaml, write_yaml


@dataclass(frozen=True, kw_only=True, slots=True)
class Brush:
    width: float = 1.0
    soft: bool = False
    colour: Literal["red", "blue"] = "red"

    def __post_init__(self) -> None:
        if self.width <= 0:
            raise InvalidConfig(f"width {self.width}: above 0")


@dataclass(frozen=True, kw_only=True, slots=True)
class Painting:
    brush: Brush = field(default_factory=Brush)
    strokes: int = 100
    frame: int | None = None
    steps: tuple[tuple[int, float], ...] = ()


def read(text: str) -> Painting:
    return read_settings(Painting(), parse_yaml(text, "test"))


def test_what_is_not_given_keeps_its_default():
    painting = read("{brush: {width: 3}, frame: 2, steps: [[0, 1.5], [10, 2]]}")
    assert painting == Painting(brush=Brush(width=3.0), frame=2, steps=((0, 1.5), (10, 2.0)))
    assert read("") == Painting()


def test_defaults_are_those_of_the_whole_not_of_the_section():
    house = Painting(brush=Brush(width=9.0))
    assert read_settings(house, {"brush": {"soft": True}}).brush == Brush(width=9.0, soft=True)


def test_all_settings_survive_the_way_through_yaml():
    painting = Painting(brush=Brush(width=1e-5, colour="blue"), steps=((1, 2.0),))
    assert read(write_yaml(painting)) == painting


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("stroke: 3", "there is no key 'stroke'; did you mean strokes?"),
        ("{brush: {with: 3}}", "there is no key 'brush.with'; did you mean brush.width?"),
        ("soft: true", "there is no key 'soft'; did you mean brush.soft?"),
        ("{brush: {zzz: 3}}", "there is no key 'brush.zzz'; known are colour, soft, width"),
        ("strokes: 3.5", "strokes is 3.5, not a whole number"),
        ("strokes: true", "strokes is True, not a whole number"),
        ("strokes: '3'", "strokes is '3', not a whole number"),
        ("{brush: {width: yes}}", "brush.width is True, not a number"),
        ("{brush: {colour: green}}", "brush.colour is 'green', not one of red, blue"),
        ("{brush: {width: -1}}", "brush: width -1.0: above 0"),
        ("brush: 3", "brush is 3, not keys with values"),
        ("frame: a", "frame is 'a', not a whole number or null"),
        ("steps: 3", "steps is 3, not a list"),
        ("steps: [[1]]", r"steps\[0\] is \[1\], not a list of 2"),
        ("{strokes: 1, strokes: 2}", "test: .*key 'strokes' is given twice"),
        ("[1]", r"test: keys with values, not \[1\]"),
        ("{", "test: "),
    ],
)
def test_mistakes_are_named(text, message):
    with pytest.raises(InvalidConfig, match=message):
        read(text)


def test_assignments_reach_into_sections():
    values = {"strokes": 7}
    for assignment in ("brush.width=1e-3", "brush.colour=blue", "frame=4", "steps=[[1, 2]]"):
        assign(values, assignment)
    assert read_settings(Painting(), values) == Painting(
        brush=Brush(width=0.001, colour="blue"), strokes=7, frame=4, steps=((1, 2.0),)
    )


@pytest.mark.parametrize("assignment", ["strokes", "=3", "strokes.width=3"])
def test_assignments_without_key_or_value_are_refused(assignment):
    with pytest.raises(InvalidConfig, match=f"setting {assignment!r}"):
        assign({"strokes": 7}, assignment)


def test_keys_are_listed_with_their_sections():
    assert list(keys_of(Painting)) == [
        "brush",
        "brush.width",
        "brush.soft",
        "brush.colour",
        "strokes",
        "frame",
        "steps",
    ]


def test_unknown_presets_and_files_are_named(tmp_path):
    with pytest.raises(InvalidConfig, match="preset '8x9': did you mean"):
        load_preset("8x9")
    with pytest.raises(InvalidConfig, match=r"mine\.yaml: .*No such file"):
        read_yaml(tmp_path / "mine.yaml")


def test_a_file_of_ones_own_is_a_preset(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text("strokes: 3\n")
    assert load_preset(str(path)) == {"strokes": 3}
