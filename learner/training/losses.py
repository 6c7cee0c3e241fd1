"""The losses that a training step minimises, and their report.

The total is policy cross-entropy + loss of the chances + reply cross-entropy - entropy, each with its
weight.  The loss of the chances is a cross-entropy, or the squared error of the tanh head.  L2 is no part
of it: the optimiser decays the weights, and the report shows what that decay stands for.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from gobang.errors import InvalidConfig
from gobang.network.architectures.model import NetworkOutput
from gobang.types import NO_MOVE
from learner.replay.window.samples import STAGES, Samples

_LEAST_WEIGHT = 1e-12  # keeps a mean over no sample at 0


@dataclass(frozen=True, kw_only=True, slots=True)
class LossConfig:
    """Weights of the parts of the loss; the policy's is 1."""

    outcome_weight: float = 1.0
    reply_weight: float = 0.15  # only of a network with a reply head
    entropy_weight: float = 0.0  # above 0 keeps the policy from narrowing
    result_share: float = 0.5  # of the game's result in the value target; the rest is the search's value

    def __post_init__(self) -> None:
        for name in ("outcome_weight", "reply_weight", "entropy_weight"):
            weight = getattr(self, name)
            if not 0 <= weight < float("inf"):
                raise InvalidConfig(f"{name} {weight}: a weight is a finite number from 0")
        if not 0 <= self.result_share <= 1:
            raise InvalidConfig(f"result_share {self.result_share}: a share is 0 to 1")


@dataclass(frozen=True, kw_only=True, slots=True)
class LossReport:
    """One batch in numbers, before the step; means are weighted by importance.

    `value_accuracy` counts how often the likeliest outcome was the game's result.
    """

    total: float
    policy: float  # cross-entropy, nats; not below the entropy of the targets
    chances: float  # cross-entropy, or squared error of the tanh head
    value_mse: float  # squared error of the expected utility against the value target
    l2: float  # weight_decay / 2 * sum of the squares of the decayed weights, after the step
    entropy: float  # of the predicted policy, nats
    reply: float | None  # cross-entropy; None without a reply head
    kl: float | None  # from the policy before the step to the one after; None if not measured at this step
    value_accuracy: tuple[float | None, float | None, float | None]  # by stage; None where no sample was


@dataclass(frozen=True, kw_only=True, slots=True)
class Targets:
    """Samples as tensors on the trainer's device."""

    policy: Tensor  # [B, A] float32
    chances: Tensor  # [B, P + 1] float32, result and search value mixed
    result: Tensor  # [B] int64, index of the game's outcome
    reply: Tensor  # [B] int64, point or NO_MOVE
    stage: Tensor  # [B] int64
    weight: Tensor  # [B] float32, sums to 1


@dataclass(frozen=True, kw_only=True, slots=True)
class Losses:
    """The parts of the loss as scalar tensors; `total` carries the gradient."""

    total: Tensor
    policy: Tensor
    chances: Tensor
    value_mse: Tensor
    entropy: Tensor
    reply: Tensor | None


def make_targets(samples: Samples, *, result_share: float, device: torch.device) -> Targets:
    """The tensors to learn from."""
    result, search = torch.tensor(samples.result_chances), torch.tensor(samples.search_chances)
    weight = torch.tensor(samples.weight)
    return Targets(
        policy=torch.tensor(samples.policy).to(device),
        chances=(result_share * result + (1 - result_share) * search).to(device),
        result=result.argmax(dim=1).to(device),
        reply=torch.tensor(samples.reply.astype(np.int64)).to(device),
        stage=torch.tensor(samples.stage.astype(np.int64)).to(device),
        weight=(weight / weight.sum()).to(device),
    )


def losses(output: NetworkOutput, targets: Targets, config: LossConfig) -> Losses:
    """All parts for one batch, in float32."""
    log_policy = functional.log_softmax(output.policy.float(), dim=1)
    policy = _mean(cross_entropy(log_policy, targets.policy), targets)
    entropy = _mean(policy_entropy(log_policy if config.entropy_weight else log_policy.detach()), targets)
    wanted = targets.chances @ utilities(targets.chances)
    value_error = _mean((expected_value(output) - wanted).square(), targets)
    if output.value is None:
        chances = _mean(cross_entropy(functional.log_softmax(output.chances.float(), dim=1), targets.chances), targets)
    else:
        chances = value_error
    total = policy + config.outcome_weight * chances
    if config.entropy_weight:
        total = total - config.entropy_weight * entropy
    reply = None
    if output.reply is not None:
        reply = reply_loss(output.reply, targets)
        total = total + config.reply_weight * reply
    return Losses(total=total, policy=policy, chances=chances, value_mse=value_error, entropy=entropy, reply=reply)


def cross_entropy(log_probabilities: Tensor, targets: Tensor) -> Tensor:
    """[B] of two distributions [B, N]."""
    return -(targets * log_probabilities).sum(dim=1)


def policy_entropy(log_policy: Tensor) -> Tensor:
    """[B] nats."""
    return -(log_policy.exp() * log_policy).sum(dim=1)


def reply_loss(logits: Tensor, targets: Targets) -> Tensor:
    """Weighted mean cross-entropy over the samples that have a reply; 0 if none has."""
    log_reply = functional.log_softmax(logits.float(), dim=1)
    chosen = log_reply.gather(1, targets.reply.clamp(min=0)[:, None])[:, 0]
    weight = targets.weight * (targets.reply != NO_MOVE)
    return -(chosen * weight).sum() / weight.sum().clamp(min=_LEAST_WEIGHT)


def utilities(chances: Tensor) -> Tensor:
    """[P + 1] what each entry of chances is worth to the side to move."""
    players = chances.shape[1] - 1
    worth = chances.new_full((players + 1,), -1 / (players - 1))
    worth[0], worth[players] = 1, 0
    return worth


def expected_value(output: NetworkOutput) -> Tensor:
    """[B] expected utility for the side to move, -1 to 1."""
    if output.value is not None:
        return output.value.float()
    probabilities = functional.softmax(output.chances.float(), dim=1)
    return probabilities @ utilities(probabilities)


def stage_counts(chances: Tensor, targets: Targets) -> Tensor:
    """[2, 3] by stage: how often the greatest of chances [B, P + 1] was the result, and how many samples there are."""
    right = (chances.argmax(dim=1) == targets.result).float()
    stages = functional.one_hot(targets.stage, len(STAGES)).float()
    return torch.stack((right @ stages, stages.sum(dim=0)))


def collect_numbers(parts: Losses, counts: Tensor, gradient_norm: Tensor) -> Tensor:
    """One vector for one transfer from the device; `make_report` reads it."""
    reply = torch.zeros_like(parts.total) if parts.reply is None else parts.reply
    scalars = (gradient_norm, parts.total, parts.policy, parts.chances, parts.value_mse, parts.entropy, reply)
    return torch.cat((torch.stack(scalars), counts.flatten())).detach()


def make_report(numbers: list[float], *, has_reply: bool, l2: float, kl: float | None) -> LossReport:
    """The report from the numbers of `collect_numbers`."""
    _, total, policy, chances, value_mse, entropy, reply, *counts = numbers
    accuracy = [right / count if count else None for right, count in zip(counts[:3], counts[3:], strict=True)]
    return LossReport(
        total=total,
        policy=policy,
        chances=chances,
        value_mse=value_mse,
        l2=l2,
        entropy=entropy,
        reply=reply if has_reply else None,
        kl=kl,
        value_accuracy=(accuracy[0], accuracy[1], accuracy[2]),
    )


def policy_divergence(before: Tensor, after: Tensor) -> Tensor:
    """Mean KL from the policy with the logits `before` [B, A] to the one with `after`, nats."""
    log_before = functional.log_softmax(before.float(), dim=1)
    log_after = functional.log_softmax(after.float(), dim=1)
    return (log_before.exp() * (log_before - log_after)).sum(dim=1).mean()


def _mean(values: Tensor, targets: Targets) -> Tensor:
    return values @ targets.weight
