"""Places inference servers and self-play actors on the nodes of a cluster, while nodes come and go.

    fleet = Fleet(supervisor, say, start_server=..., start_actor=...)
    fleet.begin(nodes, actors=8)
    while not done:
        fleet.settle(living_nodes())

Servers     one on every GPU that is free, or on what the learner leaves of one; actors of all nodes share them.
            Without GPUs one on every node that plays, and as long as none does on the first.
Actors      spread by free CPUs.  Each takes two CPUs, one to search and one for its part of the server's
            work, or less where more actors are asked for than fit, also on the nodes that are to come; those
            that answer their own questions are as many as there are CPUs.
A node      takes its servers and actors along when it dies.  The actors start on other nodes as far as
            CPUs are free there, the rest waits for the next node that joins.  Those that were
            asking a server which is gone look for another one by themselves.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, count
from math import ceil
from typing import Final

from gobang.errors import GobangError
from learner.run.parts import Kind, Part
from learner.run.supervisor import Supervisor

CPUS_OF_AN_ACTOR: Final = 2.0  # at most
_ROUNDING: Final = 1e-6


class NoRoom(GobangError):
    """No node has a free CPU."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Node:
    """A machine of the cluster, e.g. `Node(id="1f3a...", host="10.0.0.7", cores=8, free_cpus=8.0, free_gpus=0.5)`."""

    id: str  # Ray's; another one after a restart
    host: str
    cores: int
    free_cpus: float  # when it was seen first
    free_gpus: float
    has_notice: bool = False  # Ray was told that it goes soon, so that nothing new starts there


@dataclass(frozen=True, kw_only=True, slots=True)
class Site:
    """The place of a server, e.g. `Site(node="1f3a...", gpu=0, share=0.5)`."""

    node: str
    gpu: int | None  # counted on each node; None for a server that runs on CPUs
    share: float = 0.0  # of that GPU


@dataclass(frozen=True, kw_only=True, slots=True)
class ServerPlace:
    """Number and place of a new server, e.g. `ServerPlace(number=2, node=..., gpus=1, threads=4)`."""

    number: int  # never used before
    node: Node
    gpus: float  # 1, or what is left of one; 0 for a server that runs on CPUs
    threads: int


@dataclass(frozen=True, kw_only=True, slots=True)
class ActorPlace:
    """Number and place of a new actor, e.g. `ActorPlace(number=5, node=..., cpus=2.0, server=2)`."""

    number: int
    node: Node
    cpus: float
    server: int  # number of the one that it asks


StartServer = Callable[[Part, ServerPlace], None]  # adds the part to the supervisor
StartActor = Callable[[Part, ActorPlace], None]
StopActors = Callable[
    [list[Part]], object
]  # asks them to send what they have finished, and takes them from the supervisor


def default_actors(cores: int, *, answer: bool) -> int:
    """Half of the cores, as an actor asks more than one core can answer; all where actors answer by themselves."""
    return max(2, cores if answer else cores // 2)


def cpus_of_each(free: Sequence[float], actors: int) -> float:
    """CPUs of each actor, 2, 1 or a part of one: the most at which all actors find room on the nodes' free CPUs."""
    if not any(free):
        raise NoRoom("no node of the cluster has a free CPU")
    shares = (CPUS_OF_AN_ACTOR / parts for parts in chain((1,), count(2, 2)))
    return next(share for share in shares if sum(_room(cpus, share) for cpus in free) >= actors)


def spread(waiting: Iterable[int], rooms: Mapping[str, int]) -> dict[int, str]:
    """Nodes for actors, each on the one with most room left, as far as there is room."""
    left, placed = Counter(rooms), {}
    for actor in waiting:
        node, room = max(left.items(), key=lambda item: item[1])  # the first of equals
        if room <= 0:
            break
        placed[actor] = node
        left[node] -= 1
    return placed


def server_sites(nodes: Sequence[Node], playing: Iterable[str]) -> list[Site]:
    """The places of servers while these nodes play."""
    on_gpus = [
        Site(node=node.id, gpu=gpu, share=min(1.0, node.free_gpus - gpu))
        for node in nodes
        for gpu in range(ceil(node.free_gpus))
    ]
    return on_gpus or [Site(node=node, gpu=None) for node in dict.fromkeys(playing) or [nodes[0].id]]


class Fleet:
    """Starts and drops servers and actors as nodes come and go; one line tells of each node."""

    def __init__(
        self,
        supervisor: Supervisor,
        say: Callable[[str], None],
        *,
        start_server: StartServer,
        start_actor: StartActor,
        stop_actors: StopActors,
    ) -> None:
        self._supervisor, self._say = supervisor, say
        self._start_server, self._start_actor, self._stop_actors = start_server, start_actor, stop_actors
        self._nodes: dict[str, Node] = {}
        self._cpus = CPUS_OF_AN_ACTOR  # of each actor
        self._waiting: list[int] = []  # actors without a node, by number
        self._actors: dict[int, str] = {}  # the node of each
        self._servers: dict[Site, int] = {}  # the number of each
        self._asked: dict[int, int] = {}  # the server of each actor
        self._numbers = count()

    def begin(self, nodes: Sequence[Node], actors: int, most_cpus: float = 0.0) -> float:
        """Start this number of actors, as far as there is room, and the servers that they need; the CPUs of each.

        `most_cpus` is what the cluster may grow to.  NoRoom if no CPU is free and none will be.
        """
        nodes = [node for node in nodes if not node.has_notice]
        to_come = max(0.0, most_cpus - sum(node.cores for node in nodes))
        self._cpus = cpus_of_each([*(node.free_cpus for node in nodes), to_come], actors)
        self._waiting = list(range(actors))
        self._nodes = {node.id: node for node in nodes}
        started = self._fill()
        if len(nodes) > 1:
            for node in nodes:
                self._say(f"node {node.host}: {_listed(started[node.id])}")
        if self._waiting:
            self._say(f"{len(self._waiting)} of {actors} actors wait for nodes that are to come")
        return self._cpus

    def settle(self, nodes: Sequence[Node]) -> None:
        """Take note of the nodes that are alive now; one that has notice is left before it dies."""
        alive = {node.id: self._nodes.get(node.id, node) for node in nodes if not node.has_notice}
        gone = [node for node in self._nodes.values() if node.id not in alive]
        joined = [node for node in alive.values() if node.id not in self._nodes]
        if not gone and not joined:
            return
        self._nodes = alive
        living = {node.id for node in nodes}
        lost = {node.id: self._forget(node.id, is_alive=node.id in living) for node in gone}
        started = self._fill()
        waiting = f"; waiting for free CPUs: {_listed(map(_actor, self._waiting))}" if self._waiting else ""
        for node in gone:
            what = "has notice to go" if node.id in living else "is gone"
            self._say(f"node {node.host} {what}, and with it {_listed(lost[node.id])}{waiting}")
        for node in alive.values():
            if node in joined:
                self._say(f"node {node.host} has joined: {_listed(started[node.id])}")
            elif started[node.id]:
                self._say(f"node {node.host} takes over: {_listed(started[node.id])}")

    def server_near(self, node: str) -> int:
        """Number of a server for a process on a node: on the same one if there is one, of these the one least asked."""
        here = [server for site, server in self._servers.items() if site.node == node]
        asked = Counter(self._asked.values())
        return min(here or self._servers.values(), key=lambda server: asked[server])

    def _fill(self) -> dict[str, list[Part]]:
        """Start what the nodes need and have room for; the parts that were started, by node."""
        placed = spread(self._waiting, self._rooms())
        self._waiting = [actor for actor in self._waiting if actor not in placed]
        self._actors |= placed
        started: dict[str, list[Part]] = {node: [] for node in self._nodes}
        for site, server in self._renew_servers().items():
            started[site.node].append(_server(server))
        for actor, node in placed.items():
            server = self._asked[actor] = self.server_near(node)
            place = ActorPlace(number=actor, node=self._nodes[node], cpus=self._cpus, server=server)
            self._start_actor(_actor(actor), place)
            started[node].append(_actor(actor))
        return started

    def _renew_servers(self) -> dict[Site, int]:
        """Drop servers that are no longer in place, and start those that are missing; the new ones."""
        sites = server_sites(list(self._nodes.values()), self._actors.values())
        self._drop_servers([site for site in self._servers if site not in sites])
        missing = [site for site in sites if site not in self._servers]
        for site in missing:
            node, number = self._nodes[site.node], next(self._numbers)
            here = sum(other.node == site.node for other in sites)
            place = ServerPlace(number=number, node=node, gpus=site.share, threads=max(1, node.cores // here))
            self._servers[site] = number
            self._start_server(_server(number), place)
        return {site: self._servers[site] for site in missing}

    def _rooms(self) -> dict[str, int]:
        """Number of actors that each node has still room for."""
        taken = Counter(self._actors.values())
        return {node.id: _room(node.free_cpus, self._cpus) - taken[node.id] for node in self._nodes.values()}

    def _forget(self, node: str, *, is_alive: bool) -> list[Part]:
        """Take away what is or was on a node, and let its actors wait; all those parts."""
        actors = [actor for actor, its in self._actors.items() if its == node]
        for actor in actors:
            del self._actors[actor]
        self._waiting = sorted([*self._waiting, *actors])
        parts = [_actor(actor) for actor in actors]
        (self._stop_actors if is_alive else self._supervisor.drop)(parts)
        return [*self._drop_servers([site for site in self._servers if site.node == node]), *parts]

    def _drop_servers(self, sites: Iterable[Site]) -> list[Part]:
        gone = [self._servers.pop(site) for site in sites]
        self._asked = {actor: server for actor, server in self._asked.items() if server not in gone}
        parts = [_server(server) for server in gone]
        self._supervisor.drop(parts)
        return parts


def _room(cpus: float, share: float) -> int:
    return int(cpus / share + _ROUNDING)


def _actor(number: int) -> Part:
    return Part(Kind.ACTOR, number)


def _server(number: int) -> Part:
    return Part(Kind.INFERENCE, number)


def _listed(parts: Iterable[Part]) -> str:
    return ", ".join(map(str, parts)) or "nothing of this run"
