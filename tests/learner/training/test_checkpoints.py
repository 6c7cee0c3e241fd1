import shutil

import numpy as np
import pytest

from gobang.errors import InvalidCheckpoint, VersionGone
from gobang.network.checkpoint import checkpoint_to_bytes, fresh_checkpoint, load_checkpoint
from gobang.run_folder import RunFolder, best_weights, state_path, state_versions, weights_path
from gobang.types import Variant
from learner.training.checkpoints import CheckpointConfig, CheckpointStore
from tests.power_cut import PowerCut, needs_proc


@pytest.fixture(scope="module")
def blob() -> bytes:
    from gobang.network.spec import NetworkSpec

    spec = NetworkSpec(options={"blocks": 1, "filters": 4, "head_filters": 2, "value_units": 4})
    return checkpoint_to_bytes(fresh_checkpoint(spec, Variant.square(5, k=4)))


@pytest.fixture
def folder(tmp_path) -> RunFolder:
    folder = RunFolder(tmp_path)
    folder.create("")
    return folder


def make_store(folder: RunFolder, blob: bytes, versions: range) -> CheckpointStore:
    store = CheckpointStore(folder, CheckpointConfig(keep_latest=3, keep_each=5))
    for version in versions:
        store.save(version, blob, {"step": version, "array": np.arange(3)})
    return store


def test_the_newest_comes_back(folder, blob):
    saved = make_store(folder, blob, range(3)).newest()
    assert (saved.version, saved.weights, saved.state["step"]) == (2, blob, 2)


@needs_proc
def test_weights_are_never_seen_before_their_state_is_safe(folder, blob, monkeypatch):
    disk, seen = PowerCut(monkeypatch), []

    def look(source, target):
        if target.parent == folder.weights:
            seen.append(disk.survivor(state_path(folder, 0)))

    disk.before_rename = look
    make_store(folder, blob, range(1))
    assert seen == [state_path(folder, 0).read_bytes()]
    assert disk.survivor(weights_path(folder, 0)) == blob


@needs_proc
def test_a_promotion_survives_a_power_cut_as_soon_as_it_is_told(folder, blob, monkeypatch):
    store, disk = make_store(folder, blob, range(2)), PowerCut(monkeypatch)
    store.promote(1)
    assert disk.survivor(folder.best) == b'{"version": 1}'
    assert disk.survivor(best_weights(folder)) == blob


@pytest.mark.parametrize("what", ["weights", "state"])
def test_a_truncated_newest_is_skipped_with_a_word(folder, blob, caplog, what):
    store = make_store(folder, blob, range(3))
    path = getattr(folder, what) / "00000002.safetensors"
    path.write_bytes(path.read_bytes()[:-10])
    assert store.newest().version == 1
    assert store.damaged == 1
    assert [record.message[:32] for record in caplog.records] == ["checkpoint 2 cannot be used, so "]


def test_no_version_comes_twice_even_if_it_was_never_seen(folder, blob):
    store = make_store(folder, blob, range(2))
    weights_path(folder, 1).unlink()
    assert (store.highest(), store.versions()) == (1, [0])


def test_old_versions_go_but_not_the_best_nor_each_fifth(folder, blob):
    store = make_store(folder, blob, range(13))
    store.promote(7)
    store.prune()
    assert store.versions() == [0, 5, 7, 10, 11, 12]
    assert state_versions(folder) == [10, 11, 12]


def test_the_best_is_found_again_and_has_a_file_of_its_own(folder, blob):
    store = make_store(folder, blob, range(3))
    assert store.best() is None
    assert store.promote(1) == blob
    assert CheckpointStore(folder, CheckpointConfig()).best() == 1
    assert load_checkpoint(best_weights(folder)).variant == Variant.square(5, k=4)


def test_damaged_weights_come_back_from_the_copy_of_the_best_if_it_is_whole_and_of_their_version(folder, blob):
    store = make_store(folder, blob, range(2))
    store.promote(0)
    for version in range(2):
        weights_path(folder, version).write_bytes(b"half")
    assert [store.holds_best(version) for version in range(2)] == [True, False]
    assert store.read(0) == blob
    for path in (best_weights(folder), weights_path(folder, 0)):
        path.write_bytes(b"half")
    assert not store.holds_best(0)
    assert store.damaged == 3


def test_what_a_crash_left_is_cleaned_up(folder, blob):
    store = make_store(folder, blob, range(1))
    store.promote(0)
    best_weights(folder).write_bytes(b"half")
    half = ".00000001.safetensors.0123456789abcdef.unfinished"
    for name in (half, ".gitignore"):
        (folder.state / name).write_bytes(b"half")
    store.clean()
    assert [path.name for path in folder.state.glob(".*")] == [".gitignore"]
    store.promote(0)  # as at every start
    assert best_weights(folder).read_bytes() == blob


def test_a_version_that_is_gone_is_refused_with_those_that_are_kept(folder, blob):
    with pytest.raises(VersionGone, match="version 7 is not kept; there are 0, 1"):
        make_store(folder, blob, range(2)).read(7)


@pytest.mark.parametrize("what", ["all states", "the folder of states", "the folder of weights"])
def test_weights_that_cannot_be_gone_on_from_are_no_reason_to_begin_anew(folder, blob, what):
    store = make_store(folder, blob, range(3))
    store.promote(1)
    best = best_weights(folder).read_bytes()
    if what == "all states":
        for path in folder.state.iterdir():
            path.write_bytes(b"")
    else:
        shutil.move(folder.state if what == "the folder of states" else folder.weights, folder.root / "elsewhere")
    with pytest.raises(
        InvalidCheckpoint, match=r"no version can be gone on from.*gobang train --run .*begin_with="
    ) as told:
        store.newest()
    assert "\n" not in str(told.value)
    if what != "the folder of weights":
        assert best_weights(folder).read_bytes() == best


def test_a_first_version_that_was_cut_off_is_begun_anew(folder, blob):
    store = make_store(folder, blob, range(1))
    weights_path(folder, 0).unlink()
    assert store.newest() is None


def test_a_best_that_the_disk_does_not_give_is_not_taken_for_none(folder, blob):
    store = make_store(folder, blob, range(3))
    folder.best.mkdir()
    with pytest.raises(IsADirectoryError):
        store.best()
