"""The judge asks a learner in its own process."""

from __future__ import annotations

import pytest

from gobang.errors import VersionGone
from gobang.network.checkpoint import load_checkpoint
from gobang.run_folder import RunFolder, weights_path
from learner.training.own_versions import OwnVersions
from tests.learner.training.test_learner import make, train


@pytest.fixture
def folder(tmp_path) -> RunFolder:
    folder = RunFolder(tmp_path)
    folder.create("")
    return folder


class Made:
    """Stands for an evaluator; remembers which version it was made of."""

    def __init__(self, blob):
        self.version = load_checkpoint(blob).version


def test_versions_are_asked_by_number_and_made_once(folder):
    learner = make(folder, every_steps=1)
    made = []
    versions = OwnVersions(learner, lambda blob: made.append(Made(blob)) or made[-1])
    train(learner, 2)
    assert versions.newest() == 2
    for version in (1, 2, 1, 2):
        with versions.evaluator(version) as evaluator:
            assert evaluator.version == version
    assert len(made) == 2
    versions.promote(1)
    assert learner.best == 1


def test_weights_that_are_damaged_or_not_there_are_gone(folder):
    learner = make(folder, every_steps=1)
    train(learner, 2)
    versions = OwnVersions(learner, Made)
    weights_path(folder, 1).write_bytes(b"damaged")
    for version in (1, 9):
        with pytest.raises(VersionGone), versions.evaluator(version):
            raise AssertionError("there is nothing to ask")
    with versions.evaluator(0) as evaluator:
        assert evaluator.version == 0
