"""Networks run without torch, and weights that do not fit are refused."""

import subprocess
import sys
from dataclasses import replace

import pytest

from gobang.errors import InvalidCheckpoint
from gobang.network.architectures.architecture import ARCHITECTURES
from gobang.network.checkpoint import fresh_checkpoint
from gobang.network.runtimes import openvino_model
from gobang.network.runtimes.openvino_model import to_openvino
from gobang.network.spec import NetworkSpec
from gobang.types import Variant

VARIANT = Variant.square(6, k=4)

PLAY = """
import sys
from gobang.players.player import Turn
from gobang.players.spec import make_player, parse
from gobang.rules.position import Position
from gobang.types import Variant

variant = Variant.square(6, k=4)
player = make_player(parse("net:builtin-6x6,sims=8"), variant, seed=1)
print(player.choose([Turn(game=0, position=Position(variant))]), "torch" in sys.modules)
"""


def test_a_network_plays_without_torch() -> None:
    run = subprocess.run([sys.executable, "-c", PLAY], capture_output=True, text=True, check=True)
    assert run.stdout.endswith("False\n")


def test_there_is_a_model_of_every_architecture_without_a_kernel() -> None:
    assert openvino_model._TRUNKS.keys() == {name for name, kind in ARCHITECTURES.items() if not kind.has_kernel}


@pytest.mark.parametrize("change", [{"options": {"blocks": 2, "filters": 8}}, {"features": "two"}])
def test_weights_of_another_network_are_refused(change: dict[str, object]) -> None:
    checkpoint = fresh_checkpoint(NetworkSpec(options={"blocks": 1, "filters": 8}), VARIANT)
    wrong = replace(checkpoint, spec=replace(checkpoint.spec, **change))  # type: ignore[arg-type]
    with pytest.raises(InvalidCheckpoint, match="do not fit architecture 'gobang_net'"):
        to_openvino(wrong, VARIANT)
