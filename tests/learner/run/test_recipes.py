"""What the parts of a run are made of when they come to their processes."""

import pickle
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace

import pytest

from actors.server.local import LocalEvaluator
from actors.wire.remote_evaluator import RemoteEvaluator
from gobang.network.presets import preset
from gobang.run_folder import RunFolder
from learner.replay.pool.redis_writer import RedisWriterFactory
from learner.run.cluster import Cluster
from learner.run.config import InferenceConfig, RunConfig
from learner.run.fleet import ActorPlace, Node, ServerPlace
from learner.run.parts import Kind
from learner.run.pool import RunPool
from learner.run.recipes import Recipes
from learner.training.trainer import TrainerConfig

LOADED = """
import pickle, sys
pickle.load(sys.stdin.buffer)
print(sorted({"torch", "openvino", "learner.run.recipes"} & set(sys.modules)))
"""


CONFIG = RunConfig()
HERE = Node(id="1f" * 28, host="127.0.0.1", cores=2, free_cpus=2.0, free_gpus=0)


class UnstartedPool(RunPool):
    """A pool of which no server runs, but whose actors are told what to open."""

    def actor_opener(self, node: str) -> RedisWriterFactory:
        return RedisWriterFactory(url="redis://here", add="1f", room="2f", limiter=CONFIG.replay.limiter)


@pytest.fixture
def make_recipes(tmp_path) -> Callable[..., Recipes]:
    def make(config: RunConfig = CONFIG, here: Node = HERE) -> Recipes:
        cluster = Cluster(address="127.0.0.1:1", namespace="x", dashboard="", is_open=False, here=here, session=None)
        folder = RunFolder(tmp_path)
        return Recipes(config, folder, cluster, UnstartedPool(config, folder, cluster, url=None, say=print))

    return make


@pytest.mark.parametrize("kind", [Kind.ACTOR, Kind.JUDGE, Kind.INFERENCE])
def test_who_plays_or_answers_does_not_load_torch(make_recipes, kind):
    """A node with the extra `actor` alone has none."""
    recipes = make_recipes()
    starts = {
        Kind.ACTOR: lambda: recipes.actor(ActorPlace(number=0, node=HERE, cpus=1.0, server=0), 16),
        Kind.JUDGE: lambda: recipes.judge(0),
        Kind.INFERENCE: lambda: recipes.server(ServerPlace(number=0, node=HERE, gpus=0, threads=1)),
    }
    start = starts[kind]()
    arguments = pickle.dumps(start.args)
    done = subprocess.run([sys.executable, "-c", LOADED], input=arguments, capture_output=True, check=True, timeout=120)
    assert done.stdout.decode() == "[]\n"


@pytest.mark.parametrize(
    ("device", "free", "taken"), [("auto", 1.0, 0.5), ("cuda", 0.25, 0.25), ("cpu", 1.0, 0.0), ("auto", 0.0, 0.0)]
)
def test_the_learner_takes_its_share_of_a_gpu(make_recipes, device, free, taken):
    config = RunConfig(trainer=TrainerConfig(device=device))
    recipes = make_recipes(config, replace(HERE, free_gpus=free))
    assert recipes.learner(None).keywords["num_gpus"] == taken


@pytest.mark.parametrize(
    ("most", "gpus", "measures", "size"), [(0, 0.5, True, 64), (0, 0, False, 64), (256, 0.5, False, 256)]
)
def test_a_server_on_a_gpu_measures_what_batches_to_take(make_recipes, most, gpus, measures, size):
    recipes = make_recipes(RunConfig(inference=InferenceConfig(max_batch=most)))
    make = recipes.server(ServerPlace(number=0, node=HERE, gpus=gpus, threads=1)).args[1].make
    assert (make.measures, make.config.max_batch) == (measures, size)


def test_an_actor_is_called_by_its_work_number_and_node(make_recipes):
    start = make_recipes().actor(ActorPlace(number=3, node=HERE, cpus=1.0, server=0), 16)
    assert start.args[0] == "self_play:03@127.0.0.1-1f1f1f1f"


@pytest.mark.parametrize(
    ("network", "backend", "asks"),
    [
        ("gobang_4x64", "auto", RemoteEvaluator),
        ("lines_64", "auto", LocalEvaluator),
        ("lines_64", "torch", RemoteEvaluator),
    ],
)
def test_a_network_with_a_kernel_answers_in_the_process_of_the_actor(make_recipes, network, backend, asks):
    config = RunConfig(network=preset(network), inference=InferenceConfig(backend=backend))
    start = make_recipes(config).actor(ActorPlace(number=0, node=HERE, cpus=1.0, server=0), 16)
    assert start.args[1].make.make_evaluator.func is asks
