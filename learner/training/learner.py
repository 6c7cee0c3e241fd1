"""The learner: from games in the pool to versioned weights, in one process.

    while not learner.advance():         # took in games, but must wait for more
        ...
    blob = learner.weights("latest", known=version)

A step follows from the window's content, the weights and the learner's own generator alone.  All
three come back after a restart: the window from the pool, the others from the newest checkpoint.
"""

from __future__ import annotations

import hashlib
import logging
import threading
from collections import deque
from dataclasses import dataclass, field
from typing import Final, Protocol

import numpy as np

from gobang.disk import Outage
from gobang.errors import InvalidCheckpoint, InvalidConfig, NonFiniteWeights
from gobang.network.architectures.architecture import fit
from gobang.network.checkpoint import Checkpoint, checkpoint_to_bytes
from gobang.network.spec import NetworkSpec
from gobang.numbers import read_whole
from gobang.run_folder import RunFolder
from gobang.types import Variant
from gobang.versions import BEST, FIRST_VERSION, LATEST, NO_VERSION
from learner.replay.window.samples import STAGES, Samples, with_random_symmetry
from learner.training.beginning import first_weights
from learner.training.checkpoints import CheckpointConfig, CheckpointStore, Saved
from learner.training.trainer import StepReport, Trainer, TrainerConfig
from learner.training.training_state import State
from learner.watching.metrics import Values

_LOG: Final = logging.getLogger(__name__)
AVERAGED: Final = 100  # steps whose means are reported


@dataclass(frozen=True, kw_only=True, slots=True)
class LearnerConfig:
    """Settings of the learner, e.g. `LearnerConfig(batch=128)`."""

    batch: int = 256  # samples per step
    gpus: float = 0.5  # of its node, if that has any; an inference server takes what is left of one. 0: see docs/gpu.md
    begin_with: str | None = None  # in place of random weights: a file, or builtin-8x8; of any board, if the network is
    checkpoints: CheckpointConfig = field(default_factory=CheckpointConfig)

    def __post_init__(self) -> None:
        if self.batch < 1:
            raise InvalidConfig(f"batch {self.batch}: at least 1")
        if not 0 <= self.gpus <= 1:
            raise InvalidConfig(f"gpus {self.gpus}: from 0 to 1")


class Experience(Protocol):
    """Games as the learner sees them; in a run a PoolExperience.

    experience.take_in(version)                  # read what is new in the pool
    samples = experience.draw(256, random)       # None: wait for more
    """

    def take_in(self, newest: int) -> None:
        """Read new games, except those that claim a version after `newest`; retry later what is out of reach."""

    def draw(self, count: int, random: np.random.Generator) -> Samples | None:
        """Samples from the window; None while the games do not suffice or the limiter says to wait."""

    def values(self) -> Values:
        """The pool's and the window's metrics; `games` is among them."""


class Learner:
    """Trains on an Experience and keeps a run's versions.  `weights` and `promote` may come from other threads."""

    def __init__(
        self,
        *,
        variant: Variant,
        network: NetworkSpec,
        trainer: TrainerConfig,
        config: LearnerConfig,
        folder: RunFolder,
        experience: Experience,
        seed: int,
    ) -> None:
        """Go on from the newest checkpoint of the folder, or publish version 0 and make it the best."""
        self.trainer = Trainer(fit(network, variant), trainer, seed=seed)
        self._variant, self._config, self._experience = variant, config, experience
        self._random = np.random.default_rng(seed)
        self._store = CheckpointStore(folder, config.checkpoints)
        self._disk = threading.Lock()
        self._outage = Outage(f"checkpoints in {folder.root}")
        self._reports: deque[StepReport] = deque(maxlen=AVERAGED)
        self._age = 0.0
        self._latest = (NO_VERSION, b"")
        self._best = (NO_VERSION, b"")
        self._resume()
        experience.take_in(self.version)

    def advance(self) -> bool:
        """Take in new games and make one step; False if there is nothing to learn from yet."""
        self._experience.take_in(self.version)
        drawn = self._experience.draw(self._config.batch, self._random)
        if drawn is None:
            return False
        samples = with_random_symmetry(drawn, self._random)
        self._age = self._latest[0] - float(samples.weights_version.mean())
        report = self.trainer.step(samples)
        self._reports.append(report)
        if report.fault:
            _LOG.warning("step %d left out: its %s was not finite", report.step, report.fault)
        elif report.step % self._config.checkpoints.every_steps == 0:
            self.publish()
        return True

    @property
    def version(self) -> int:
        """Of the newest weights that are published."""
        return self._latest[0]

    @property
    def steps(self) -> int:
        """Good steps so far."""
        return self.trainer.steps

    @property
    def best(self) -> int:
        """Version of the best weights."""
        return self._best[0]

    def publish(self) -> bool:
        """Write the present weights and state as a new version; False if that failed, and the last one stays."""
        try:
            with self._disk:
                return self._outage.attempt(lambda: self._publish(self._store.highest() + 1))
        except NonFiniteWeights as error:
            _LOG.error("weights not published: %s", error)
            return False

    def weights(self, which: str, known: int) -> bytes | None:
        """A checkpoint file's bytes of "latest", "best" or a version number; None if that is `known`."""
        version, blob = self._find(which)
        if version == known:
            return None
        return blob or self._store.read(version)

    def identify(self, which: str) -> tuple[int, str]:
        """Version, and SHA-256 in hexadecimal, of what `weights` would give."""
        version, blob = self._find(which)
        return version, hashlib.sha256(blob or self._store.read(version)).hexdigest()

    def promote(self, version: int) -> None:
        """Make a version the best; it stays so through any crash after this returns."""
        with self._disk:
            self._best = (version, self._store.promote(version))
        _LOG.info("version %d is the best", version)

    def values(self) -> Values:
        """The learner's metrics, with those of its experience."""
        counters = {
            "step": self.trainer.steps,
            "faults": self.trainer.skipped,
            "damaged": self._store.damaged,
            "version": self.version,
            "best": self.best,
            "age": self._age,
        }
        return {**self._experience.values(), **counters, **_means(list(self._reports))}

    def _find(self, which: str) -> tuple[int, bytes]:
        """A version, and its bytes if they are at hand."""
        if which in (LATEST, BEST):
            return self._latest if which == LATEST else self._best
        version = read_whole(which, FIRST_VERSION)
        if version is None:
            raise InvalidCheckpoint(f"weights {which[:40]!r}: latest, best or a version number")
        return next((pair for pair in (self._latest, self._best) if pair[0] == version), (version, b""))

    def _resume(self) -> None:
        self._store.clean()
        saved = self._store.newest()
        if saved is None:
            self._begin()
            return
        self._go_on(saved)
        if self._store.highest() > saved.version:
            # A later version, since lost, may have played games already: no number is used twice.
            self.publish()
        best = self._store.best()
        if best is None or not self._store.holds_best(best):
            best = self.version
        self._best = (best, self._store.promote(best))

    def _begin(self) -> None:
        """Publish the weights that the first games are to be played with."""
        if self._config.begin_with:
            self.trainer.set_weights(first_weights(self._config.begin_with, self.trainer.spec).tensors)
        self._publish(self._store.highest() + 1)
        self._best = (self.version, self._store.promote(self.version))

    def _go_on(self, saved: Saved) -> None:
        self.trainer.set_state(saved.state["trainer"])
        self._random.bit_generator.state = saved.state["random"]
        self._latest = (saved.version, saved.weights)
        _LOG.info("learner goes on from version %d, step %d", saved.version, self.trainer.steps)

    def _publish(self, version: int) -> None:
        checkpoint = Checkpoint(
            spec=self.trainer.spec,
            variant=self._variant,
            tensors=self.trainer.export_state(),
            version=version,
            step=self.trainer.steps,
            games=int(self._experience.values().get("games", 0)),
        )
        blob = checkpoint_to_bytes(checkpoint)
        self._store.save(version, blob, self._state())
        self._latest = (version, blob)
        self._store.prune()

    def _state(self) -> State:
        return {
            "trainer": self.trainer.get_state(),
            "random": self._random.bit_generator.state,
        }


def _means(reports: list[StepReport]) -> Values:
    """Means over the steps that have a number, and the last learning rate."""
    columns: dict[str, list[float | None]] = {}
    for report in reports:
        for name, value in _numbers(report).items():
            columns.setdefault(name, []).append(value)
    known = {name: [value for value in column if value is not None] for name, column in columns.items()}
    means = {name: sum(column) / len(column) for name, column in known.items() if column}
    return {**means, "learning_rate": reports[-1].learning_rate} if reports else {}


def _numbers(report: StepReport) -> dict[str, float | None]:
    if report.losses is None:
        return {}
    losses = report.losses
    accuracy = {f"accuracy_{stage}": share for stage, share in zip(STAGES, losses.value_accuracy, strict=True)}
    return {
        "loss": losses.total,
        "loss_policy": losses.policy,
        "loss_outcome": losses.chances,
        "loss_reply": losses.reply,
        "value_mse": losses.value_mse,
        "entropy": losses.entropy,
        "kl": losses.kl,
        "l2": losses.l2,
        "gradient_norm": report.gradient_norm,
        **accuracy,
    }
