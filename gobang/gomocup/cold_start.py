"""The first minute of an engine on a machine where its kernels were never compiled.

Managers give up on an engine that does not answer, so a player that needs few kernels stands in while a
process of its own compiles those of the real one.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from functools import partial
from typing import Final

from gobang.children import from_lasting_thread, tied
from gobang.players.player import Player
from gobang.players.spec import PlayerSpec, make_player, parse
from gobang.players.warm_up import warm_up
from gobang.types import Variant

_STAND_IN: Final = "pattern"


class ColdStart:
    """A stand-in, and the process that compiles for the player in whose place it plays."""

    def __init__(self, spec: PlayerSpec, variant: Variant, seed: int) -> None:
        """Get the stand-in ready, for which the manager waits, then start the process."""
        self.stand_in: Player = make_player(parse(_STAND_IN), variant, seed)
        warm_up(self.stand_in, variant)
        game = ["--size", f"{variant.height}x{variant.width}", "--k", str(variant.k), "--rule", variant.rule]
        self._process = from_lasting_thread(partial(_start, ["--player", str(spec), *game]))

    def is_over(self) -> bool:
        """Return True if all is compiled, or if the process failed and the player must compile by itself."""
        return self._process.poll() is not None

    def close(self) -> None:
        """End the process, done or not."""
        self._process.kill()
        self._process.wait()
        self.stand_in.close()


def _start(arguments: Sequence[str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        tied([sys.executable, "-m", "gobang.warm", *arguments]),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
