"""What the parts of a run are made of when they come to their processes."""

import pickle
import subprocess
import sys

import pytest

from gobang.run_folder import RunFolder
from learner.run.cluster import Cluster
from learner.run.config import RunConfig
from learner.run.fleet import ActorPlace, Node, ServerPlace
from learner.run.parts import Kind
from learner.run.pool import RunPool
from learner.run.recipes import Recipes

LOADED = """
import pickle, sys
pickle.load(sys.stdin.buffer)
print(sorted({"torch", "openvino", "learner.run.recipes"} & set(sys.modules)))
"""


HERE = Node(id="1f" * 28, host="127.0.0.1", cores=2, free_cpus=2.0, free_gpus=0)


@pytest.fixture
def recipes(tmp_path) -> Recipes:
    cluster = Cluster(address="127.0.0.1:1", namespace="gobang-x", dashboard="", login="", here=HERE, is_shared=False)
    folder = RunFolder(tmp_path)
    return Recipes(RunConfig(), folder, cluster, RunPool(RunConfig(), folder, cluster, url=None, say=print))


@pytest.mark.parametrize("kind", [Kind.ACTOR, Kind.JUDGE, Kind.INFERENCE])
def test_who_plays_or_answers_does_not_load_torch(recipes, kind):
    """A node with the extra `actor` alone has none."""
    starts = {
        Kind.ACTOR: lambda: recipes.actor(ActorPlace(number=0, node=HERE, cpus=1.0, server=0), 16),
        Kind.JUDGE: lambda: recipes.judge(0),
        Kind.INFERENCE: lambda: recipes.server(ServerPlace(number=0, node=HERE, gpus=0, threads=1)),
    }
    start = starts[kind]()
    arguments = pickle.dumps(start.args)
    done = subprocess.run([sys.executable, "-c", LOADED], input=arguments, capture_output=True, check=True, timeout=120)
    assert done.stdout.decode() == "[]\n"
