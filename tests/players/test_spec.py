import pickle
import re
import subprocess
import sys
from dataclasses import fields
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gobang.players
from gobang.errors import InvalidConfig, InvalidSpec
from gobang.options import declarations
from gobang.players import PlayerSpec, make_player, parse
from gobang.players.options import GomocupOptions, NetOptions, RolloutOptions, SearchOptions
from gobang.players.player import Player
from gobang.players.registry import PLAYERS
from gobang.types import Variant


def test_public_names_are_those_listed() -> None:
    names = {name for name, value in vars(gobang.players).items() if not isinstance(value, ModuleType)}
    assert {name for name in names if not name.startswith("_")} == set(gobang.players.__all__)


def test_parsing_imports_no_player() -> None:
    program = "import sys; from gobang.players import parse; parse('uniform'); print(*sys.modules)"
    modules = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout.split()
    assert "gobang.players.spec" in modules
    assert not {"numba", "torch", "gobang.rules.position", "gobang.players.random_player"} & set(modules)


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("rollout:sims=5000", RolloutOptions(sims=5000)),
        ("net:best.safetensors,sims=64,search=gumbel", NetOptions(file="best.safetensors", sims=64, search="gumbel")),
        ("uniform:sims=64,solver=off,c_puct=2.5", SearchOptions(sims=64, solver=False, c_puct=2.5)),
        ("rollout:ms=50", RolloutOptions(ms=50)),
        ("gomocup:./engine -x 'a, b'", GomocupOptions(command="./engine -x 'a, b'")),
        ("gomocup,timeout=0.5:./engine:7", GomocupOptions(command="./engine:7", timeout=0.5)),
    ],
)
def test_text_and_options_are_the_same_player(text: str, options: object) -> None:
    spec = parse(text)
    assert spec.options == options
    assert str(spec) == text
    assert pickle.loads(pickle.dumps(spec)) == spec


def test_spaces_and_defaults_leave_no_trace_in_the_text() -> None:
    assert str(parse(" uniform: sims = 40 , solver=on")) == "uniform:sims=40"
    assert parse("uniform") == PlayerSpec(name="uniform", options=SearchOptions())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("unifrom:sims=4", "did you mean uniform?"),
        ("", "no player is called ''"),
        ("zzz", "known are alphabeta, beginner, critic, easy, exact, gomocup, hard, hmcts, human, max, medium, net,"),
        ("uniform:sim=4", "there is no key 'sim'; did you mean sims?"),
        ("uniform:sims=lots", "sims is 'lots', not a whole number (1 to 10000000) or null"),
        ("uniform:sims=0", "sims is 0, not a whole number (1 to 10000000) or null"),
        ("uniform:c_puct=nan", "c_puct is 'nan', not a number (0 to 100)"),
        ("uniform:search=puc", "search is 'puc', not one of puct, gumbel, ucb1, prior"),
        ("uniform:solver=no", "solver is 'no', not on or off"),
        ("uniform:solver", "'solver' is not of the form key=value"),
        ("uniform:sims=1,sims=2", "sims is given twice"),
        ("rollout:sims=1,ms=2", "ms and sims exclude each other"),
        ("random:sims=4", "there is no key 'sims'; known are none"),
        ("net", "net needs the network's weights, as in net:FILE"),
        ("net:sims=4", "net needs the network's weights"),
        ("gomocup:", "gomocup needs the command line"),
        ("gomocup:'x", "No closing quotation"),
    ],
)
def test_bad_text_names_what_is_wrong(text: str, message: str) -> None:
    with pytest.raises(InvalidSpec, match=re.escape(message)) as failure:
        parse(text)
    assert repr(text) in str(failure.value)


@pytest.mark.parametrize("values", [{"sims": 0}, {"sims": True}, {"sims": "5"}, {"solver": 1}, {"search": "alphabeta"}])
def test_options_made_in_code_are_checked_too(values: dict[str, object]) -> None:
    with pytest.raises(InvalidConfig, match=f"{next(iter(values))} is"):
        SearchOptions(**values)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", PLAYERS)
def test_every_field_is_declared_with_a_default_in_its_range(name: str) -> None:
    options = PLAYERS[name].options
    declared = declarations(options)
    assert {each.name for each in declared} == {each.name for each in fields(options)}
    for each in declared:
        assert each.meaning
        assert each.is_required or each.parse(each.show(each.default)) == each.default


@given(st.text(alphabet="uniformetgcp:=,. 0123456789sa'", max_size=30))
def test_any_text_is_a_player_or_refused(text: str) -> None:
    try:
        spec = parse(text)
    except InvalidSpec:
        return
    assert parse(str(spec)) == spec


def test_made_player_has_the_interface() -> None:
    player: Player = make_player(parse("random"), Variant.square(5, k=4), seed=1)
    assert player.name == "random"
    assert player.games_at_once > 1
