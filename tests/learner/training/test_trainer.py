import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from gobang.errors import InvalidCheckpoint, InvalidConfig, NonFiniteWeights
from gobang.features import feature_planes
from gobang.network.checkpoint import Checkpoint, checkpoint_to_bytes, load_checkpoint
from gobang.network.spec import NetworkSpec
from gobang.types import Variant
from learner.replay.window.samples import Samples, with_random_symmetry
from learner.training.bench import random_samples
from learner.training.learning_rate import LearningRateConfig
from learner.training.losses import LossConfig
from learner.training.trainer import StepReport, Trainer, TrainerConfig, find_precision
from learner.training.training_state import load_training_state, save_training_state

FAST = LearningRateConfig(schedule="constant", peak=0.01)


def make(spec: NetworkSpec, *, seed: int = 0, **values: Any) -> Trainer:
    values = {"precision": "fp32", "learning_rate": FAST} | values
    return Trainer(spec, TrainerConfig(**values), seed=seed)


def flat(state: Any, name: str = "") -> dict[str, Any]:
    """Leaves of a nested dict by path; arrays as bytes, so that equal means bit-identical."""
    if isinstance(state, dict):
        return {key: value for part, item in state.items() for key, value in flat(item, f"{name}/{part}").items()}
    return {name: np.asarray(state).tobytes() if isinstance(state, np.ndarray | torch.Tensor) else state}


def learned(trainer: Trainer) -> dict[str, Any]:
    """All that a step may change, but the counters."""
    return {name: value for name, value in flat(trainer.get_state()).items() if not name.startswith("/counters")}


def spoil_samples(trainer: Trainer, samples: Samples) -> Samples:
    policy = samples.policy.copy()
    policy[3, 4] = np.nan
    return replace(samples, policy=policy)


def spoil_gradient(trainer: Trainer, samples: Samples) -> Samples:
    next(trainer.model.parameters()).register_hook(lambda gradient: gradient * float("inf"))
    return samples


def spoil_weight(trainer: Trainer, samples: Samples) -> Samples:
    with torch.no_grad():
        next(trainer.model.parameters())[0, 1, 2, 0] = float("nan")
    return samples


SPOILERS = [(spoil_samples, "loss"), (spoil_gradient, "gradient"), (spoil_weight, "loss")]


@pytest.mark.parametrize("optimizer", ["adamw", "sgd"])
def test_a_small_fixed_set_is_learned_by_heart(spec: NetworkSpec, optimizer: str) -> None:
    samples = random_samples(Variant.square(5, k=4), 32, np.random.default_rng(1))
    best = np.eye(25, dtype=np.float32)[samples.policy.argmax(axis=1)]
    peak = 0.01 if optimizer == "adamw" else 0.1
    wide = replace(spec, options={"blocks": 1, "filters": 32}, reply_head=False)
    trainer = make(wide, optimizer=optimizer, learning_rate=LearningRateConfig(schedule="constant", peak=peak))
    reports = [trainer.step(replace(samples, policy=best)).losses for _ in range(250)]
    assert reports[0] is not None
    assert reports[-1] is not None
    assert reports[0].policy > 2.5
    assert reports[-1].policy < 0.05
    assert reports[-1].value_accuracy[1] == 1.0


@pytest.mark.parametrize(("spoil", "fault"), SPOILERS)
def test_what_is_not_finite_changes_nothing(
    spec: NetworkSpec, samples: Samples, spoil: Callable[[Trainer, Samples], Samples], fault: str
) -> None:
    trainer = make(spec, average_decay=0.9)
    trainer.step(samples)
    spoiled = spoil(trainer, samples)
    before = learned(trainer)
    report = trainer.step(spoiled)
    assert (report.fault, report.losses, report.step, report.skipped, report.reverted) == (fault, None, 1, 1, 0)
    assert learned(trainer) == before


def test_three_faults_in_a_row_go_back_to_the_last_good_state(spec: NetworkSpec, samples: Samples) -> None:
    trainer = make(spec, average_decay=0.9, snapshot_every=2)
    trainer.step(samples)
    trainer.step(samples)
    good = learned(trainer)  # kept by the third step, once that has proved it
    trainer.step(samples)
    spoil_weight(trainer, samples)
    reports = [trainer.step(samples) for _ in range(3)]
    assert [(report.skipped, report.reverted) for report in reports] == [(1, 0), (2, 0), (3, 1)]
    assert learned(trainer) == good
    assert trainer.step(samples).fault is None


def test_a_good_step_between_faults_starts_the_count_anew(spec: NetworkSpec, samples: Samples) -> None:
    trainer = make(spec)
    bad = spoil_samples(trainer, samples)
    reports = [trainer.step(batch) for batch in (bad, bad, samples, bad, bad)]
    assert (reports[-1].skipped, reports[-1].reverted, reports[-1].step) == (4, 0, 1)


def test_an_update_that_overflows_is_undone_at_once(spec: NetworkSpec, samples: Samples) -> None:
    huge = LearningRateConfig(schedule="constant", peak=3e38)
    trainer = make(spec, optimizer="sgd", learning_rate=huge, gradient_norm=1e6)
    before = learned(trainer)
    report = trainer.step(samples)
    assert (report.fault, report.reverted) == ("weights", 1)
    assert learned(trainer) == before


def test_spoilt_statistics_of_a_norm_do_not_pass(spec: NetworkSpec, samples: Samples) -> None:
    trainer = make(spec)
    trainer.step(samples)
    dict(trainer.model.named_buffers())["trunk.0.convolution.1.running_var"][0] = float("inf")
    assert trainer.step(samples).fault == "weights"
    assert trainer.export_state()["trunk.0.convolution.1.running_var"].max() < np.inf


@pytest.mark.parametrize(("average_decay", "part"), [(0.0, "model"), (0.9, "average")])
def test_only_finite_weights_are_exported(spec: NetworkSpec, samples: Samples, average_decay: float, part: str) -> None:
    trainer, name = make(spec, average_decay=average_decay), "policy.point.bias"
    trainer.step(samples)
    assert trainer.export_state().keys() == trainer.model.state_dict().keys()
    state = trainer.get_state()
    state[part][name][0] = float("inf")
    trainer.set_state(state)
    with pytest.raises(NonFiniteWeights, match=f"{name} at step 1: inf is no weight"):
        trainer.export_state()


def test_exported_weights_go_through_a_checkpoint(spec: NetworkSpec, samples: Samples) -> None:
    trainer = make(spec)
    trainer.step(samples)
    variant, weights = samples.boards.variant, trainer.export_state()
    content = checkpoint_to_bytes(Checkpoint(spec=spec, variant=variant, tensors=weights))
    network = load_checkpoint(content).network()
    planes = torch.from_numpy(feature_planes(spec.features, samples.boards))
    with torch.no_grad():
        assert torch.allclose(network(planes).policy, trainer.model.eval()(planes).policy, atol=1e-5)


def test_exported_weights_are_copies(spec: NetworkSpec, samples: Samples) -> None:
    trainer = make(spec)
    weights = trainer.export_state()
    kept = flat(weights)
    trainer.step(samples)
    assert flat(weights) == kept


def test_the_average_follows_the_weights(spec: NetworkSpec, samples: Samples) -> None:
    trainer, name = make(spec, average_decay=0.5), "policy.point.bias"
    expected = trainer.export_state()[name]
    for step in range(12):
        trainer.step(samples)
        share = 1 - min(0.5, (1 + step) / (10 + step))
        expected = expected + share * (trainer.model.arrays()[name] - expected)
    assert np.allclose(trainer.export_state()[name], expected)
    assert (trainer.export_state()[name] != trainer.model.arrays()[name]).all()


@pytest.mark.parametrize(
    ("optimizer", "schedule", "average_decay"), [("adamw", "cosine", 0.99), ("sgd", "kl", 0.0), ("adamw", "plateau", 0)]
)
def test_a_state_goes_on_bit_identically(
    spec: NetworkSpec, samples: Samples, optimizer: str, schedule: str, average_decay: float
) -> None:
    rate = LearningRateConfig(schedule=schedule, peak=0.01, final=1e-3, steps=20, window=3)
    values: dict[str, Any] = {"optimizer": optimizer, "learning_rate": rate, "average_decay": average_decay}
    values |= {"precision": "auto", "kl_every": 3}
    trainer = make(spec, **values)
    for _ in range(7):
        trainer.step(samples)
    resumed = make(spec, seed=5, **values)
    resumed.set_state(trainer.get_state())
    assert [resumed.step(samples) for _ in range(6)] == [trainer.step(samples) for _ in range(6)]
    assert flat(resumed.get_state()) == flat(trainer.get_state())


def run(trainer: Trainer, random: np.random.Generator, steps: int) -> list[StepReport]:
    pool = random_samples(Variant.square(5, k=4), 16, np.random.default_rng(7))
    return [trainer.step(with_random_symmetry(pool, random)) for _ in range(steps)]


RESUME = """
import sys
from pathlib import Path
import numpy as np
sys.path.insert(0, sys.argv[2])
import test_trainer
test_trainer.resume(Path(sys.argv[1]))
"""


def resume(folder: Path) -> None:
    """What the second process does: ten steps more."""
    state = load_training_state(folder / "half")
    trainer = make(NetworkSpec.from_dict(state["trainer"]["made_by"]["network"]), seed=99, average_decay=0.9)
    trainer.set_state(state["trainer"])
    random = np.random.default_rng()
    random.bit_generator.state = state["random"]
    run(trainer, random, 10)
    save_training_state(folder / "resumed", trainer.get_state())


def test_another_process_goes_on_bit_identically(spec: NetworkSpec, tmp_path: Path) -> None:
    whole, random = make(spec, average_decay=0.9), np.random.default_rng(3)
    run(whole, random, 10)
    save_training_state(tmp_path / "half", {"trainer": whole.get_state(), "random": random.bit_generator.state})
    run(whole, random, 10)
    here = str(Path(__file__).parent)
    subprocess.run([sys.executable, "-W", "error", "-c", RESUME, str(tmp_path), here], check=True, timeout=120)
    assert flat(load_training_state(tmp_path / "resumed")) == flat(whole.get_state())


def test_the_same_seed_gives_the_same_weights_and_leaves_torch_alone(spec: NetworkSpec) -> None:
    torch.manual_seed(4)
    before = torch.get_rng_state()
    weights = [flat(make(spec, seed=seed).export_state()) for seed in (1, 1, 2)]
    assert weights[0] == weights[1] != weights[2]
    assert (torch.get_rng_state() == before).all()


@pytest.mark.parametrize(
    "change", [{"optimizer": "sgd"}, {"average_decay": 0.5}, {"learning_rate": LearningRateConfig()}]
)
def test_the_state_of_another_trainer_is_refused(spec: NetworkSpec, change: dict[str, Any]) -> None:
    trainer = make(spec)
    before = learned(trainer)
    with pytest.raises(InvalidCheckpoint, match="training state made by"):
        trainer.set_state(make(spec, **change).get_state())
    with pytest.raises(InvalidCheckpoint, match="training state made by"):
        trainer.set_state(make(replace(spec, reply_head=False)).get_state())
    assert learned(trainer) == before


def test_kl_is_measured_at_every_nth_step(spec: NetworkSpec, samples: Samples) -> None:
    trainer = make(spec, kl_every=3)
    reports = [trainer.step(samples).losses for _ in range(7)]
    measured = [report is not None and report.kl is not None for report in reports]
    assert measured == [True, False, False, True, False, False, True]
    assert all(report.kl > 0 for report in reports if report and report.kl is not None)


def test_measuring_the_kl_changes_no_weight(spec: NetworkSpec, samples: Samples) -> None:
    often, seldom = make(spec, kl_every=1), make(spec, kl_every=1000)
    for _ in range(5):
        often.step(samples)
        seldom.step(samples)
    assert learned(often) == learned(seldom)


def test_the_step_is_as_long_as_the_cut_gradient_and_the_schedule_say(spec: NetworkSpec, samples: Samples) -> None:
    rates = LearningRateConfig(schedule="cosine", peak=0.1, final=0.01, steps=3)
    trainer = make(
        spec, optimizer="sgd", momentum=0.0, weight_decay=0.0, gradient_norm=0.01, kl_every=99, learning_rate=rates
    )
    for rate in (0.1, 0.0775, 0.0325, 0.01):
        before = [parameter.detach().clone() for parameter in trainer.model.parameters()]
        report = trainer.step(samples)
        moves = zip(trainer.model.parameters(), before, strict=True)
        length = sum((after - old).square().sum().item() for after, old in moves) ** 0.5
        assert report.gradient_norm is not None
        assert report.gradient_norm > 0.01
        assert length == pytest.approx(0.01 * report.learning_rate, rel=1e-3)
        assert report.learning_rate == pytest.approx(rate)


def test_weights_decay_but_biases_and_norms_do_not(spec: NetworkSpec, samples: Samples) -> None:
    trainer = make(spec, optimizer="sgd", momentum=0.0, weight_decay=50.0, gradient_norm=1e-9)
    before = [parameter.detach().clone() for parameter in trainer.model.parameters()]
    trainer.step(samples)
    for after, old in zip(trainer.model.parameters(), before, strict=True):
        share = 1 - 50.0 * FAST.peak if old.ndim > 1 else 1.0
        assert torch.allclose(after, share * old, atol=1e-7)


def test_l2_is_of_weights_but_not_of_biases_and_norms(spec: NetworkSpec, samples: Samples) -> None:
    trainer = make(spec, weight_decay=0.3)
    report = trainer.step(samples).losses
    weights = [array for array in trainer.export_state().values() if array.ndim > 1]
    assert report is not None
    assert report.l2 == pytest.approx(0.15 * sum(np.square(array).sum() for array in weights), rel=1e-4)
    assert len(weights) < len(list(trainer.model.parameters())) / 2


def test_the_scalar_head_and_three_players_and_other_boards(spec: NetworkSpec) -> None:
    trainer = make(replace(spec, scalar_value=True, players=3), loss=LossConfig(entropy_weight=0.01))
    for variant in (Variant.square(5, k=4, players=3), Variant(height=4, width=7, k=4, players=3)):
        report = trainer.step(random_samples(variant, 8, np.random.default_rng(1))).losses
        assert report is not None
        assert report.chances == report.value_mse > 0


def test_bf16_trains_as_fp32_but_for_rounding(spec: NetworkSpec, samples: Samples) -> None:
    losses = [make(spec, precision=precision).step(samples).losses for precision in ("bf16", "fp32")]
    assert losses[0] is not None
    assert losses[1] is not None
    assert losses[0].total != losses[1].total
    assert losses[0].total == pytest.approx(losses[1].total, rel=0.02)


def test_auto_precision_is_one_of_the_two() -> None:
    assert find_precision("auto", torch.device("cpu")) in ("bf16", "fp32")
    assert find_precision("auto", torch.device("mps")) == "fp32"
    assert find_precision("bf16", torch.device("mps")) == "bf16"


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"optimizer": "adam"}, "optimizer 'adam': one of adamw, sgd"),
        ({"precision": "fp16"}, "precision 'fp16': one of auto, bf16, fp32"),
        ({"weight_decay": -1.0}, "weight_decay -1.0: a finite number from 0"),
        ({"momentum": 1.0}, "momentum 1.0: from 0 to less than 1"),
        ({"average_decay": 1.5}, "average_decay 1.5: from 0 to less than 1"),
        ({"gradient_norm": 0.0}, "gradient_norm 0.0: above 0"),
        ({"threads": 0}, "threads 0: at least 1"),
        ({"snapshot_every": 0}, "snapshot_every 0: at least 1"),
    ],
)
def test_a_bad_config_names_value_and_reason(values: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidConfig, match=message):
        TrainerConfig(**values)


@pytest.mark.parametrize("device", ["cuda:7", "abacus"])
def test_a_device_that_is_not_there_is_named(spec: NetworkSpec, device: str) -> None:
    with pytest.raises(InvalidConfig, match=f"device '{device}'"):
        make(spec, device=device)
