import numpy as np
import pytest
import torch

from gobang.network.checkpoint import Checkpoint
from gobang.network.spec import NetworkSpec
from gobang.types import NO_MOVE, Boards, Variant
from learner.training import published
from learner.training.published import PublishedNetworks
from learner.training.trainer import Trainer, TrainerConfig

VARIANT = Variant.square(5, k=4)
SPEC = NetworkSpec(options={"blocks": 1, "filters": 8, "head_filters": 4})


def checkpoint(version: int) -> Checkpoint:
    tensors = Trainer(SPEC, TrainerConfig(), seed=version).export_state()
    return Checkpoint(spec=SPEC, variant=VARIANT, tensors=tensors, version=version, step=0, games=0)


def empty_boards(count: int) -> Boards:
    return Boards(
        variant=VARIANT,
        cells=np.zeros((count, 25), np.int8),
        to_move=np.zeros(count, np.int8),
        last_moves=np.full((count, 1), NO_MOVE, np.int16),
    )


def asked(networks: PublishedNetworks, *versions: int) -> list[float]:
    flat = np.full((len(versions), 25), 0.04, np.float32)
    return networks.divergences(np.array(versions, np.int32), empty_boards(len(versions)), flat).tolist()


@pytest.fixture
def networks() -> PublishedNetworks:
    networks = PublishedNetworks(torch.device("cpu"))
    for version in range(3):
        networks.add(checkpoint(version))
    return networks


def test_each_position_is_compared_with_the_network_of_its_version(networks):
    found = asked(networks, 2, 0, 2)
    assert found[0] == found[2] != found[1]
    assert found == pytest.approx(asked(networks, 2) + asked(networks, 0) + asked(networks, 2), rel=0.01)


def test_a_network_is_as_far_off_as_the_policy_is_unlikely_to_it(networks):
    sure = np.eye(1, 25, dtype=np.float32)
    (found,) = networks.divergences(np.zeros(1, np.int32), empty_boards(1), sure)
    assert found == pytest.approx(np.log(25), abs=1.0)
    assert 0 <= asked(networks, 0)[0] < found


def test_versions_that_there_is_no_room_for_are_not_a_number(networks, monkeypatch):
    monkeypatch.setattr(published, "BYTES", 1)
    networks.add(checkpoint(3))
    assert np.isnan(asked(networks, 1, 2, 3, 4)).tolist() == [True, False, False, True]
