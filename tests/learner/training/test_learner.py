from dataclasses import replace

import numpy as np
import pytest

from gobang.errors import InvalidCheckpoint, VersionGone
from gobang.network.checkpoint import load_checkpoint
from gobang.network.spec import NetworkSpec
from gobang.run_folder import RunFolder, weights_path
from gobang.types import Variant
from learner.training.bench import random_samples
from learner.training.checkpoints import CheckpointConfig
from learner.training.learner import Learner, LearnerConfig
from learner.training.learning_rate import LearningRateConfig
from learner.training.trainer import TrainerConfig

VARIANT = Variant.square(5, k=4)
SPEC = NetworkSpec(options={"blocks": 1, "filters": 8, "head_filters": 4, "value_units": 8})
TRAINER = TrainerConfig(learning_rate=LearningRateConfig(peak=1e-2, final=1e-2), average_decay=0.9, precision="fp32")


class FixedExperience:
    """Sixty-four positions that never change, and a limiter that counts."""

    def __init__(self, allowed: int = 1_000_000, variant: Variant = VARIANT) -> None:
        self._samples = random_samples(variant, 64, np.random.default_rng(3))
        self.allowed = allowed
        self.drawn = 0

    def take_in(self, newest):
        pass

    def draw(self, count, random):
        self.drawn += count
        if self.drawn > self.allowed:
            return None
        rows = random.integers(64, size=count)
        batch, boards = self._samples, self._samples.boards
        names = ("policy", "search_chances", "result_chances", "reply", "stage", "weights_version", "weight")
        columns = {name: getattr(boards, name)[rows] for name in ("cells", "to_move", "last_moves")}
        return replace(batch, boards=replace(boards, **columns), **{name: getattr(batch, name)[rows] for name in names})

    def values(self):
        return {"games": 8, "positions": 64, "window": 64}


@pytest.fixture
def folder(tmp_path) -> RunFolder:
    folder = RunFolder(tmp_path)
    folder.create("")
    return folder


def make(
    folder: RunFolder,
    *,
    every_steps: int = 1000,
    experience: FixedExperience | None = None,
    variant: Variant = VARIANT,
    begin_with: str | None = None,
) -> Learner:
    return Learner(
        variant=variant,
        network=replace(SPEC, features="players"),
        trainer=TRAINER,
        config=LearnerConfig(batch=32, begin_with=begin_with, checkpoints=CheckpointConfig(every_steps=every_steps)),
        folder=folder,
        experience=experience or FixedExperience(),
        seed=5,
    )


def train(learner: Learner, steps: int) -> Learner:
    assert all(learner.advance() for _ in range(steps))
    return learner


def weights_of(learner: Learner) -> dict[str, np.ndarray]:
    return learner.trainer.export_state()


def test_untrained_weights_are_published_at_once_and_are_the_best(folder):
    learner = make(folder)
    checkpoint = load_checkpoint(learner.weights("latest", known=-1), variant=VARIANT)
    assert (checkpoint.version, checkpoint.step, learner.best) == (0, 0, 0)
    assert learner.weights("latest", known=0) is None


def test_it_can_begin_with_weights_of_another_board(folder, tmp_path):
    smaller = RunFolder(tmp_path / "smaller")
    smaller.create("")
    taught = train(make(smaller), 3)
    taught.publish()
    path = weights_path(smaller, 1)
    learner = make(folder, variant=Variant.square(7), begin_with=str(path))
    assert learner.version == 0
    expected, got = weights_of(taught), load_checkpoint(learner.weights("latest", known=-1)).tensors
    assert all(np.array_equal(expected[name], got[name]) for name in expected)
    train(learner, 2)  # the file is not looked at again
    learner.publish()
    path.unlink()
    assert make(folder, variant=Variant.square(7), begin_with=str(path)).steps == 2


def test_the_loss_falls(folder):
    learner = make(folder)
    first = train(learner, 1).values()["loss"]
    last = train(learner, 160).values()["loss"]
    assert last < first - 0.1


def test_it_waits_for_the_limiter(folder):
    learner = make(folder, experience=FixedExperience(allowed=64))
    assert [learner.advance() for _ in range(3)] == [True, True, False]
    assert learner.steps == 2


def test_a_version_comes_every_few_steps(folder):
    learner = train(make(folder, every_steps=3), 7)
    assert learner.version == 2
    checkpoint = load_checkpoint(learner.weights("2", known=-1))
    assert (checkpoint.version, checkpoint.step, checkpoint.games) == (2, 6, 8)
    assert learner.identify("2") == learner.identify("latest")
    assert learner.identify("2") != learner.identify("1")


def test_a_restart_continues_bit_for_bit(folder, tmp_path):
    learner = train(make(folder, every_steps=5), 5)
    again = make(folder, every_steps=5)
    assert (again.steps, again.version) == (5, 1)
    train(learner, 4)
    train(again, 4)
    before, after = weights_of(learner), weights_of(again)
    assert all(np.array_equal(before[name], after[name]) for name in before)


def test_versions_go_on_after_a_truncated_newest(folder):
    train(make(folder, every_steps=2), 4)
    path = weights_path(folder, 2)
    path.write_bytes(path.read_bytes()[:100])
    learner = make(folder)
    assert (learner.steps, learner.version) == (2, 3)
    assert learner.weights("latest", known=2) is not None
    assert learner.values()["damaged"] == 1


def test_the_best_survives_a_restart(folder):
    learner = train(make(folder, every_steps=1), 3)
    learner.promote(2)
    again = make(folder)
    assert again.best == 2
    assert load_checkpoint(again.weights("best", known=-1)).version == 2
    assert load_checkpoint(folder.weights / "best.safetensors").version == 2


def test_a_full_disk_leaves_the_last_version_and_is_tried_again(folder, monkeypatch, caplog):
    learner = make(folder, every_steps=1)

    def fail(*_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("learner.training.checkpoints.write_atomically", fail)
        train(learner, 2)
        assert learner.version == 0
    train(learner, 1)
    assert learner.version == 1
    assert caplog.text.count("cannot be written") == caplog.text.count("can be written again") == 1


@pytest.mark.parametrize("which", ["newest", "17", "-1"])
def test_other_weights_are_refused(folder, which):
    with pytest.raises((InvalidCheckpoint, VersionGone), match=which):
        make(folder).weights(which, known=-1)


def promoted_and_damaged(folder, *damaged):
    """A folder of three versions, of which 2 is the best; these files are cut off."""
    train(make(folder, every_steps=1), 3).promote(2)
    for path in damaged:
        path.write_bytes(path.read_bytes()[:100])


def test_a_damaged_best_comes_back_from_its_copy(folder):
    promoted_and_damaged(folder, weights_path(folder, 2))
    again = make(folder)
    assert (again.version, again.best, again.values()["damaged"]) == (3, 2, 1)
    assert weights_path(folder, 2).read_bytes() == (folder.weights / "best.safetensors").read_bytes()


def test_a_best_that_is_lost_does_not_keep_the_learner_from_starting(folder, caplog):
    promoted_and_damaged(folder, weights_path(folder, 2), folder.weights / "best.safetensors")
    again = make(folder)
    assert (again.version, again.best) == (3, 3)
    assert "version 2 cannot be used" in caplog.text


def test_training_goes_on_over_a_disk_that_fills_up(small_disk):
    folder = RunFolder(small_disk.place)
    folder.create("")
    learner = train(make(folder, every_steps=1), 2)
    small_disk.fill()
    train(learner, 3)
    assert learner.version == 2
    assert make(folder).version == 2  # what a restart finds is whole
    small_disk.free()
    train(learner, 1)
    assert load_checkpoint(weights_path(folder, learner.version)).step == 6
