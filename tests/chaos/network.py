"""A network between two nodes that falls silent, loses packets and is slow."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Final

from tests.chaos.case import GOES_ON_SECONDS, SILENT_SECONDS, Case, until
from tests.chaos.frozen import until_later
from tests.chaos.link import Link
from tests.chaos.stage import Stage
from tests.chaos.trial import Mark, Trial
from tests.integration.nodes import RayCluster

SHORT_SECONDS: Final = 8.0  # nobody is given up for that
LONG_SECONDS: Final = 40.0  # Ray gives up a node after some 14 s
POOR_SECONDS: Final = 20.0
LOSS: Final = 0.05  # of the packets, each way
DELAY: Final = 0.1  # seconds, each way
_AUTH_MODE: Final = "RAY_AUTH_MODE"


@contextmanager
def without_token() -> Iterator[None]:
    """Start a cluster that asks for none."""
    before = os.environ.get(_AUTH_MODE)
    os.environ[_AUTH_MODE] = "disabled"
    try:
        yield
    finally:
        os.environ.pop(_AUTH_MODE)
        if before is not None:
            os.environ[_AUTH_MODE] = before


def who_joins(cluster: RayCluster) -> Mapping[str, str]:
    """The environment of a launcher that joins such a cluster."""
    return {"RAY_ADDRESS": cluster.address, _AUTH_MODE: "disabled"}


class Nodes:
    """A cluster of this machine and of a namespace that only a link leads to, with a run on both."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self.link = stage.cleanup.enter_context(Link())
        with without_token():
            self.cluster = RayCluster("--num-cpus=1", host=self.link.here)
        stage.cleanup.callback(self.cluster.kill)
        self.join()

    def join(self) -> None:
        """A node behind the link."""
        with without_token():
            self.cluster.add("--num-cpus=1", host=self.link.there, prefix=self.link.inside)

    @property
    def trial(self) -> Trial:
        """The run on both."""
        return self._stage.trial("--address", "auto", "--insecure", environment=who_joins(self.cluster))

    def far_actor(self) -> str:
        """How the writers behind the link are called, whose node is told by its address."""
        return f"@{self.link.there}-"


def strike_network(stage: Stage, number: int) -> float:
    """Lost packets, then latency, then a short cut, then one so long that the node is given up."""
    nodes = stage.kept(Nodes)
    trial, link = nodes.trial, nodes.link
    until(lambda: trial.is_running() and far(trial, nodes), SILENT_SECONDS, "nobody plays behind the link")
    for link.loss, link.delay in ((LOSS, 0.0), (0.0, DELAY)):
        mark = trial.mark()
        until_later(POOR_SECONDS)
        far_plays_on(trial, nodes, mark, SILENT_SECONDS)
        link.heal()
        trial.goes_on(SILENT_SECONDS)
    link.is_cut = True
    until_later(SHORT_SECONDS)
    link.heal()
    mark = trial.mark()
    slowest = far_plays_on(trial, nodes, mark, SILENT_SECONDS)
    trial.goes_on()
    mark = trial.mark()
    link.is_cut = True
    trial.tells(mark, f"node {link.there} is gone", LONG_SECONDS + GOES_ON_SECONDS)
    trial.goes_on(SILENT_SECONDS)
    link.heal()
    nodes.cluster.nodes[-1].kill()  # Ray's node knows that it was given up, and ends
    nodes.join()
    trial.tells(mark, f"node {link.there} has joined", SILENT_SECONDS)
    slowest = max(slowest, far_plays_on(trial, nodes, trial.mark(), SILENT_SECONDS))
    trial.told(mark, f"node {link.there} is gone")
    return slowest


def far(trial: Trial, nodes: Nodes) -> set[str]:
    """The writers behind the link."""
    return {writer for writer in trial.record.writers() if nodes.far_actor() in writer}


def far_plays_on(trial: Trial, nodes: Nodes, mark: Mark, seconds: float) -> float:
    """Until somebody behind the link stores a game; the seconds."""

    def spoke() -> float:
        trial.is_running()
        return max((trial.record.spoke[writer] for writer in far(trial, nodes)), default=0.0)

    until(lambda: spoke() > mark.at, seconds, "nobody behind the link stores a game")
    return spoke() - mark.at


CASES: Final = (
    Case(
        number=15,
        name="network lossy, slow, cut and healed",
        passes="the actor behind it plays on within 60 s; a node that is given up is replaced",
        strike=strike_network,
        needs_root=True,
        release=5,
    ),
)
