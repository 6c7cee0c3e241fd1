"""What a learner tells a guest becomes a folder that the page can watch."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

import pytest

from gobang.errors import WeightsUnavailable
from gobang.network.checkpoint import checkpoint_to_bytes, fresh_checkpoint, load_checkpoint
from gobang.network.spec import NetworkSpec
from gobang.run_folder import RunFolder, weights_versions
from gobang.types import Variant
from learner.run.guest import Mirror
from learner.run.viewing import RunOnDisk
from learner.watching.metrics import Values

VARIANT = Variant.square(5, k=4)
SPEC = NetworkSpec(options={"blocks": 1, "filters": 4, "head_filters": 2, "value_units": 4})


class Learner:
    """A learner that has one file of weights for every version."""

    namespace = "gobang-5x5-1"

    def __init__(self) -> None:
        self.blob = checkpoint_to_bytes(fresh_checkpoint(SPEC, VARIANT))
        self.latest, self.best, self.is_away = 3, 1, False

    def weights(self, which: str, known: int) -> bytes | None:
        return self.blob

    def identify(self, which: str) -> tuple[int, str]:
        return self.latest if which == "latest" else self.best, hashlib.sha256(self.blob).hexdigest()

    def report(self) -> Values:
        if self.is_away:
            raise WeightsUnavailable("the learner does not answer")
        return {"step": 100.0 * self.latest, "version": self.latest, "loss": 2.5}


def test_the_mirror_of_a_learner_is_a_run(tmp_path: Path) -> None:
    learner, folder = Learner(), RunFolder(tmp_path / "run")
    with folder.locked():
        mirror = Mirror(learner, folder)  # type: ignore[arg-type]
        run = RunOnDisk(folder.root)
        assert run.state().versions == {"latest": 3, "best": 1}
        learner.latest = 4
        mirror.look()
        state = run.state()
        assert (state.variant, state.state, state.versions["latest"]) == (VARIANT, "running", 4)
        assert state.parts[0].doing == "trains: step 400, v4, loss 2.5"
        assert [line["step"] for line in run.metrics(0)[0]] == [300.0, 400.0]
        assert load_checkpoint(run.weights("best", -1) or b"").variant == VARIANT
        assert weights_versions(folder) == [1, 4]
        learner.is_away = True
        mirror.look()
        assert run.state().state == "the learner does not answer"
        assert run.state().values["loss"] == 2.5


@pytest.mark.parametrize("kind", ["damaged", "empty", "of another architecture"])
def test_weights_that_are_not_those_of_the_run_are_not_kept(tmp_path: Path, kind: str) -> None:
    learner, folder = Learner(), RunFolder(tmp_path / "run")
    with folder.locked():
        mirror = Mirror(learner, folder)  # type: ignore[arg-type]
        other = replace(SPEC, options={"blocks": 1, "filters": 8, "head_filters": 2, "value_units": 4})
        announced = {"of another architecture": checkpoint_to_bytes(fresh_checkpoint(other, VARIANT))}.get(kind)
        sent = {"damaged": learner.blob[:-1] + b"x", "empty": b""}.get(kind, announced)
        learner.latest, learner.blob = 4, announced or learner.blob
        learner.weights = lambda which, known: sent  # type: ignore[method-assign]
        mirror.look()
        assert weights_versions(folder) == [1, 3]
        state = RunOnDisk(folder.root).state().state
        assert state == {
            "damaged": "the weights that were sent are damaged: their SHA-256 is not the one announced",
            "empty": "no weights were sent",
        }.get(kind, "version 4 has another architecture than the versions before")
