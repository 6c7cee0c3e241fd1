"""The training step.  A step whose numbers are not finite is undone, so that none gets into the weights.

report = trainer.step(samples)       # forward, backward, update
weights = trainer.export_state()     # to publish
state = trainer.get_state()          # to go on bit-identically after a restart
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.utils import clip_grad_norm_, get_total_norm

from gobang.errors import InvalidCheckpoint, InvalidConfig, NonFiniteWeights
from gobang.features import feature_planes
from gobang.network.architectures.architecture import build
from gobang.network.architectures.model import GobangNetwork
from gobang.network.runtimes.torch_backend import best_device, has_bf16
from gobang.network.spec import NetworkSpec
from learner.replay.window.samples import Samples
from learner.training.learning_rate import LearningRateConfig, make_learning_rate
from learner.training.losses import (
    LossConfig,
    LossReport,
    Targets,
    collect_numbers,
    losses,
    make_report,
    make_targets,
    policy_divergence,
    stage_counts,
)
from learner.training.training_state import State

OPTIMIZERS: Final = ("adamw", "sgd")
PRECISIONS: Final = ("auto", "bf16", "fp32")
FAULTS_IN_A_ROW: Final = 3  # then the trainer goes back to the last good state
KL_POSITIONS: Final = 64  # most positions on which a step's KL is measured

Captured = dict[str, Any]  # nested: "model", "optimizer", "average" of tensors; "learning_rate" of numbers


@dataclass(frozen=True, kw_only=True, slots=True)
class TrainerConfig:
    """Settings of the training step, e.g. `TrainerConfig(optimizer="sgd", weight_decay=1e-4)`."""

    optimizer: str = "adamw"  # of OPTIMIZERS
    weight_decay: float = 1e-4  # L2, of weights but not of biases and norms
    momentum: float = 0.9  # of sgd
    gradient_norm: float = 4.0  # longer gradients are cut to this length
    precision: str = "auto"  # of PRECISIONS; auto takes bf16 where the hardware has it
    device: str = "auto"  # cpu, cuda, mps, ...
    threads: int = 1  # of torch, in the whole process
    average_decay: float = 0.0  # of the moving average of weights, which is then what is published; 0: none
    kl_every: int = 10  # steps from one measurement of the KL to the next
    snapshot_every: int = 100  # good steps from one kept state to the next
    loss: LossConfig = field(default_factory=LossConfig)
    learning_rate: LearningRateConfig = field(default_factory=LearningRateConfig)

    def __post_init__(self) -> None:
        for name, known in (("optimizer", OPTIMIZERS), ("precision", PRECISIONS)):
            if getattr(self, name) not in known:
                raise InvalidConfig(f"{name} {getattr(self, name)!r}: one of {', '.join(known)}")
        if not 0 <= self.weight_decay < math.inf:
            raise InvalidConfig(f"weight_decay {self.weight_decay}: a finite number from 0")
        for name in ("momentum", "average_decay"):
            if not 0 <= getattr(self, name) < 1:
                raise InvalidConfig(f"{name} {getattr(self, name)}: from 0 to less than 1")
        if not 0 < self.gradient_norm < math.inf:
            raise InvalidConfig(f"gradient_norm {self.gradient_norm}: above 0 and finite")
        for name in ("threads", "kl_every", "snapshot_every"):
            if getattr(self, name) < 1:
                raise InvalidConfig(f"{name} {getattr(self, name)}: at least 1")


@dataclass(frozen=True, kw_only=True, slots=True)
class StepReport:
    """The result of one call of `Trainer.step`."""

    step: int  # good steps so far
    fault: str | None  # "loss", "gradient" or "weights": what was not finite, so that the step does not count
    losses: LossReport | None  # None after a fault
    gradient_norm: float | None  # before it was cut; None after a fault
    learning_rate: float
    skipped: int  # steps so far that left everything as it was
    reverted: int  # how often so far the trainer went back to the last good state


class Trainer:
    """Owns a network and its optimiser, and steps them.  It draws nothing at random after its start."""

    def __init__(self, spec: NetworkSpec, config: TrainerConfig, *, seed: int) -> None:
        torch.set_num_threads(config.threads)
        self.spec, self.config = spec, config
        self.device = find_device(config.device)
        self.precision = find_precision(config.precision, self.device)
        self.model = fresh_network(spec, seed=seed, device=self.device)
        self.optimizer = make_optimizer(self.model, config)
        self.steps = self.skipped = self.reverted = 0  # as StepReport has them
        self._faults = 0  # in a row
        self._learning_rate = make_learning_rate(config.learning_rate)
        self._weights = self.model.state_dict()  # the tensors that the model uses, by name
        self._buffers = dict(self.model.named_buffers())
        self._average = _copies(self._weights) if config.average_decay else {}
        self._good = self._capture()

    def step(self, samples: Samples) -> StepReport:
        """Learn from one batch; a loss or gradient that is not finite leaves all as it was before."""
        planes, targets = self.inputs(samples)
        measured = self.steps % self.config.kl_every == 0
        before = self._first_policies(planes) if measured else None
        buffers = _copies(self._buffers)
        snapshot = self._capture() if self.steps % self.config.snapshot_every == 0 else None
        numbers = self._differentiate(planes, targets)
        rate = self._learning_rate.rate()
        if not all(map(math.isfinite, numbers)):
            _overwrite(self._buffers, buffers)
            return self._skip("gradient" if math.isfinite(numbers[1]) else "loss", rate)
        l2 = self._update(rate)
        if not math.isfinite(l2):
            return self._skip("weights", rate)
        self._good = snapshot or self._good
        kl = None if before is None else policy_divergence(before, self._first_policies(planes)).item()
        return self._succeed(make_report(numbers, has_reply=self.spec.reply_head, l2=l2, kl=kl), numbers[0], rate)

    def inputs(self, samples: Samples) -> tuple[Tensor, Targets]:
        """Planes [B, C, H, W] and targets as tensors on the device."""
        variant = samples.boards.variant
        assert self.spec.plays(variant), f"samples of {variant} for the network {self.spec}"
        planes = torch.from_numpy(feature_planes(self.spec.features, samples.boards))
        targets = make_targets(samples, result_share=self.config.loss.result_share, device=self.device)
        return planes.to(self.device, memory_format=torch.channels_last), targets

    def export_state(self) -> dict[str, NDArray[np.float32]]:
        """Weights to publish, for a Checkpoint: copies, of the moving average if there is one."""
        weights: dict[str, NDArray[np.float32]] = _as_numpy(self._average or self._weights)
        for name, array in weights.items():
            finite = np.isfinite(array)
            if not finite.all():
                raise NonFiniteWeights(f"{name} at step {self.steps}: {array[~finite][0]} is no weight")
        return weights

    def set_weights(self, weights: Mapping[str, NDArray[np.float32]]) -> None:
        """Learn on from weights that another trainer exported; its optimiser's state does not come with them."""
        tensors = _as_tensors(weights)
        _overwrite(self._weights, tensors)
        _overwrite(self._average, tensors)
        self._good = self._capture()

    def get_state(self) -> State:
        """Everything that a restart needs, as numpy arrays and values for JSON; copies."""
        counters = {"step": self.steps, "skipped": self.skipped, "reverted": self.reverted, "faults": self._faults}
        return {"made_by": self._identity(), "counters": counters, **_as_numpy(self._capture())}

    def set_state(self, state: State) -> None:
        """Go on where `get_state` was called; InvalidCheckpoint if that was another kind of trainer."""
        if state.get("made_by") != self._identity():
            raise InvalidCheckpoint(f"training state made by {state.get('made_by')}, not by {self._identity()}")
        self._restore({part: _as_tensors(state[part]) for part in ("model", "optimizer", "average", "learning_rate")})
        counters = state["counters"]
        self.steps, self.skipped = counters["step"], counters["skipped"]
        self.reverted, self._faults = counters["reverted"], counters["faults"]
        self._good = self._capture()

    def _identity(self) -> State:
        """The settings that two trainers must share for one to go on with the other's state."""
        return {
            "network": self.spec.to_dict(),
            "optimizer": self.config.optimizer,
            "schedule": self.config.learning_rate.schedule,
            "average": self.config.average_decay > 0,
        }

    def _differentiate(self, planes: Tensor, targets: Targets) -> list[float]:
        """Fill the gradients and return the numbers of `collect_numbers`."""
        with autocast(self.device, self.precision):
            output = self.model(planes)
        parts = losses(output, targets, self.config.loss)
        self.optimizer.zero_grad()
        parts.total.backward()  # type: ignore[no-untyped-call]
        gradient_norm = clip_grad_norm_(self.model.parameters(), self.config.gradient_norm)
        with torch.no_grad():
            counts = stage_counts(output.chances, targets)
        numbers: list[float] = collect_numbers(parts, counts, gradient_norm).tolist()
        return numbers

    @torch.no_grad()
    def _update(self, rate: float) -> float:
        """Move the weights; return the L2 term, not finite if any weight or statistic is not."""
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        self.optimizer.step()
        share = 1 - min(self.config.average_decay, (1 + self.steps) / (10 + self.steps))
        for name, average in self._average.items():
            if average.is_floating_point():
                average.lerp_(self._weights[name], share)
            else:
                average.copy_(self._weights[name])
        decayed, others = (group["params"] for group in self.optimizer.param_groups)
        others = [*others, *(buffer for buffer in self._buffers.values() if buffer.is_floating_point())]
        squares = get_total_norm(decayed) ** 2
        return (squares * self.config.weight_decay / 2 + 0 * get_total_norm(others)).item()

    @torch.no_grad()
    def _first_policies(self, planes: Tensor) -> Tensor:
        """Policy logits of the first positions, as a player would get them."""
        self.model.eval()
        with autocast(self.device, self.precision):
            policy: Tensor = self.model(planes[:KL_POSITIONS]).policy
        self.model.train()
        return policy

    def _succeed(self, report: LossReport, gradient_norm: float, rate: float) -> StepReport:
        self.steps += 1
        self._faults = 0
        self._learning_rate.observe(loss=report.total, kl=report.kl)
        return self._report(None, report, gradient_norm, rate)

    def _skip(self, fault: str, rate: float) -> StepReport:
        self.skipped += 1
        self._faults += 1
        if self._faults == FAULTS_IN_A_ROW or fault == "weights":
            self._restore(self._good)
            self.reverted += 1
            self._faults = 0
        return self._report(fault, None, None, rate)

    def _report(
        self, fault: str | None, report: LossReport | None, gradient_norm: float | None, rate: float
    ) -> StepReport:
        return StepReport(
            step=self.steps,
            fault=fault,
            losses=report,
            gradient_norm=gradient_norm,
            learning_rate=rate,
            skipped=self.skipped,
            reverted=self.reverted,
        )

    def _capture(self) -> Captured:
        """Copies of all that learning has changed."""
        moments = {}
        for name, parameter in self.model.named_parameters():
            moments[name] = _copies(self.optimizer.state.get(parameter, {}))
        return {
            "model": _copies(self._weights),
            "optimizer": moments,
            "average": _copies(self._average),
            "learning_rate": self._learning_rate.get_state(),
        }

    def _restore(self, captured: Captured) -> None:
        """Put copies of what `_capture` took in place."""
        _overwrite(self._weights, captured["model"])
        _overwrite(self._average, captured["average"])
        self.optimizer.state.clear()
        for name, parameter in self.model.named_parameters():
            if captured["optimizer"][name]:
                moments = {key: _in_layout(value, parameter) for key, value in captured["optimizer"][name].items()}
                self.optimizer.state[parameter] = moments
        self._learning_rate.set_state(captured["learning_rate"])


def fresh_network(spec: NetworkSpec, *, seed: int, device: torch.device) -> GobangNetwork:
    """A network with weights drawn from the seed, laid out for fast convolutions; torch's generator is not touched."""
    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(seed)
        network = build(spec)
    network.to(device=device, memory_format=torch.channels_last)  # type: ignore[call-overload]
    return network.train()


def make_optimizer(model: torch.nn.Module, config: TrainerConfig) -> torch.optim.Optimizer:
    """The config's optimiser with two groups: weights, which decay, and biases and norms, which do not."""
    parameters = list(model.parameters())
    groups: list[dict[str, Any]] = [
        {"params": [parameter for parameter in parameters if parameter.ndim > 1]},
        {"params": [parameter for parameter in parameters if parameter.ndim <= 1], "weight_decay": 0.0},
    ]
    rate, decay = config.learning_rate.peak, config.weight_decay
    if config.optimizer == "sgd":
        return torch.optim.SGD(groups, lr=rate, momentum=config.momentum, weight_decay=decay, fused=True)
    return torch.optim.AdamW(groups, lr=rate, weight_decay=decay, fused=True)


def autocast(device: torch.device, precision: str) -> torch.autocast:
    """The context in which the network runs."""
    return torch.autocast(device.type, torch.bfloat16, enabled=precision == "bf16")


def find_device(name: str) -> torch.device:
    """The device of a name; `auto` is the best that is there."""
    if name == "auto":
        return best_device()
    try:
        return torch.empty(0, device=name).device
    except (RuntimeError, AssertionError) as error:
        raise InvalidConfig(f"device {name!r}: {error}") from error


def find_precision(name: str, device: torch.device) -> str:
    """The precision of a name; `auto` is bf16 where the device computes in it."""
    if name != "auto":
        return name
    return "bf16" if has_bf16(device) else "fp32"


def _copies(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    return {name: tensor.detach().clone() for name, tensor in tensors.items()}


@torch.no_grad()
def _overwrite(tensors: Mapping[str, Tensor], values: Mapping[str, Tensor]) -> None:
    for name, tensor in tensors.items():
        tensor.copy_(values[name])


def _in_layout(value: Tensor, parameter: Tensor) -> Tensor:
    """A copy on the parameter's device, and in its memory layout if it has its shape."""
    if value.shape != parameter.shape:
        return value.to(parameter.device, copy=True)
    return torch.empty_like(parameter, requires_grad=False).copy_(value)


def _as_numpy(value: Any) -> Any:
    if isinstance(value, Tensor):
        return value.detach().cpu().contiguous().numpy().copy()
    return {key: _as_numpy(item) for key, item in value.items()} if isinstance(value, Mapping) else value


def _as_tensors(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return torch.tensor(value)
    return {key: _as_tensors(item) for key, item in value.items()} if isinstance(value, Mapping) else value
