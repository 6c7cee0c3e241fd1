"""`gobang warm`: compile kernels ahead, those of one player or all, as when a container's image is built.

A task is a piece of a program that is run shortly, since running it compiles what it needs.  Each has a
process, as many at once as there are cores; what two of them need is compiled by one.  A single task is run here.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import replace
from functools import partial
from multiprocessing import active_children
from typing import Final

from gobang.children import PROCESSES
from gobang.command_line import variant_of
from gobang.commands import run_as_module
from gobang.compiling import is_watching
from gobang.evaluators.cached import CachedEvaluator
from gobang.evaluators.null import NullEvaluator
from gobang.features import feature_planes
from gobang.players.options import AlphaBetaOptions, GuidedOptions, RolloutOptions, SearchOptions
from gobang.players.player import Turn
from gobang.players.spec import PlayerSpec, make_player, parse, resolve
from gobang.players.trained import trained_names
from gobang.players.warm_up import warm_up
from gobang.progress import Progress
from gobang.rules.kernel_cache import folder
from gobang.rules.position import Position, as_batch
from gobang.types import Variant

Task = Callable[[], None]

_FEW_NODES: Final = 500
_FEW_SIMULATIONS: Final = 20
_TRAINING: Final = "learner.run.kernels"  # lies above this package


class _Names:
    """Which kernels were not in the cache."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def begin(self, kernel: str) -> None:
        self.names.append(kernel)

    def end(self, kernel: str) -> None:
        """It is noted already."""


def play_shortly(text: str, variant: Variant) -> None:
    """Compile what a player needs, with a clock and without one."""
    spec = resolve(parse(text), variant)
    player = make_player(spec, variant, seed=1)
    warm_up(player, variant)
    player.close()
    player = make_player(_brief(spec), variant, seed=1)
    player.choose([Turn(game=1, position=Position(variant))])
    player.close()


def _brief(spec: PlayerSpec) -> PlayerSpec:
    """Return a player of the same kernels that searches little; a budget of an hour would otherwise be used up."""
    options = spec.options
    if isinstance(options, AlphaBetaOptions):
        return replace(spec, options=replace(options, nodes=_FEW_NODES, ms=None))
    if isinstance(options, (RolloutOptions, GuidedOptions, SearchOptions)):
        return replace(spec, options=replace(options, sims=_FEW_SIMULATIONS, ms=None))
    return spec


def _ask_networks(variant: Variant) -> None:
    positions = as_batch([Position(variant, [0])])
    feature_planes("windows", positions)  # which take the kernel of all others, too
    evaluator = CachedEvaluator(NullEvaluator(variant), variant, entries=2)
    evaluator.collect(evaluator.submit(positions))


def _train() -> None:
    with contextlib.suppress(ModuleNotFoundError):  # what is not installed needs no kernels
        importlib.import_module(_TRAINING).compile_for_any_run()


_BOARD: Final = Variant.square(8)
_LINES: Final = "builtin-15x15-lines"
_PLAYERS: Final = ("uniform", "alphabeta", "rollout", f"net:{_LINES}", "pattern", "critic:builtin")


def all_tasks() -> list[Task]:
    """Return a task for each player and for training, the longest first; a package may lack the trained networks."""
    players = [text for text in _PLAYERS if _LINES not in text or _LINES in trained_names()]
    return [
        *(partial(play_shortly, text, _BOARD) for text in players),
        partial(play_shortly, "exact", Variant.square(4, k=4)),
        _train,
        partial(_ask_networks, _BOARD),
    ]


def do_task(task: Task) -> list[str]:
    """Run a task here; returns the kernels that were not in the cache."""
    compiled = _Names()
    with is_watching(compiled):
        task()
    return compiled.names


def warm(tasks: Sequence[Task], processes: int, progress: Progress) -> int:
    """Do tasks in several processes, or one task here; return how many kernels were compiled."""
    compiled: set[str] = set()
    for done, names in enumerate(_done(tasks, processes), 1):
        compiled.update(names)
        progress.update(done)
    return len(compiled)


def _done(tasks: Sequence[Task], processes: int) -> Iterator[list[str]]:
    """Yield what each task compiled, in the order in which they end; leave no process behind after an exception."""
    if len(tasks) == 1:
        yield do_task(tasks[0])
        return
    with ProcessPoolExecutor(processes, mp_context=PROCESSES) as pool:
        try:
            for future in as_completed([pool.submit(do_task, task) for task in tasks]):
                yield future.result()
        except BaseException:
            for process in active_children():
                process.kill()
            raise


def run(arguments: argparse.Namespace) -> int:
    """Compile what is not in the cache, and say how long that took."""
    start = time.monotonic()
    tasks = [partial(play_shortly, arguments.player, variant_of(arguments))] if arguments.player else all_tasks()
    progress = Progress(len(tasks), sys.stderr, unit="tasks")
    try:
        compiled = warm(tasks, min(arguments.jobs or os.cpu_count() or 1, len(tasks)), progress)
    finally:
        progress.close()
    did = f"{compiled} kernels compiled" if compiled else "all kernels were compiled already"
    print(f"{did}, in {time.monotonic() - start:.1f} s; they are kept in {folder()}")
    return 0


main: Final = partial(run_as_module, "warm", run)

if __name__ == "__main__":
    sys.exit(main())
