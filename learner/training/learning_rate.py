"""The learning rate and its schedules.

rate = learning_rate.rate()          # of the next step
...                                  # the step
learning_rate.observe(loss=0.9, kl=None)
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Protocol

from gobang.errors import InvalidConfig
from learner.training.training_state import State

KL_FACTOR: Final = 1.5
KL_LEAST: Final = 0.1  # bounds of the multiplier
KL_MOST: Final = 10.0
PLATEAU_FACTOR: Final = 0.5
PLATEAU_GAIN: Final = 0.001  # a mean loss that falls by less than this share stands still


@dataclass(frozen=True, kw_only=True, slots=True)
class LearningRateConfig:
    """The rate and its schedule, e.g. `LearningRateConfig(schedule="cosine", peak=2e-3, final=3e-4)`.

    `constant` keeps `peak`; `cosine` falls from `peak` to `final` within `steps`; `plateau` halves the
    rate, down to `final`, when the mean loss of `window` steps is no lower than the best before, and
    else multiplies it by `rise`, up to `peak`;
    `kl` starts at `peak` and keeps the policy's change per step near `kl_target`.
    """

    schedule: str = "cosine"
    peak: float = 1e-3
    final: float = 1e-4
    steps: int = 50_000
    warmup: int = 0  # steps in which the rate of `constant` or `cosine` rises to the peak
    window: int = 1000
    rise: float = 1.0  # 1: what `plateau` has halved stays
    kl_target: float = 0.002  # nats per step; the papers' 0.02 is for five passes over a batch

    def __post_init__(self) -> None:
        if self.schedule not in _SCHEDULES:
            raise InvalidConfig(f"schedule {self.schedule!r}: one of {', '.join(_SCHEDULES)}")
        if not 0 < self.peak < math.inf:
            raise InvalidConfig(f"peak {self.peak}: a learning rate is above 0 and finite")
        if not 0 <= self.final <= self.peak:
            raise InvalidConfig(f"final {self.final}: 0 to the peak, {self.peak}")
        if self.steps < 1 or self.window < 1:
            raise InvalidConfig(f"steps {self.steps}, window {self.window}: each at least 1")
        if not 1 <= self.rise <= 10:
            raise InvalidConfig(f"rise {self.rise}: from 1 to 10")
        if not 0 <= self.warmup <= self.steps:
            raise InvalidConfig(f"warmup {self.warmup}: 0 to the number of steps, {self.steps}")
        if not 0 < self.kl_target < math.inf:
            raise InvalidConfig(f"kl_target {self.kl_target}: above 0 and finite")


class LearningRate(Protocol):
    """A rate that follows the steps; the module's docstring shows the loop."""

    def rate(self) -> float:
        """The rate of the next step."""

    def observe(self, *, loss: float, kl: float | None) -> None:
        """Take note of a step that was made; `kl` is None where it was not measured."""

    def get_state(self) -> State:
        """Numbers for JSON, from which `set_state` goes on."""

    def set_state(self, state: State) -> None:
        """Go on where `get_state` was called."""


def make_learning_rate(config: LearningRateConfig) -> LearningRate:
    """The schedule that the config names, at its start."""
    return _SCHEDULES[config.schedule](config)


class Constant:
    """The peak, after the warm-up."""

    def __init__(self, config: LearningRateConfig) -> None:
        self._config = config
        self._step = 0

    def rate(self) -> float:
        """The peak, or the part of it that the warm-up has reached."""
        return self._config.peak * _warm(self._step, self._config.warmup)

    def observe(self, *, loss: float, kl: float | None) -> None:
        """Count the step."""
        self._step += 1

    def get_state(self) -> State:
        """The number of steps made."""
        return {"step": self._step}

    def set_state(self, state: State) -> None:
        """Go on where `get_state` was called."""
        self._step = state["step"]


class Cosine(Constant):
    """Half a cosine from the peak, after the warm-up, to the final rate, which then stays."""

    def rate(self) -> float:
        """The state of the curve."""
        config = self._config
        if self._step < config.warmup:
            return super().rate()
        progress = min(1.0, (self._step - config.warmup) / max(1, config.steps - config.warmup))
        return config.final + (config.peak - config.final) * 0.5 * (1 + math.cos(math.pi * progress))


class Plateau:
    """Halves the rate when the mean loss of a window of steps is no better than the best window's, else raises it."""

    def __init__(self, config: LearningRateConfig) -> None:
        self._config = config
        self._rate = config.peak
        self._best: float | None = None  # mean loss
        self._sum = 0.0
        self._count = 0

    def rate(self) -> float:
        """The peak, halved as often as the loss stood still, and raised as often as it fell, within the bounds."""
        return self._rate

    def observe(self, *, loss: float, kl: float | None) -> None:
        """Add the loss to the window; judge it when it is full."""
        self._sum += loss
        self._count += 1
        if self._count < self._config.window:
            return
        mean = self._sum / self._count
        self._sum, self._count = 0.0, 0
        if self._best is None or mean < self._best - PLATEAU_GAIN * abs(self._best):
            self._best = mean
            self._rate = min(self._rate * self._config.rise, self._config.peak)
        else:
            self._rate = max(self._rate * PLATEAU_FACTOR, self._config.final)

    def get_state(self) -> State:
        """The rate, the best mean and the window so far."""
        return {"rate": self._rate, "best": self._best, "sum": self._sum, "count": self._count}

    def set_state(self, state: State) -> None:
        """Go on where `get_state` was called."""
        self._rate, self._best = state["rate"], state["best"]
        self._sum, self._count = state["sum"], state["count"]


class KlAdaptive:
    """Multiplies the rate when the policy moves less than half the target, divides above twice the target."""

    def __init__(self, config: LearningRateConfig) -> None:
        self._config = config
        self._multiplier = 1.0

    def rate(self) -> float:
        """The peak times the multiplier."""
        return self._config.peak * self._multiplier

    def observe(self, *, loss: float, kl: float | None) -> None:
        """Adapt the multiplier if the policy's change was measured."""
        if kl is None:
            return
        if kl > 2 * self._config.kl_target:
            self._multiplier = max(self._multiplier / KL_FACTOR, KL_LEAST)
        elif kl < self._config.kl_target / 2:
            self._multiplier = min(self._multiplier * KL_FACTOR, KL_MOST)

    def get_state(self) -> State:
        """The multiplier."""
        return {"multiplier": self._multiplier}

    def set_state(self, state: State) -> None:
        """Go on where `get_state` was called."""
        self._multiplier = state["multiplier"]


def _warm(step: int, warmup: int) -> float:
    """Share of the peak at a step, from 1 / warmup on."""
    return min(1.0, (step + 1) / warmup) if warmup else 1.0


_SCHEDULES: Final[dict[str, Callable[[LearningRateConfig], LearningRate]]] = {
    "constant": Constant,
    "cosine": Cosine,
    "plateau": Plateau,
    "kl": KlAdaptive,
}
