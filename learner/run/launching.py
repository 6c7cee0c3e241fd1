"""The command `train`: read settings, keep the run's folder, then start a run and watch over it."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from shlex import quote
from typing import Final, Protocol

from gobang.errors import GobangError
from gobang.network.architectures.architecture import fit
from gobang.run_folder import RunFolder
from gobang.run_log import logging_to
from gobang.settings import write_yaml
from learner.run.config import RunConfig, read_config
from learner.run.hints import farewell
from learner.run.interrupts import Interrupted
from learner.run.lead_in import LeadIn
from learner.run.options import CommandLine
from learner.training.beginning import first_weights
from learner.watching.budget import Budget
from learner.watching.progress import Progress, progress_on

_LOG: Final = logging.getLogger(__name__)


class Training(Protocol):
    """A run that can be started: Run of learner.run.run, or Loop of learner.loop."""

    has_begun: bool  # there are weights, so that the folder is worth keeping
    option: str  # of the command that goes on in the same way, after a space

    @property
    def ended(self) -> str:
        """The way in which the run ended: finished, stopped or failed."""

    def __enter__(self) -> Training:
        """Listen to signals."""

    def __exit__(self, *exception: object) -> None:
        """Stop what was started."""

    def start(self) -> None:
        """Start all parts."""

    def watch(self) -> None:
        """Return when the budget is spent or a signal has come."""


MakeTraining = Callable[[RunConfig, CommandLine, RunFolder, Progress], Training]


def launch(options: CommandLine, make: MakeTraining) -> None:
    """Train to the end of the budget, after the lead-in; raise GobangError for a mistake in the options."""
    if options.resume:
        options.folder.check_holds_run()
    launch_with(read_config(options.values()), options, make)


def launch_with(config: RunConfig, options: CommandLine, make: MakeTraining) -> None:
    """Train with these settings in place of those that the options name."""
    folder = options.folder
    lead_in = LeadIn(config, folder)
    if options.resume and _is_spent(options.budget, lead_in, folder):
        return
    config.check()
    if lead_in.is_due:
        lead_in.config().check()
    warnings = _survey(options.redis) if options.redis else []
    if config.learner.begin_with and not options.resume:
        first_weights(config.learner.begin_with, fit(config.network, config.game))
    with folder.locked():
        _keep(config, options, folder)
        if lead_in.is_due:
            _lead_in(lead_in, options, folder, warnings, make)
            if not lead_in.is_finished or _is_spent(options.budget, lead_in, folder):
                return
            config = replace(config, learner=replace(config.learner, begin_with=lead_in.weights()))
            folder.write_config(write_yaml(config))
        rest = replace(options, budget=options.budget.rest(lead_in.values))
        _run(config, rest, folder, warnings, make, named=folder.root, keep=lead_in.folder.config.exists())


def _survey(url: str) -> list[str]:
    from learner.replay.pool.redis_survey import survey  # a run in one process does without Redis

    return survey(url)


def _is_spent(budget: Budget, lead_in: LeadIn, folder: RunFolder) -> bool:
    """Whether the run and its lead-in have had it together, which is said."""
    done, values = lead_in.values, folder.read_summary().get("values", {})
    if not (budget.is_spent(done) or budget.rest(done).is_spent(values)):
        return False
    sys.stdout.write(f"{folder.root} has had its {budget}: give it more to go on\n")
    return True


def _keep(config: RunConfig, options: CommandLine, folder: RunFolder) -> None:
    """Write the settings of this start; GobangError, and nothing is left, if the folder cannot take them."""
    text = write_yaml(config)
    try:
        if options.resume:
            folder.reopen(text)
        else:
            folder.create(text)
    except GobangError:
        folder.discard()
        raise


def _lead_in(
    lead_in: LeadIn, options: CommandLine, folder: RunFolder, warnings: Sequence[str], make: MakeTraining
) -> None:
    """Do what is left of the lead-in; a new run whose lead-in cannot start leaves no folder either."""
    config, own = lead_in.config(), lead_in.options(options)
    try:
        if not lead_in.is_finished:
            with lead_in.folder.locked():
                _keep(config, own, lead_in.folder)
                _run(config, own, lead_in.folder, warnings, make, named=folder.root)
    finally:
        if not (options.resume or lead_in.folder.config.exists()):
            folder.discard()


def _run(
    config: RunConfig,
    options: CommandLine,
    folder: RunFolder,
    warnings: Sequence[str],
    make: MakeTraining,
    *,
    named: Path,
    keep: bool = False,
) -> None:
    """Start the run and watch over it.

    A new run that cannot start leaves no folder, unless `keep`.  `named` is the folder that the user knows.
    """
    title = f"gobang {config.game}   {folder.root}"
    with logging_to(folder.log), progress_on(sys.stdout, title, folder.log) as progress:
        for warning in warnings:
            _LOG.warning(warning)
            progress.say(f"warning: {warning}")
        run = make(config, options, folder, progress)
        try:
            with run, suppress(Interrupted):
                run.start()
                run.watch()
        finally:
            if not (run.has_begun or options.resume or keep):
                folder.discard()
        progress.say(run.ended)
        for line in farewell(config.game, folder, f"{quote(str(named))} --resume{run.option}"):
            progress.say(line)
