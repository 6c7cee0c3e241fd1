"""Versions of weights on disk, each with the state to go on from it, and which one is the best.

    version = store.highest() + 1
    store.save(version, checkpoint_to_bytes(...), state)   # both, or nothing that counts
    store.promote(version)
    found = store.newest()                                 # after a crash: the newest that is whole

The state is written before the weights: weights that can be seen have a state.
"""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass
from typing import Final

from gobang.disk import remove_unfinished, write_atomically
from gobang.errors import InvalidCheckpoint, InvalidConfig, VersionGone
from gobang.files import MOST_WEIGHTS, read_file
from gobang.network.checkpoint import load_checkpoint
from gobang.run_folder import (
    RunFolder,
    best_weights,
    state_path,
    state_versions,
    weights_path,
    weights_versions,
)
from gobang.versions import NO_VERSION
from learner.training.training_state import State, load_training_state, save_training_state

_LOG: Final = logging.getLogger(__name__)
KEPT_STATES: Final = 3


@dataclass(frozen=True, kw_only=True, slots=True)
class CheckpointConfig:
    """Settings of publishing: how often, and which weights stay on disk beside the best."""

    every_steps: int = 500  # of training, from one version to the next
    keep_latest: int = 100  # a candidate must last as long as its match
    keep_each: int = 10  # versions divisible by this stay for good

    def __post_init__(self) -> None:
        for name in ("every_steps", "keep_latest", "keep_each"):
            if getattr(self, name) < 1:
                raise InvalidConfig(f"{name} {getattr(self, name)}: at least 1")


@dataclass(frozen=True, kw_only=True, slots=True)
class Saved:
    """A version as it was found on disk."""

    version: int
    weights: bytes
    state: State


class CheckpointStore:
    """The weights/ and state/ folders and best.json of a run; one process at a time writes."""

    def __init__(self, folder: RunFolder, config: CheckpointConfig) -> None:
        self._folder = folder
        self._config = config
        self.damaged = 0  # versions that were found unusable by this process

    def save(self, version: int, weights: bytes, state: State) -> None:
        """Write a version; OSError leaves the earlier ones as they are."""
        save_training_state(state_path(self._folder, version), state)
        try:
            write_atomically(weights_path(self._folder, version), weights)
        except OSError:
            state_path(self._folder, version).unlink()  # where there is no room, of no use to anybody
            raise

    def versions(self) -> list[int]:
        """All versions of which weights lie on disk, whole or not, in rising order."""
        return weights_versions(self._folder)

    def highest(self) -> int:
        """The greatest version that was ever begun, NO_VERSION for none."""
        return max([*self.versions(), *state_versions(self._folder)], default=NO_VERSION)

    def read(self, version: int) -> bytes:
        """The weights of a version; VersionGone if they are not kept, InvalidCheckpoint if they are damaged."""
        if version not in self.versions():
            kept = ", ".join(map(str, self.versions())) or "none"
            raise VersionGone(f"version {version} is not kept; there are {kept}")
        content = read_file(weights_path(self._folder, version), MOST_WEIGHTS)
        load_checkpoint(content)
        return content

    def newest(self) -> Saved | None:
        """The newest version that is whole, each one that is not is named in the log; None for a run that has none yet.

        InvalidCheckpoint if there are weights and none can be gone on from: to begin anew would be to lose them.
        """
        reason = "there are no weights beside best.json"
        for version in reversed(self.versions()):
            try:
                state = load_training_state(state_path(self._folder, version))
                return Saved(version=version, weights=self.read(version), state=state)
            except (InvalidCheckpoint, VersionGone, OSError) as error:
                self.damaged += 1
                _LOG.warning("checkpoint %d cannot be used, so the one before it is tried: %s", version, error)
                reason = str(error)
        if self.versions() or self._folder.best.exists():
            raise InvalidCheckpoint(
                f"{self._folder.root}: no version can be gone on from: {reason}. To begin anew from the best weights: "
                f"gobang train --run OTHER --set learner.begin_with={best_weights(self._folder)}"
            )
        return None

    def best(self) -> int | None:
        """The version promoted last; None before the first.  OSError if the disk does not give it."""
        try:
            return self._folder.read_best()
        except FileNotFoundError:
            return None
        except (ValueError, LookupError, TypeError) as error:
            _LOG.warning("%s cannot be read, so there is no best yet: %s", self._folder.best, error)
            return None

    def promote(self, version: int) -> bytes:
        """Make a version the best, for good when this returns; its weights also become best.safetensors.

        A file that holds this already is not written again.  Weights that are lost come back from best.safetensors.
        """
        weights = self._read_or_restore(version)
        copy = best_weights(self._folder)
        if self.best() != version:
            write_atomically(self._folder.best, json.dumps({"version": version}).encode())
        if not copy.exists() or read_file(copy, MOST_WEIGHTS) != weights:
            write_atomically(copy, weights)
        return weights

    def _read_or_restore(self, version: int) -> bytes:
        try:
            return self.read(version)
        except (InvalidCheckpoint, VersionGone):
            if self.best() != version or not self._restore_best(version):
                raise
            return self.read(version)

    def holds_best(self, version: int) -> bool:
        """Whether the best version's weights are there and whole; what is damaged comes back from best.safetensors."""
        try:
            self.read(version)
        except (InvalidCheckpoint, VersionGone, OSError) as error:
            self.damaged += 1
            _LOG.warning("version %d cannot be used: %s", version, error)
            return self._restore_best(version)
        return True

    def clean(self) -> None:
        """Remove the files that a crash left half written."""
        for folder in (self._folder.weights, self._folder.state):
            remove_unfinished(folder)

    def _restore_best(self, version: int) -> bool:
        """Take the best version's weights from their copy, if that is whole."""
        copy = best_weights(self._folder)
        try:
            if load_checkpoint(copy).version != version:
                return False
        except InvalidCheckpoint:
            return False
        write_atomically(weights_path(self._folder, version), read_file(copy, MOST_WEIGHTS))
        return True

    def prune(self) -> None:
        """Remove old versions: all but the best, the latest, and each k-th."""
        versions = self.versions()
        kept = {*versions[-self._config.keep_latest :], self.best()}
        for version in versions:
            if version not in kept and version % self._config.keep_each:
                weights_path(self._folder, version).unlink(missing_ok=True)
        for version in state_versions(self._folder)[:-KEPT_STATES]:
            state_path(self._folder, version).unlink(missing_ok=True)
