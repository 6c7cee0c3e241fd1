from dataclasses import dataclass, field
from pathlib import Path

import pytest

from gobang.errors import InvalidConfig
from gobang.options import read_settings
from gobang.settings import assign, parse_yaml, read_yaml, write_yaml


@dataclass(frozen=True, kw_only=True, slots=True)
class Brush:
    width: float = 1.0
    soft: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Painting:
    brush: Brush = field(default_factory=Brush)
    strokes: int = 100
    steps: tuple[tuple[int, float], ...] = ()


def test_all_settings_survive_the_way_through_yaml() -> None:
    painting = Painting(brush=Brush(width=1e-5, soft=True), steps=((1, 2.0),))
    assert read_settings(Painting(), parse_yaml(write_yaml(painting), "test")) == painting
    assert parse_yaml("", "test") == {}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{strokes: 1, strokes: 2}", "test: .*key 'strokes' is given twice"),
        ("[1]", r"test: keys with values, not \[1\]"),
        ("{", "test: "),
    ],
)
def test_mistakes_are_named(text: str, message: str) -> None:
    with pytest.raises(InvalidConfig, match=message):
        parse_yaml(text, "test")


@pytest.mark.parametrize("value", ["9" * 5000, "2026-99-99"])
def test_a_value_that_python_cannot_hold_is_a_mistake_of_the_file(value: str) -> None:
    with pytest.raises(InvalidConfig, match=r"settings.yaml: .{1,200}$"):
        parse_yaml(f"seed: {value}", "settings.yaml")


def test_a_section_may_be_merged_into_others() -> None:
    text = "{one: &one {width: 1, soft: on}, two: {<<: *one, width: 2}}"
    assert parse_yaml(text, "test")["two"] == {"width": 2, "soft": True}


def test_assignments_reach_into_sections() -> None:
    values = {"strokes": 7}
    for assignment in ("brush.width=1e-3", "brush.soft=on", "steps=[[1, 2]]"):
        assign(values, assignment)
    expected = Painting(brush=Brush(width=0.001, soft=True), strokes=7, steps=((1, 2.0),))
    assert read_settings(Painting(), values) == expected


@pytest.mark.parametrize("assignment", ["strokes", "=3", "strokes.width=3"])
def test_assignments_without_key_or_value_are_refused(assignment: str) -> None:
    with pytest.raises(InvalidConfig, match=f"setting {assignment!r}"):
        assign({"strokes": 7}, assignment)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidConfig, match=r"mine\.yaml: .*No such file"):
        read_yaml(tmp_path / "mine.yaml")


def test_a_file_that_is_nested_without_end_is_refused_in_one_line():
    with pytest.raises(InvalidConfig, match=r"^deep\.yaml: nested too deeply$"):
        parse_yaml("a: " + "[" * 50_000, "deep.yaml")


def test_mappings_that_merge_each_other_do_not_grow_without_end() -> None:
    lines = ["m0: &m0 {x: 1}", *(f"m{step}: &m{step} {{<<: [*m{step - 1}, *m{step - 1}]}}" for step in range(1, 40))]
    with pytest.raises(InvalidConfig, match="more than 100000 values"):
        parse_yaml("\n".join(lines), "test")


def _bomb(first: str) -> str:
    """Ten lines, each of ten aliases of the line before: ten thousand million values."""
    lines = [f"{first}&a0 [{', '.join('x' * 10)}]"]
    for number in range(1, 10):
        lines.append(f"{first.replace('0', str(number))}&a{number} [{', '.join([f'*a{number - 1}'] * 10)}]")
    return "\n".join(lines)


@pytest.mark.parametrize("text", [_bomb("- "), _bomb("key0: "), "a: &a [*a]", "&a [*a]", "a: &a {b: *a}"])
def test_endless_aliases_are_refused_before_they_are_written_out(text: str) -> None:
    with pytest.raises(InvalidConfig, match="more than 100000 values"):
        parse_yaml(text, "test")


def test_an_alias_stands_for_its_value() -> None:
    values = parse_yaml("a: &a {width: 2}\nb: *a\nc: {<<: *a, soft: true}", "test")
    assert values == {"a": {"width": 2}, "b": {"width": 2}, "c": {"width": 2, "soft": True}}
