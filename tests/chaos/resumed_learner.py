"""Learners that take up a damaged folder: resumed_learner.py FOLDER COPIES PLACES

For each place, in turn in the weights and in the state of the newest version, the folder is copied, the file cut off
there and a learner made, as the run's own process does.  A line of JSON says from which version it went on.
"""

from __future__ import annotations

import json
import logging
import re
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from gobang.options import read_settings
from gobang.run_folder import RunFolder, best_weights, state_path, weights_path, weights_versions
from gobang.settings import read_yaml
from learner.replay.pool.memory_pool import MemoryPool
from learner.run.config import RunConfig
from learner.training.remote import LearnerFactory


class Lines(logging.Handler):
    """Keeps what is logged."""

    def __init__(self) -> None:
        super().__init__()
        self.warnings: list[str] = []
        self.went_on = -1

    def emit(self, record: logging.LogRecord) -> None:
        """Take in a line."""
        text = record.getMessage()
        if record.levelno >= logging.WARNING:
            self.warnings.append(text)
        if found := re.search(r"goes on from version (\d+)", text):
            self.went_on = int(found[1])


@contextmanager
def listening() -> Iterator[Lines]:
    logger, lines = logging.getLogger("learner"), Lines()
    logger.setLevel(logging.INFO)
    logger.addHandler(lines)
    yield lines
    logger.removeHandler(lines)


def main(source: Path, copies: Path, places: int) -> None:
    config = read_settings(RunConfig(), read_yaml(RunFolder(source).config))
    best = best_weights(RunFolder(source)).read_bytes()
    for place in range(places):
        folder = RunFolder(copies / "run")
        for name in ("weights", "state"):
            shutil.copytree(source / name, folder.root / name)
        shutil.copy(source / "best.json", folder.best)
        path = (weights_path, state_path)[place % 2](folder, weights_versions(folder)[-1])
        path.write_bytes(path.read_bytes()[: path.stat().st_size * place // places])
        make = LearnerFactory(
            root=folder.root,
            variant=config.game,
            network=config.network,
            trainer=config.trainer,
            learner=config.learner,
            replay=config.replay,
            make_pool=lambda: MemoryPool(config.game),
            seed=config.seed,
        )
        with listening() as lines:
            learner = make()
        found = {"place": place, "version": learner.version, "from": lines.went_on, "warnings": len(lines.warnings)}
        whole = best_weights(folder).read_bytes() == best
        sys.stdout.write(json.dumps({**found, "best_is_whole": whole}) + "\n")
        shutil.rmtree(copies)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]))
