from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest

from gobang.errors import InvalidSpec
from gobang.options import Option
from gobang.players.registry import PLAYERS
from gobang.players.requested import LONGEST, REQUESTED, parse_requested
from gobang.players.spec import parse
from gobang.players.trained import trained_names

HARMLESS = {"c_puct", "lcb", "contempt", "temperature", "noise", "explore", "width", "leaves", "depth"}  # bounded below


def types_of(option: Option) -> set[object]:
    return set(get_args(option.type) or (option.type,)) - {type(None)}


@pytest.mark.parametrize(
    "text",
    [
        *(name for name in REQUESTED if name not in ("net", "critic")),
        *(f"net:{name},sims=100000" for name in trained_names()),
        *("critic:builtin,depth=2", "alphabeta:depth=60,nodes=1000", "uniform:ms=60000,memory_mb=512"),
    ],
)
def test_a_request_may_name_players_without_files(text: str) -> None:
    assert parse_requested(text) == parse(text)


@pytest.mark.parametrize(
    "text",
    [
        *("human", "gomocup:sh -c 'touch x'", "gomocup,timeout=2:true"),
        *("net:weights.safetensors", "net:/dev/zero", "net:runs/8x8-1@best", "net:builtin-8x8@latest", "net:."),
        *("critic:/dev/zero", "critic:builtin.safetensors", "critic:builtin,file=x", "critic:file=/dev/zero"),
    ],
)
def test_a_request_is_told_which_players_it_may_name(
    text: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(Path, "is_dir", lambda path: pytest.fail(f"{path} was looked at"))
    with pytest.raises(InvalidSpec) as caught:
        parse_requested(text)
    if "given twice" not in str(caught.value) and "needs" not in str(caught.value):
        assert all(name in str(caught.value) for name in REQUESTED)


@pytest.mark.parametrize(
    "text",
    [
        *("uniform:ms=60001", "uniform:sims=100001", "net:builtin-8x8,threads=5", "rollout:memory_mb=513"),
        *("rollout:sims=1000001", "hmcts:sims=1000001", "alphabeta:nodes=10000001", "alphabeta:depth=3"),
        "uniform:" + "," * LONGEST,
    ],
)
def test_a_request_cannot_take_time_or_memory_without_bounds(text: str) -> None:
    with pytest.raises(InvalidSpec, match=r"most|gives nodes"):
        parse_requested(text)


def test_every_option_of_a_request_is_a_choice_a_bounded_number_or_a_file_of_the_package() -> None:
    for name in REQUESTED:
        for option in (*PLAYERS[name].pairs, *[each for each in [PLAYERS[name].bare] if each]):
            assert str not in types_of(option) or option.name == "file", option
            if types_of(option) & {int, float} and option.name not in HARMLESS:
                argument = {"net": ":builtin-8x8,", "critic": ":builtin,"}.get(name, ":")
                with pytest.raises(InvalidSpec, match="at most"):
                    parse_requested(f"{name}{argument}{option.name}={int(option.range.maximum)}")


def test_a_request_may_repeat_the_player_of_the_command_line() -> None:
    assert parse_requested("net:mine.safetensors", granted=("net:mine.safetensors",)).name == "net"
    with pytest.raises(InvalidSpec):
        parse_requested("net:mine.safetensors,sims=9", granted=("net:mine.safetensors",))
