from dataclasses import replace
from types import SimpleNamespace

import pytest

from learner.run.fleet import (
    ActorPlace,
    Fleet,
    Node,
    NoRoom,
    ServerPlace,
    Site,
    cpus_of_each,
    default_actors,
    server_sites,
    spread,
)
from learner.run.parts import Part


def node(name: str, cpus: float = 4, gpus: int = 0) -> Node:
    return Node(id=name, host=f"host-{name}", cores=int(cpus), free_cpus=cpus, free_gpus=gpus)


class World:
    """A fleet whose parts are only written down."""

    def __init__(self) -> None:
        self.parts, self.said = {}, []
        self.stopped = []
        supervisor = SimpleNamespace(drop=lambda parts: [self.parts.pop(str(part)) for part in parts])
        self.fleet = Fleet(
            supervisor, self.said.append, start_server=self._start, start_actor=self._start, stop_actors=self._stop
        )

    def _stop(self, parts: list[Part]) -> None:
        self.stopped += [self.parts.pop(str(part)) and str(part) for part in parts]

    def _start(self, part: Part, place: ServerPlace | ActorPlace) -> None:
        self.parts[str(part)] = place

    def where(self, kind: str) -> dict[str, str]:
        return {name: place.node.id for name, place in self.parts.items() if name.startswith(kind)}


@pytest.fixture
def world() -> World:
    return World()


@pytest.mark.parametrize(
    ("free", "actors", "cpus"),
    [((8,), 4, 2), ((2,), 2, 1), ((2,), 16, 0.125), ((3, 3), 3, 1), ((8, 2), 5, 2), ((1, 0), 3, 1 / 3)],
)
def test_all_actors_fit(free, actors, cpus):
    assert cpus_of_each(free, actors) == pytest.approx(cpus)


def test_without_a_free_cpu_nothing_starts():
    with pytest.raises(NoRoom, match="free CPU"):
        cpus_of_each([0.0, 0.0], 2)


def test_actors_are_spread_by_room():
    assert spread(range(7), {"a": 4, "b": 2}) == {0: "a", 1: "a", 2: "a", 3: "b", 4: "a", 5: "b"}


def test_servers_are_on_gpus_or_where_is_played():
    nodes = [node("a"), node("b"), node("c", gpus=2)]
    assert server_sites(nodes, ["a"]) == [Site(node="c", gpu=gpu, share=1) for gpu in (0, 1)]
    assert server_sites(nodes[:2], ["b", "b"]) == [Site(node="b", gpu=None)]
    assert server_sites(nodes[:2], []) == [Site(node="a", gpu=None)]


def test_each_node_that_plays_has_a_server_of_its_own(world):
    world.fleet.begin([node("a"), node("idle", cpus=0), node("b")], 4)
    assert world.where("inference") == {"inference 0": "a", "inference 1": "b"}
    servers = {name: place.server for name, place in world.parts.items() if name.startswith("actor")}
    assert servers == {"actor 0": 0, "actor 1": 1, "actor 2": 0, "actor 3": 1}
    assert world.said[1] == "node host-idle: nothing of this run"
    assert world.fleet.server_near("b") == 1


def test_gpus_are_shared_evenly_by_nodes_without(world):
    world.fleet.begin([node("a"), node("b", gpus=1), node("c", gpus=1)], 6)
    asked = [place.server for name, place in world.parts.items() if name.startswith("actor")]
    assert sorted(asked) == [0] * 3 + [1] * 3
    assert world.parts["inference 0"].gpus == 1


def test_a_server_shares_the_cores_of_its_node(world):
    world.fleet.begin([node("a", cpus=8, gpus=2)], 2)
    assert [world.parts[name].threads for name in ("inference 0", "inference 1")] == [4, 4]


def test_what_a_dead_node_had_waits_for_the_next_one(world):
    nodes = [node("a", cpus=6), node("b")]
    world.fleet.begin(nodes, 4)
    assert world.where("actor") == {"actor 0": "a", "actor 1": "a", "actor 2": "b", "actor 3": "a"}
    world.said.clear()
    for _ in range(2):
        world.fleet.settle(nodes[:1])
        assert set(world.where("").values()) == {"a"}
    world.fleet.settle([nodes[0], node("c")])
    assert world.said == [
        "node host-b is gone, and with it inference 1, actor 2; waiting for free CPUs: actor 2",
        "node host-c has joined: inference 2, actor 2",
    ]
    assert world.parts["actor 2"].server == 2


def test_what_a_dead_node_had_goes_where_cpus_are_free(world):
    nodes = [node("a", cpus=6), node("b", cpus=8)]
    world.fleet.begin(nodes, 3)
    assert world.where("actor") == {"actor 0": "b", "actor 1": "a", "actor 2": "b"}
    world.said.clear()
    world.fleet.settle(nodes[:1])
    assert world.said == [
        "node host-b is gone, and with it inference 0, actor 0, actor 2",
        "node host-a takes over: actor 0, actor 2",
    ]
    assert world.parts["actor 0"].server == 1


def test_a_node_with_notice_is_left_before_it_dies(world):
    nodes = [node("a", cpus=6), node("b", cpus=8)]
    world.fleet.begin(nodes, 3)
    world.said.clear()
    leaving = replace(nodes[1], has_notice=True)
    for alive in ([nodes[0], leaving], [nodes[0], leaving], nodes[:1]):
        world.fleet.settle(alive)
        assert set(world.where("").values()) == {"a"}
    assert world.stopped == ["actor 0", "actor 2"]
    assert world.said == [
        "node host-b has notice to go, and with it inference 0, actor 0, actor 2",
        "node host-a takes over: actor 0, actor 2",
    ]


def test_nothing_starts_on_a_node_that_has_notice(world):
    world.fleet.begin([node("a"), replace(node("b"), has_notice=True)], 4)
    assert set(world.where("").values()) == {"a"}


def test_without_its_gpu_a_run_goes_on_with_cpus(world):
    nodes = [node("a"), node("b"), node("c", gpus=1)]
    world.fleet.begin(nodes, 3)
    assert world.where("inference") == {"inference 0": "c"}
    world.fleet.settle(nodes[:2])
    assert world.where("inference") == {"inference 1": "a", "inference 2": "b"}
    world.fleet.settle([*nodes[:2], node("d", gpus=1)])
    assert world.where("inference") == {"inference 3": "d"}


def test_a_server_takes_what_the_learner_leaves_of_a_gpu(world):
    world.fleet.begin([node("a", gpus=1.5)], 2)
    assert [world.parts[name].gpus for name in ("inference 0", "inference 1")] == [1, 0.5]


def test_actors_wait_for_the_nodes_of_an_autoscaler(world):
    head = node("head", cpus=0)
    assert world.fleet.begin([head], 4, most_cpus=8) == 2
    assert (world.where(""), world.said) == (
        {"inference 0": "head"},
        ["4 of 4 actors wait for nodes that are to come"],
    )
    world.fleet.settle([head, node("b", cpus=6)])
    assert world.where("") == {"inference 1": "b", "actor 0": "b", "actor 1": "b", "actor 2": "b"}


@pytest.mark.parametrize(
    ("cores", "answer", "actors", "cpus"), [(8, False, 4, 2), (8, True, 8, 1), (2, False, 2, 1), (1, True, 2, 0.5)]
)
def test_actors_that_answer_by_themselves_have_a_cpu_each(cores, answer, actors, cpus):
    assert default_actors(cores, answer=answer) == actors
    assert cpus_of_each([cores], actors) == cpus
