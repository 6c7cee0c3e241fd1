import math
from dataclasses import replace

import numpy as np
import pytest
import torch

from gobang.errors import InvalidConfig
from gobang.network.architectures.model import NetworkOutput
from learner.replay.window.samples import Samples
from learner.training.losses import (
    LossConfig,
    Targets,
    collect_numbers,
    expected_value,
    losses,
    make_report,
    make_targets,
    policy_divergence,
    stage_counts,
    utilities,
)

LOG = math.log
# Two samples, three points, two players.  Probabilities of sample 0 and 1:
POLICY = torch.tensor([[0.5, 0.25, 0.25], [0.1, 0.1, 0.8]])
CHANCES = torch.tensor([[0.7, 0.2, 0.1], [0.25, 0.25, 0.5]])
REPLY = torch.tensor([[0.2, 0.3, 0.5], [0.6, 0.2, 0.2]])
TARGETS = Targets(
    policy=torch.tensor([[1.0, 0.0, 0.0], [0.0, 0.5, 0.5]]),
    chances=torch.tensor([[1.0, 0.0, 0.0], [0.0, 0.5, 0.5]]),
    result=torch.tensor([0, 1]),
    reply=torch.tensor([2, -1]),
    stage=torch.tensor([0, 2]),
    weight=torch.tensor([0.75, 0.25]),
)


def output(*, value: torch.Tensor | None = None, reply: bool = False) -> NetworkOutput:
    """The probabilities above as logits, shifted because a shift must not matter."""
    return NetworkOutput(POLICY.log() + 3, CHANCES.log() - 2, value, REPLY.log() + 1 if reply else None)


def test_policy_and_chances_are_weighted_cross_entropies() -> None:
    parts = losses(output(), TARGETS, LossConfig(outcome_weight=2.0))
    policy = -0.75 * LOG(0.5) - 0.25 * (0.5 * LOG(0.1) + 0.5 * LOG(0.8))
    chances = -0.75 * LOG(0.7) - 0.25 * (0.5 * LOG(0.25) + 0.5 * LOG(0.5))
    assert parts.policy.item() == pytest.approx(policy, rel=1e-5)
    assert parts.chances.item() == pytest.approx(chances, rel=1e-5)
    assert parts.total.item() == pytest.approx(policy + 2 * chances, rel=1e-5)


def test_value_mse_compares_expected_utilities() -> None:
    parts = losses(output(), TARGETS, LossConfig())
    assert parts.value_mse.item() == pytest.approx(0.75 * (0.5 - 1) ** 2 + 0.25 * (0 + 0.5) ** 2, rel=1e-5)


def test_the_tanh_head_is_fitted_by_squared_error() -> None:
    parts = losses(output(value=torch.tensor([0.2, -0.9])), TARGETS, LossConfig())
    error = 0.75 * (0.2 - 1) ** 2 + 0.25 * (-0.9 + 0.5) ** 2
    assert parts.chances.item() == pytest.approx(error, rel=1e-5)
    assert parts.total.item() == pytest.approx(parts.policy.item() + error, rel=1e-5)


def test_entropy_is_reported_and_rewarded() -> None:
    entropy = 0.75 * (0.5 * LOG(2) + 0.5 * LOG(4)) - 0.25 * (0.2 * LOG(0.1) + 0.8 * LOG(0.8))
    plain = losses(output(), TARGETS, LossConfig())
    rewarded = losses(output(), TARGETS, LossConfig(entropy_weight=0.1))
    assert plain.entropy.item() == pytest.approx(entropy, rel=1e-5)
    assert rewarded.total.item() == pytest.approx(plain.total.item() - 0.1 * entropy, rel=1e-5)


def test_the_entropy_term_pushes_towards_uniform() -> None:
    logits = torch.tensor([[2.0, 0.0, 0.0], [0.0, 0.0, 0.0]], requires_grad=True)
    both = [losses(NetworkOutput(logits, CHANCES, None, None), TARGETS, LossConfig(entropy_weight=w)) for w in (0, 1)]
    (difference,) = torch.autograd.grad(both[1].total - both[0].total, logits)
    assert difference[0, 0] > 0
    assert difference[1].abs().max() < 1e-6


def test_the_reply_counts_where_there_is_one() -> None:
    parts = losses(output(reply=True), TARGETS, LossConfig(reply_weight=0.5))
    assert parts.reply is not None
    assert parts.reply.item() == pytest.approx(-LOG(0.5), rel=1e-5)
    without = losses(output(), TARGETS, LossConfig(reply_weight=0.5))
    assert parts.total.item() == pytest.approx(without.total.item() - 0.5 * LOG(0.5), rel=1e-5)


def test_no_reply_at_all_costs_nothing(samples: Samples) -> None:
    targets = make_targets(samples, result_share=0.5, device=torch.device("cpu"))
    targets.reply.fill_(-1)
    network = NetworkOutput(torch.zeros(16, 25), torch.zeros(16, 3), None, torch.randn(16, 25))
    assert losses(network, targets, LossConfig()).reply == 0


def test_a_loss_in_three_player_games_is_worth_half() -> None:
    assert utilities(torch.zeros(5, 4)).tolist() == [1.0, -0.5, -0.5, 0.0]
    even = NetworkOutput(POLICY, torch.zeros(2, 4), None, None)
    assert expected_value(even).tolist() == pytest.approx([0.0, 0.0])


def test_divergence_is_from_the_old_policy_to_the_new() -> None:
    before, after = torch.tensor([[0.5, 0.5]]), torch.tensor([[0.9, 0.1]])
    expected = 0.5 * LOG(0.5 / 0.9) + 0.5 * LOG(0.5 / 0.1)
    assert policy_divergence(before.log() + 5, after.log()).item() == pytest.approx(expected, rel=1e-5)


def test_the_value_target_mixes_result_and_search(samples: Samples) -> None:
    search = np.tile(np.array([0.2, 0.3, 0.5], np.float32), (16, 1))
    result = np.tile(np.array([0.0, 1.0, 0.0], np.float32), (16, 1))
    mixed = replace(samples, search_chances=search, result_chances=result)
    targets = make_targets(mixed, result_share=0.75, device=torch.device("cpu"))
    assert targets.chances[3].tolist() == pytest.approx([0.05, 0.825, 0.125])
    assert targets.result.tolist() == [1] * 16
    assert targets.weight.sum().item() == pytest.approx(1)
    assert (targets.weight / targets.weight[0]).numpy() == pytest.approx(samples.weight / samples.weight[0])


def test_the_report_has_accuracy_by_stage() -> None:
    parts = losses(output(reply=True), TARGETS, LossConfig())
    counts = stage_counts(output().chances, TARGETS)
    numbers = collect_numbers(parts, counts, torch.tensor(7.0)).tolist()
    report = make_report(numbers, has_reply=True, l2=0.25, kl=None)
    assert numbers[0] == 7
    assert report.value_accuracy == (1.0, None, 0.0)
    assert (report.l2, report.kl) == (0.25, None)
    assert report.total == pytest.approx(parts.total.item())
    assert report.reply == pytest.approx(-LOG(0.5))
    assert make_report(numbers, has_reply=False, l2=0.0, kl=0.1).reply is None


@pytest.mark.parametrize(
    ("field", "value"), [("result_share", 1.5), ("outcome_weight", -1.0), ("entropy_weight", np.nan)]
)
def test_a_bad_config_names_value_and_reason(field: str, value: float) -> None:
    with pytest.raises(InvalidConfig, match=f"{field} {value}: a "):
        LossConfig(**{field: value})
