import random
import re
import resource
import struct
from pathlib import Path

import numpy as np
import pytest
import torch

from gobang.errors import InvalidCheckpoint
from gobang.network.architectures.architecture import build
from gobang.network.checkpoint import Checkpoint, checkpoint_to_bytes, load_checkpoint, save_checkpoint
from gobang.network.spec import NetworkSpec
from gobang.types import Variant

VARIANT = Variant.square(8)
OPTIONS = {"blocks": 1, "filters": 8, "head_filters": 4, "value_units": 8}


def checkpoint(**changes: object) -> Checkpoint:
    spec = NetworkSpec(options=OPTIONS)
    values = {
        "spec": spec,
        "variant": VARIANT,
        "tensors": build(spec).arrays(),
        "version": 3,
        "step": 70,
        "games": 9,
    }
    return Checkpoint(**{**values, **changes})  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def content() -> bytes:
    return checkpoint_to_bytes(checkpoint())


def refused(content: bytes) -> bool:
    with pytest.raises(InvalidCheckpoint, match=f"{len(content)} bytes of weights: "):
        load_checkpoint(content)
    return True


def test_a_file_gives_back_what_was_saved(tmp_path: Path) -> None:
    saved = checkpoint()
    save_checkpoint(tmp_path / "best.safetensors", saved)
    loaded = load_checkpoint(tmp_path / "best.safetensors", variant=VARIANT, features="four")
    assert (loaded.spec, loaded.variant, loaded.version, loaded.step, loaded.games) == (saved.spec, VARIANT, 3, 70, 9)
    assert loaded.library
    assert list(tmp_path.iterdir()) == [tmp_path / "best.safetensors"]
    network = loaded.network()
    assert all(np.array_equal(array, saved.tensors[name]) for name, array in network.arrays().items())


def test_every_truncation_is_refused(content: bytes) -> None:
    lengths = [*range(0, len(content), 1024), *range(20), len(content) - 1]
    assert len(lengths) > 25
    assert all(refused(content[:length]) for length in lengths)


def test_every_flipped_bit_is_refused(content: bytes) -> None:
    generator = random.Random(5)
    header = struct.unpack("<Q", content[:8])[0]
    bits = [generator.randrange(8 * len(content)) for _ in range(700)]
    bits += [generator.randrange(8 * (8 + header)) for _ in range(236)] + list(range(64))
    for bit in bits:
        damaged = bytearray(content)
        damaged[bit // 8] ^= 1 << bit % 8
        assert refused(bytes(damaged))


def test_appended_and_foreign_bytes_are_refused(content: bytes) -> None:
    assert refused(content + b"\0")
    assert refused(b"PK\3\4" + bytes(5000))
    assert refused(struct.pack("<Q", 2) + b"{}")


@pytest.mark.parametrize(
    ("path", "reason"), [("absent", "No such file"), (".", "directory"), ("foreign", "not a file of weights")]
)
def test_the_message_names_file_and_reason(tmp_path: Path, path: str, reason: str) -> None:
    (tmp_path / "foreign").write_bytes(b"some other file")
    with pytest.raises(InvalidCheckpoint, match=reason) as caught:
        load_checkpoint(tmp_path / path)
    assert str(tmp_path / path) in str(caught.value)


@pytest.mark.parametrize(
    "variant", [Variant.square(8, k=4), Variant.square(8, rule="standard"), Variant.square(8, players=3)]
)
def test_weights_for_other_rules_are_refused(content: bytes, variant: Variant) -> None:
    with pytest.raises(InvalidCheckpoint, match="not for 8x8"):
        load_checkpoint(content, variant=variant)


def test_the_board_matters_only_to_a_network_of_one_board(content: bytes) -> None:
    assert load_checkpoint(content, variant=Variant.square(11)).version == 3
    with pytest.raises(InvalidCheckpoint, match="not for 11x11"):
        checkpoint(spec=NetworkSpec(options=OPTIONS, height=8, width=8)).check_plays(Variant.square(11))


def test_weights_for_other_features_are_refused(content: bytes) -> None:
    with pytest.raises(InvalidCheckpoint, match="features 'four', not 'two'"):
        load_checkpoint(content, features="two")


def test_weights_of_another_architecture_are_refused() -> None:
    wider = NetworkSpec(options={**OPTIONS, "filters": 12})
    with pytest.raises(InvalidCheckpoint, match="do not fit architecture 'gobang_net'"):
        load_checkpoint(checkpoint_to_bytes(checkpoint(spec=wider))).network()


def test_weights_that_are_not_finite_are_refused() -> None:
    tensors = checkpoint().tensors
    tensors["outcome.dense.bias"][1] = np.nan  # type: ignore[index]
    with pytest.raises(InvalidCheckpoint, match=r"outcome\.dense\.bias"):
        load_checkpoint(checkpoint_to_bytes(checkpoint(tensors=tensors)))


@pytest.mark.parametrize(
    "change", [{"version": "x"}, {"version": -1}, {"version": 10**30}, {"games": 1.5}, {"step": None}, {"step": True}]
)
def test_counters_of_a_stranger_are_whole_numbers(change: dict[str, object]) -> None:
    assert refused(checkpoint_to_bytes(checkpoint(**change)))


@pytest.mark.parametrize("library", ["\x1b[31m", "x" * 1000, ["0.1"]])
def test_no_message_shows_a_library_that_is_none(library: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gobang.network.checkpoint.VERSION", library)
    with pytest.raises(InvalidCheckpoint, match="written by no version of gobang"):
        load_checkpoint(checkpoint_to_bytes(checkpoint()))


def test_loading_draws_no_random_numbers(content: bytes) -> None:
    before = torch.get_rng_state()
    load_checkpoint(content).network()
    assert torch.equal(before, torch.get_rng_state())


def test_a_write_that_fails_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "best.safetensors"
    save_checkpoint(path, checkpoint())
    old = path.read_bytes()

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="No space"):
        save_checkpoint(path, checkpoint(version=4))
    assert path.read_bytes() == old
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("architecture", "options", "reason"),
    [
        ("gobang_net", {"filters": 100_000}, "filters is 100000, not a whole number (1 to 4096)"),
        ("gobang_net", {"blocks": 10_000}, "blocks is 10000, not a whole number (0 to 256)"),
        ("cascaded_attention", {"stages": 60}, "stages is 60, not a whole number (1 to 4)"),
        ("gobang_net", {"blocks": 1e9}, "blocks is 1000000000.0, not a whole number"),
        ("enormous", {}, "architecture 'enormous'"),
    ],
)
def test_a_description_that_asks_for_too_much_is_refused_before_a_network_is_built(
    architecture: str, options: dict[str, int], reason: str
) -> None:
    hostile = checkpoint_to_bytes(checkpoint(spec=NetworkSpec(architecture=architecture, options=options)))
    with pytest.raises(InvalidCheckpoint, match=re.escape(reason)) as refusal:
        load_checkpoint(hostile)
    assert len(str(refusal.value).splitlines()) == 1


def test_a_description_larger_than_its_weights_takes_no_memory() -> None:
    """As large as it may be, some 84 billion weights."""
    most = {"blocks": 256, "filters": 4096, "head_filters": 4096, "value_units": 65_536}
    foreign = load_checkpoint(checkpoint_to_bytes(checkpoint(spec=NetworkSpec(options=most))))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(InvalidCheckpoint, match="weights do not fit"):
        foreign.network()
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200_000  # kilobytes
