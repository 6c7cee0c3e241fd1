"""Fetch weights from a run, while it trains or afterwards.

    gobang pull --run runs/8x8-1 --which best --out best.safetensors
    gobang pull --address 10.0.0.7:6379 --out latest.safetensors

With --run the run's folder is read; with --address the learner of the cluster is asked.  Weights
that lie in the file already are not fetched again.  A cluster that lets everybody in is asked only with --insecure.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from gobang.commands import run_as_module
from gobang.disk import write_atomically
from gobang.errors import GobangError, InvalidCheckpoint, InvalidConfig, WeightsUnavailable
from gobang.files import MOST_WEIGHTS, read_file
from gobang.run_folder import RunFolder, best_weights, weights_path, weights_versions
from gobang.versions import BEST, LATEST, NO_VERSION
from learner.run.guest import join


@dataclass(frozen=True, kw_only=True, slots=True)
class Pulled:
    """The answer of a source."""

    version: int
    content: bytes | None  # None if it is what one has already


Fetch = Callable[[str, str], Pulled]  # of "latest", "best" or a number, and the SHA-256 of what one has


def pull(fetch: Fetch, which: str, out: Path) -> str:
    """Write the weights to `out` unless they are there, and return what was done in words."""
    pulled = fetch(which, _digest(read_file(out, MOST_WEIGHTS)) if out.exists() else "")
    if pulled.content is None:
        return f"{out} is version {pulled.version} already"
    write_atomically(out, pulled.content)
    return f"version {pulled.version}, {len(pulled.content):,} bytes, in {out}"


def fetch_from_folder(folder: RunFolder, which: str, have: str) -> Pulled:
    """From a run's files; "latest" is the newest that is whole."""
    for version, path in _candidates(folder, which):
        content = read_file(path, MOST_WEIGHTS)
        if _digest(content) == have:
            return Pulled(version=version, content=None)
        try:
            return Pulled(version=_version(content), content=content)
        except InvalidCheckpoint:
            if which != LATEST:
                raise
    raise WeightsUnavailable(f"{folder.root} has no weights {which!r}")


def fetch_from_cluster(address: str, insecure: bool, which: str, have: str) -> Pulled:
    """Fetch from the learner that runs in a Ray cluster; ClusterOpen if that lets everybody in, unless `insecure`."""
    learner = join(address, insecure=insecure)
    version, digest = learner.identify(which)
    if digest == have:
        return Pulled(version=version, content=None)
    content = learner.weights(str(version), NO_VERSION) or b""
    _check(content, digest)
    return Pulled(version=version, content=content)


def _check(content: bytes, digest: str) -> None:
    """Raise InvalidCheckpoint unless the weights arrived as announced, and fit the architecture that they name."""
    from gobang.network.checkpoint import check_received  # takes a second, and only for what is new

    checkpoint = check_received(content, digest=digest)
    if find_spec("torch") is not None:
        checkpoint.network()


def run(arguments: argparse.Namespace) -> int:
    """Pull; there may be nothing to pull from."""
    try:
        print(pull(_source(arguments), arguments.which, arguments.out))
    except OSError as error:
        raise GobangError(str(error)) from error
    return 0


def _source(options: argparse.Namespace) -> Fetch:
    if options.run and options.insecure:
        raise InvalidConfig("--insecure: of which cluster? It goes with --address")
    if options.run:
        return partial(fetch_from_folder, RunFolder(options.run))
    return partial(fetch_from_cluster, options.address, options.insecure)


def _candidates(folder: RunFolder, which: str) -> Iterator[tuple[int, Path]]:
    """Files that may hold the weights, the best choice first."""
    versions = weights_versions(folder)
    if which == BEST and best_weights(folder).exists():
        yield folder.read_best(), best_weights(folder)
    for version in reversed(versions):
        if which in (LATEST, str(version)):
            yield version, weights_path(folder, version)


def _version(content: bytes) -> int:
    from gobang.network.checkpoint import load_checkpoint  # takes a second, and only for what is new

    return load_checkpoint(content).version


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


main: Final = partial(run_as_module, "pull", run)

if __name__ == "__main__":
    sys.exit(main())
