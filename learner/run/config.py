"""All settings of a run, from which each part gets its own."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from actors.self_play.self_play import SelfPlayConfig
from actors.server.inference import ServerConfig
from evaluator.judging.contest import JudgeConfig
from gobang.errors import InvalidConfig
from gobang.evaluators.batch_size import USUAL
from gobang.network.cost import cost
from gobang.network.presets import preset, with_network
from gobang.network.runtimes.backend import AUTO, choose_backend, has_kernel
from gobang.network.spec import NetworkSpec
from gobang.options import read_settings
from gobang.search.trees.config import SearchConfig
from gobang.settings import Values
from gobang.types import Variant
from learner.replay.pool.limiter import Limiter
from learner.run.playouts import PlayoutSchedule
from learner.training.experience import ReplayConfig
from learner.training.learner import LearnerConfig
from learner.training.trainer import TrainerConfig, find_device


@dataclass(frozen=True, kw_only=True, slots=True)
class InferenceConfig:
    """Settings of a node's server, e.g. `InferenceConfig(backend="openvino", precision="int8")`.

    Of these, actors that answer their own questions heed the backend, the precision and `poll_seconds`.
    """

    backend: str = AUTO
    precision: str = AUTO
    threads: int = 0  # of the network; 0: as many as the node has cores
    max_batch: int = 0  # positions; 0: on a GPU what is measured to be best at the start, on CPUs 64
    max_wait_ms: float = 0.0  # for more positions to come; measured best at 0
    poll_seconds: float = 0.5  # between looks for newer weights

    def __post_init__(self) -> None:
        if self.threads < 0:
            raise InvalidConfig(f"threads {self.threads}: at least 0")
        if not 0 < self.poll_seconds <= 60:
            raise InvalidConfig(f"poll_seconds {self.poll_seconds}: above 0, at most 60")

    def server(self, variant: Variant, *, listen: tuple[str, ...], key: bytes, threads: int) -> ServerConfig:
        """The settings of one server; raises InvalidConfig."""
        return ServerConfig(
            variant=variant,
            listen=listen,
            key=key,
            threads=threads,
            max_batch=self.max_batch or USUAL,
            max_wait_ms=self.max_wait_ms,
            poll_seconds=self.poll_seconds,
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class LeadInConfig:
    """A run before the run (learner.run.lead_in), e.g. `LeadInConfig(settings=("game.height=8", "game.width=8"))`."""

    settings: tuple[str, ...] = ()  # in which it differs from the run; none: no lead-in
    share: float = 1 / 3  # of the run's budget,
    minutes: float = 20.0  # but no more than so long

    def __post_init__(self) -> None:
        if not 0 < self.share < 1:
            raise InvalidConfig(f"share {self.share}: above 0 and below 1")
        if not 0 < self.minutes < math.inf:
            raise InvalidConfig(f"minutes {self.minutes}: above 0 and finite")


@dataclass(frozen=True, kw_only=True, slots=True)
class RunConfig:
    """All settings of a run; a preset holds what differs from these."""

    seed: int = 1
    dashboard: bool = True  # of Ray, where the cluster is started here
    game: Variant = field(default_factory=lambda: Variant.square(8))
    lead_in: LeadInConfig = field(default_factory=LeadInConfig)
    network: NetworkSpec = field(default_factory=lambda: preset("gobang_4x64"))
    playouts: PlayoutSchedule = field(
        default_factory=lambda: PlayoutSchedule(steps=((0, 16), (100_000, 32), (400_000, 64)))
    )
    self_play: SelfPlayConfig = field(
        default_factory=lambda: SelfPlayConfig(
            search=SearchConfig(algorithm="gumbel", temperature=1.0, temperature_plies=10_000)
        )
    )
    inference: InferenceConfig = field(default_factory=InferenceConfig)
    replay: ReplayConfig = field(default_factory=ReplayConfig)
    learner: LearnerConfig = field(default_factory=LearnerConfig)
    trainer: TrainerConfig = field(default_factory=TrainerConfig)
    evaluator: JudgeConfig = field(default_factory=lambda: JudgeConfig(simulations=64, search="gumbel"))

    def __post_init__(self) -> None:
        if self.self_play.search.simulations != SearchConfig().simulations:
            raise InvalidConfig("self_play.search.simulations: playouts.steps says how many there are")

    @property
    def actors_answer(self) -> bool:
        """Whether actors answer their own questions, since a kernel does it faster than a question travels."""
        return has_kernel(self.network.architecture, self.inference.backend)

    def check(self) -> None:
        """Raise what the parts would say of their settings, before any of them starts."""
        cost(self.network, self.game)
        choose_backend(self.inference.backend, self.inference.precision)
        find_device(self.trainer.device)
        Limiter(self.replay.limiter).check_batch(self.learner.batch)
        self.inference.server(self.game, listen=("",), key=b"", threads=1)


def read_config(values: Values) -> RunConfig:
    """The settings of a run from those that differ; `network` may also be the name of a preset."""
    return read_settings(RunConfig(), with_network(values))
