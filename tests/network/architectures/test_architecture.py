from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

from gobang.errors import InvalidConfig
from gobang.features import feature_planes
from gobang.network.architectures.architecture import ARCHITECTURES, build, fit
from gobang.network.architectures.model import GobangNetwork, logits_from_value
from gobang.network.spec import NetworkSpec
from gobang.types import EMPTY, NO_MOVE, Positions, Variant

SMALL: dict[str, dict[str, Any]] = {
    "gobang_net": {"blocks": 2, "filters": 16},
    "line_net": {"filters": 16},
    "resnet": {"blocks": 1, "filters": 32},
    "resnet18": {"filters": 8},
    "cascaded_attention": {"stages": 4, "filters": 8},
}


def small(name: str, variant: Variant, **fields: Any) -> GobangNetwork:
    """A network of the architecture with few filters, fitted to the variant."""
    return build(fit(NetworkSpec(architecture=name, options=SMALL.get(name, {}), **fields), variant))


def random_planes(network: GobangNetwork, batch: int, height: int, width: int) -> Tensor:
    planes = (torch.rand(batch, network.spec.planes, height, width) < 0.3).float()
    planes[0, :, 0, 0] = 1  # as where black is to move
    return planes


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("size", [3, 5, 8, 11, 15])
@pytest.mark.parametrize("name", ARCHITECTURES)
def test_forward_and_backward(name: str, size: int, players: int) -> None:
    variant = Variant.square(size, k=3, players=players)
    network = small(name, variant, features="players", reply_head=True)
    output = network(random_planes(network, 4, size, size))
    assert output.policy.shape == output.reply.shape == (4, variant.points)
    assert output.chances.shape == (4, players + 1)
    assert output.value is None
    parts = (output.policy, output.chances, output.reply)
    sum((part * torch.randn_like(part)).sum() for part in parts).backward()
    assert all(torch.isfinite(part).all() for part in parts)
    for parameter_name, parameter in network.named_parameters():
        assert parameter.grad is not None, parameter_name
        assert torch.isfinite(parameter.grad).all(), parameter_name
        # With one key alone, as on small boards, nothing depends on the query.
        assert parameter.grad.any() or "query" in parameter_name, parameter_name


@pytest.mark.parametrize("name", ARCHITECTURES)
def test_rectangles_and_the_largest_board(name: str) -> None:
    for variant in (Variant(height=6, width=9), Variant.square(22)):
        network = small(name, variant).eval()
        output = network(random_planes(network, 1, variant.height, variant.width))
        assert output.policy.shape == (1, variant.points)
        assert torch.isfinite(output.policy).all()


@pytest.mark.parametrize("name", ARCHITECTURES)
def test_a_position_is_evaluated_alone(name: str) -> None:
    network = small(name, Variant.square(8)).eval()
    planes = random_planes(network, 4, 8, 8)
    together, alone = network(planes), network(planes[2:3])
    torch.testing.assert_close(alone.policy, together.policy[2:3], atol=1e-5, rtol=1e-4)
    torch.testing.assert_close(alone.chances, together.chances[2:3], atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("name", ARCHITECTURES)
def test_same_seed_same_weights(name: str) -> None:
    states = []
    for _ in range(2):
        torch.manual_seed(7)
        states.append(small(name, Variant.square(5)).state_dict())
    assert all(torch.equal(states[0][key], states[1][key]) for key in states[0])


@pytest.mark.parametrize("name", [name for name, kind in ARCHITECTURES.items() if kind.any_board])
def test_several_boards_are_played_with_the_same_weights(name: str) -> None:
    network = small(name, Variant.square(8)).eval()
    assert (network.spec.height, network.spec.width) == (None, None)
    for height, width in ((3, 3), (5, 9), (8, 8), (19, 19)):
        assert network(random_planes(network, 2, height, width)).policy.shape == (2, height * width)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_scalar_value_is_the_expected_utility(players: int) -> None:
    network = small("cnn3", Variant.square(5, players=players), scalar_value=True).eval()
    output = network(random_planes(network, 8, 5, 5))
    wins = output.chances.softmax(1)
    assert wins.shape == (8, players + 1)
    utility = wins[:, 0] - wins[:, 1:players].sum(1) / (players - 1)
    torch.testing.assert_close(utility, output.value, atol=1e-4, rtol=0.0)
    assert (wins[:, -1] < 1e-5).all()


def test_extreme_values_stay_finite() -> None:
    logits = logits_from_value(torch.tensor([-1.0, 1.0]), players=3)
    assert torch.isfinite(logits).all()
    torch.testing.assert_close(logits.softmax(1)[1, 0], torch.tensor(1.0), atol=1e-5, rtol=0.0)


def fixed_positions(count: int, variant: Variant) -> tuple[Positions, Tensor]:
    """Random positions, each with an empty point of its own to be learned by heart."""
    random = np.random.default_rng(0)
    cells = np.zeros((count, variant.points), np.int8)
    for row in cells:
        stones = int(random.integers(2, variant.points - 5))
        row[random.permutation(variant.points)[:stones]] = np.arange(stones) % 2 + 1
    to_move = ((cells != EMPTY).sum(1) % 2).astype(np.int8)
    positions = Positions(
        variant=variant,
        cells=cells,
        to_move=to_move,
        last_moves=np.full((count, variant.moves_shown), NO_MOVE, np.int16),
        key=np.arange(count, dtype=np.uint64),
    )
    return positions, torch.tensor([int(random.choice(np.flatnonzero(row == EMPTY))) for row in cells])


def settle_batch_norm(network: nn.Module, planes: Tensor) -> None:
    """Bring the running statistics to those of the data."""
    with torch.no_grad():
        for _ in range(40):
            network(planes)
    network.eval()


@pytest.mark.parametrize("name", ARCHITECTURES)
def test_learns_256_positions_by_heart(name: str) -> None:
    positions, targets = fixed_positions(256, Variant.square(5, k=4))
    network = small(name, positions.variant)
    planes = torch.from_numpy(feature_planes(network.spec.features, positions))
    optimizer = torch.optim.Adam(network.parameters(), 1e-2)
    for _ in range(120):
        loss = functional.cross_entropy(network(planes).policy, targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if loss < 0.02:
            break
    settle_batch_norm(network, planes)
    assert functional.cross_entropy(network(planes).policy, targets) < 0.05


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (NetworkSpec(architecture="resnet19"), "did you mean resnet18"),
        (NetworkSpec(options={"block": 2}), "did you mean network.options.blocks"),
        (NetworkSpec(options={"blocks": "2"}), "blocks is '2'"),
        (NetworkSpec(options={"blocks": -1}), r"network.options.blocks is -1, not a whole number \(0 to 256\)"),
        (NetworkSpec(architecture="mlp", options={"layers": 0}), "layers is 0"),
        (NetworkSpec(architecture="cnn_transformer", options={"heads": 3}), "heads 3"),
        (NetworkSpec(architecture="cascaded_attention", options={"filters": 5}), "filters 5: an even number"),
        (NetworkSpec(architecture="cnn3", options={"policy_filters": 0}), "policy_filters is 0"),
        (NetworkSpec(architecture="line_net", features="four_colour"), "features 'four_colour': line_net reads own"),
        (NetworkSpec(architecture="cnn3"), "give it height and width"),
    ],
)
def test_unsound_specs_are_refused(spec: NetworkSpec, message: str) -> None:
    with pytest.raises(InvalidConfig, match=message):
        build(spec)
