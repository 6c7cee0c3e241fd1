"""The network of the works' loop and its update: up to five steps of Adam on one mini-batch.

The rate is multiplied by 1.5 after an update that changed the policy by less than half of the target, and divided by
1.5 after one that changed it by more than twice the target.  An update stops early at four times the target.  The
change is the KL divergence, on the mini-batch, from the policy before the update.  The network computes in bf16 where
the hardware does, which takes half of the time; weights and losses are float32.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from gobang.features import feature_planes
from gobang.network.architectures.architecture import fit
from gobang.network.architectures.model import NetworkOutput
from learner.paper.config import PaperConfig
from learner.replay.window.samples import Samples
from learner.training.losses import LossConfig, Targets, losses, make_targets, policy_divergence
from learner.training.trainer import autocast, find_precision, fresh_network
from learner.training.training_state import State

STEPS: Final = 5  # of one update
KL_TARGET: Final = 0.02
_STOP: Final = 4  # times the target
_FACTOR: Final = 1.5
_LEAST, _MOST = 0.1, 10.0  # multipliers that are still changed
_L2: Final = 1e-4
_LOSS: Final = LossConfig(reply_weight=0.0, result_share=1.0)
_CPU: Final = torch.device("cpu")


@dataclass(frozen=True, kw_only=True, slots=True)
class Update:
    """The result of one update; its losses are measured before the first step."""

    loss: float
    loss_policy: float
    value_mse: float
    entropy: float  # of the predicted policy
    kl: float
    steps: int
    learning_rate: float


class PaperTrainer:
    """Owns a network, Adam, and the multiplier of the rate."""

    def __init__(self, config: PaperConfig) -> None:
        torch.set_num_threads(1)
        self.spec = fit(config.network, config.game)
        self.precision = find_precision("auto", _CPU)  # of self-play and checks, too
        self.steps = 0
        self._rate, self._multiplier = config.rate, 1.0
        self._model = fresh_network(self.spec, seed=config.seed, device=_CPU)
        self._optimizer = torch.optim.Adam(self._model.parameters(), lr=config.rate, weight_decay=_L2)

    def learn(self, samples: Samples) -> Update:
        """Make up to five steps on the mini-batch, then adapt the multiplier."""
        planes = torch.from_numpy(feature_planes(self.spec.features, samples.boards))
        planes = planes.to(memory_format=torch.channels_last)
        targets = make_targets(samples, result_share=1.0, device=_CPU)
        self._optimizer.param_groups[0]["lr"] = rate = self._rate * self._multiplier
        output = self._answers(planes)
        before = output.policy.detach()
        first = losses(output, targets, _LOSS)
        kl, steps = 0.0, 0
        while steps < STEPS and kl <= _STOP * KL_TARGET:
            self._step(output, targets)
            steps += 1
            output = self._answers(planes)
            kl = policy_divergence(before, output.policy.detach()).item()
        self._adapt(kl)
        self.steps += steps
        return Update(
            loss=first.total.item(),
            loss_policy=first.policy.item(),
            value_mse=first.value_mse.item(),
            entropy=first.entropy.item(),
            kl=kl,
            steps=steps,
            learning_rate=rate,
        )

    def weights(self) -> dict[str, NDArray[np.float32]]:
        """Return copies of all weights."""
        return {name: tensor.detach().contiguous().numpy().copy() for name, tensor in self._model.state_dict().items()}

    def get_state(self) -> State:
        """Return all that `set_state` needs to go on."""
        moments = {
            name: {key: value.detach().contiguous().numpy().copy() for key, value in moment.items()}
            for name, moment in self._moments().items()
        }
        return {"weights": self.weights(), "moments": moments, "multiplier": self._multiplier, "steps": self.steps}

    def set_state(self, state: State) -> None:
        """Go on where `get_state` was called."""
        self._model.load_state_dict({name: torch.from_numpy(array) for name, array in state["weights"].items()})
        for name, parameter in self._model.named_parameters():
            if name in state["moments"]:
                self._optimizer.state[parameter] = {
                    key: _like(array, parameter) for key, array in state["moments"][name].items()
                }
        self._multiplier, self.steps = state["multiplier"], state["steps"]

    def _answers(self, planes: Tensor) -> NetworkOutput:
        with autocast(_CPU, self.precision):
            output: NetworkOutput = self._model(planes)
        return output

    def _step(self, output: NetworkOutput, targets: Targets) -> None:
        self._optimizer.zero_grad()
        losses(output, targets, _LOSS).total.backward()  # type: ignore[no-untyped-call]
        self._optimizer.step()

    def _adapt(self, kl: float) -> None:
        """Change the multiplier; its bounds are tested before the change, as in the works' loop."""
        if kl > 2 * KL_TARGET and self._multiplier > _LEAST:
            self._multiplier /= _FACTOR
        elif kl < KL_TARGET / 2 and self._multiplier < _MOST:
            self._multiplier *= _FACTOR

    def _moments(self) -> dict[str, dict[str, Tensor]]:
        """Return the optimiser's state by the names of the parameters."""
        state = self._optimizer.state
        return {name: state[parameter] for name, parameter in self._model.named_parameters() if parameter in state}


def _like(array: NDArray[np.float32], parameter: Tensor) -> Tensor:
    """Return the array in the parameter's memory layout, so that a resumed run rounds alike."""
    if array.shape != parameter.shape:
        return torch.tensor(array)
    return torch.empty_like(parameter, requires_grad=False).copy_(torch.from_numpy(array))
