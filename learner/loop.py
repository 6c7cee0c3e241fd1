"""Training in one process: self-play, replay pool, learner and judge take turns, without Ray and Redis.

    gobang train --in-process --preset 6x6 --minutes 10

    from learner.loop import train                       # the same in a notebook
    values = train(read_config(load_preset("6x6")), Path("runs/6x6-1"), Budget(minutes=10))

A turn of `Loop` is one step of the learner, or, while the learner must wait for games, one step of self-play and
perhaps one of the judge:

    SelfPlay.step ------ games ------> MemoryPool ------ samples ------> Learner.advance
         ^                                                                     |
         +-- positions --> LocalEvaluator <------ weights by version ----------+------> Judge.step
             and answers                                                                promotes

The classes and the folder are those of a run in many processes (learner.run.run).  A run can change from one process
to many and back.  Only the games stay behind: here they are kept in memory, and in one file as of the newest version.

If the budget counts games, steps or evaluations, the seed decides every game and every weight: no thread and no clock
influences them.  For this reason the judge's share counts simulations here, not time.  The judge plays few games at a
time, so that the others need not wait long.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from logging import getLogger
from pathlib import Path
from typing import Final

from actors.self_play.self_play import SelfPlay
from actors.server.local import LocalEvaluator
from evaluator.judging.contest import compile_rollouts
from evaluator.judging.judge import Judge
from evaluator.judging.judge_report import report_of
from gobang.compiling import with_notice
from gobang.disk import Outage
from gobang.errors import InvalidCheckpoint
from gobang.evaluators.network import make_evaluator
from gobang.machine import cores_here
from gobang.network.runtimes.torch_backend import threads_of_torch
from gobang.reports import ActorReport
from gobang.run_folder import RunFolder
from learner.replay.pool.memory_pool import MemoryPool
from learner.replay.pool.replay_pool import counted
from learner.run.config import RunConfig
from learner.run.doings import DoingsFile
from learner.run.hints import blindness, facts, play_command
from learner.run.interrupts import Interrupts
from learner.run.kernels import compile_kernels
from learner.run.launching import launch_with
from learner.run.options import CommandLine
from learner.run.parts import JUDGE, LEARNER, Kind, Part, PartReport, by_kind
from learner.training.experience import PoolExperience
from learner.training.fence import hold
from learner.training.learner import Learner
from learner.training.own_versions import OwnVersions
from learner.training.training_state import load_training_state, save_training_state
from learner.watching.budget import Budget
from learner.watching.collect import Collector
from learner.watching.metrics import Values
from learner.watching.monitor import Monitor
from learner.watching.progress import Progress

MOST_PAIRS: Final = 2  # of games that the judge plays in one turn
_ACTOR: Final = Part(Kind.ACTOR, 0)
_NO_BUDGET: Final = Budget()
_LOG: Final = getLogger(__name__)


def train(config: RunConfig, root: Path, budget: Budget = _NO_BUDGET) -> Values:
    """Train until the budget is spent, or until Ctrl-C, and return the last metrics.

    Begin a run in the folder `root`, or go on with the run that it holds; raise GobangError if neither is possible.
    Afterwards signal handlers, loggers and the number of torch's threads are as they were before.
    """
    folder = RunFolder(root)
    launch_with(config, CommandLine(run=root, budget=budget, resume=folder.config.exists()), Loop)
    values: Values = folder.read_summary().get("values", {})
    return values


class Loop:
    """A run in this process.  Leaving the context saves what was learned, and stops."""

    option = " --in-process"

    def __init__(self, config: RunConfig, options: CommandLine, folder: RunFolder, progress: Progress) -> None:
        self._config, self._options, self._folder, self._progress = config, options, folder, progress
        self._interrupts = Interrupts(self._say, _end_at_once)
        self._cleanup = ExitStack()
        self._collector, self._status = Collector(), DoingsFile(folder)
        self._outage = Outage(str(folder.pool), self._say)
        self._last: Values = {}  # metrics, as of the last turn
        self._is_finished = False
        self.has_begun = False  # there are weights, so that the folder is worth keeping

    def __enter__(self) -> Loop:
        if threading.current_thread() is threading.main_thread():
            self._cleanup.callback(self._interrupts.close)
            self._interrupts.listen()
        return self

    def __exit__(self, *exception: object) -> None:
        with self._cleanup:
            if self.has_begun:
                self._stop(is_sound=exception[0] is None)

    def start(self) -> None:
        """Make all parts; the learner publishes version 0 or goes on from the newest version."""
        config, folder = self._config, self._folder
        self._say(f"{config.game} in {folder.root}: starting in one process")
        if warning := blindness(config):
            self._say(warning)
        self._cleanup.callback(os.close, hold(folder.learner_lock))
        self._cleanup.enter_context(threads_of_torch(config.trainer.threads))
        with with_notice(sys.stdout):
            compile_kernels(config)
            compile_rollouts(config.game)
        self._interrupts.check()
        self._pool = self._open_pool()
        self._monitor = Monitor(folder, self._progress, None, self._options.budget, facts(config, folder))
        self._learner = self._make_learner()
        self._make_players()
        self._keep_games()
        self._last = self._values()
        self.has_begun = True
        self._say(f"to play against what has been learned so far: {play_command(config.game, folder)}")

    def watch(self) -> None:
        """Take turns until the budget is spent or a signal comes."""
        while not self._interrupts.has_come:
            self._turn()
            self._last = self._values()
            if not self._monitor.show(self._last):
                self._is_finished = True
                return

    @property
    def ended(self) -> str:
        """The way in which the run ended."""
        return "finished" if self._is_finished else "stopped" if self._interrupts.has_come else "failed"

    def _turn(self) -> None:
        """Train for one step; if the learner must wait for games, play, and let the judge play its share."""
        version = self._learner.version
        if self._learner.advance():
            if self._learner.version != version:
                self._keep_games()
            return
        self._evaluator.renew()
        self._self_play.set_simulations(self._simulations())
        self._played = self._self_play.step()
        share = self._config.evaluator.share
        if (1 - share) * self._judge.simulations <= share * self._played.simulations:
            self._judge.step()

    def _open_pool(self) -> MemoryPool:
        """Return the pool with the games of the last version; without any games if there is no file of them."""
        config, folder = self._config.replay, self._folder
        pool = MemoryPool(self._config.game, limiter=config.limiter, keep=config.keep)
        counters = counted(folder.read_summary().get("values", {}))
        if folder.pool.exists():
            try:
                pool.set_state(load_training_state(folder.pool))
                return pool
            except InvalidCheckpoint as error:
                self._say(f"warning: the pool starts empty, after {counters.games:,} games: {error}")
        elif counters.games:
            self._say(f"the run went on in many processes: the pool starts empty, after {counters.games:,} games")
        pool.set_counters(counters)
        return pool

    def _keep_games(self) -> None:
        """Write the pool beside the newest version."""
        self._outage.attempt(lambda: save_training_state(self._folder.pool, self._pool.get_state()))

    def _make_learner(self) -> Learner:
        config = self._config
        return Learner(
            variant=config.game,
            network=config.network,
            trainer=config.trainer,
            config=config.learner,
            folder=self._folder,
            experience=PoolExperience(self._pool, config.game, config.replay),
            seed=config.seed,
        )

    def _make_players(self) -> None:
        """Make self-play and judge, with weights that they get from the learner."""
        config, games = self._config, self._pool.counters().games
        make = partial(
            make_evaluator,
            variant=config.game,
            backend=config.inference.backend,
            precision=config.inference.precision,
            threads=config.inference.threads or cores_here(),
        )
        judging = replace(config.evaluator, pairs_at_once=min(config.evaluator.pairs_at_once, MOST_PAIRS))
        versions = OwnVersions(self._learner, make)
        self._judge = Judge(judging, config.game, self._folder, versions, self._interrupts.event)
        self._evaluator = LocalEvaluator(
            lambda: self._learner, make, model=config.self_play.weights, poll_seconds=None, patience=0.0
        )
        self._evaluator.renew()
        self._self_play = SelfPlay(
            config.game,
            replace(config.self_play, search=replace(config.self_play.search, simulations=self._simulations())),
            self._evaluator,
            self._pool,
            name=f"in-process-{games}",  # not used before: whoever stored a game under a name raised this number
            seed=(config.seed << 40) + games,
        )
        self._played = self._self_play.report()

    def _simulations(self) -> int:
        """Return how many simulations a move of self-play gets now."""
        positions, standstills = self._pool.counters().positions, self._judge.state().standstills
        minutes = self._monitor.seconds() / 60
        return self._config.playouts.simulations(positions=positions, minutes=minutes, standstills=standstills)

    def _values(self) -> Values:
        """Return all metrics, and tell those who watch the folder what each part does."""
        played = ActorReport(
            cpu_seconds=time.process_time(),
            self_play=self._played,
            failures=0,
            failures_in_a_row=0,
            last_failure="",
        )
        judge = report_of(self._judge.state())
        reports: dict[Part, PartReport] = {LEARNER: self._learner.values(), JUDGE: judge, _ACTOR: played}
        self._status.write({part: (os.getpid(), report) for part, report in reports.items()})
        values = self._collector.collect(by_kind(reports))
        return {**values, "simulations": self._played.simulations_per_move, "restarts": 0}

    def _stop(self, *, is_sound: bool) -> None:
        """End; after an error what is on disk stays as it is, since nobody knows what is wrong in memory."""
        self._judge.close()
        self._status.clear()
        if is_sound:
            self._self_play.drain()
            self._learner.publish()
            self._keep_games()
            self._last = self._values()
        self._monitor.finish(self._last, self.ended)

    def _say(self, event: str) -> None:
        """Print one line for the user, and write it to the log."""
        _LOG.info(event)
        self._progress.say(f"{time.strftime('%H:%M:%S')} {event}")


def _end_at_once(status: int) -> None:
    """Raise KeyboardInterrupt for a second signal: the process may be a notebook's, and has to live on."""
    raise KeyboardInterrupt
