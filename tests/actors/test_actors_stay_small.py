import subprocess
import sys
from pathlib import Path

import pytest

MOST_MEGABYTES = 120  # a third of it is numba with its kernels

IMPORTS = """
import sys
import actors.factories, actors.standins
print(sorted({"torch", "ray", "redis", "openvino", "learner", "evaluator"} & set(sys.modules)))
"""

# Without Ray, which adds 45 MB to an actor.  Pages of libraries are not counted: all actors of a node share them.
PLAY = """
from pathlib import Path
from actors.self_play.self_play import SelfPlay, SelfPlayConfig
from actors.standins import GatedSink
from gobang.evaluators.null import NullEvaluator
from gobang.search.trees.config import SearchConfig
from gobang.types import Variant

variant = Variant.square(8)
config = SelfPlayConfig(search=SearchConfig(algorithm="gumbel", simulations=64))
self_play = SelfPlay(variant, config, NullEvaluator(variant), GatedSink(Path("/")), name="a", seed=1)
while self_play.report().evaluations < 4 * config.cache_entries:
    self_play.step()
print(Path("/proc/self/status").read_text().split("RssAnon:")[1].split()[0])
"""


def run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120)
    return done.stdout


def test_self_play_imports_neither_torch_nor_ray():
    assert run(IMPORTS) == "[]\n"


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the system does not tell what a process has")
def test_self_play_needs_little_memory():
    run(PLAY)  # compiles the kernels, if that has not been done; it takes memory
    assert int(run(PLAY)) / 1000 < MOST_MEGABYTES
