"""What the command `train` does: settings and folder, then the run itself."""

from __future__ import annotations

import logging
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from gobang.network.architectures.architecture import fit
from gobang.run_folder import RunFolder
from gobang.run_log import log_to
from gobang.settings import write_yaml
from learner.replay.pool.redis_survey import survey
from learner.run.config import RunConfig, read_config
from learner.run.hints import farewell
from learner.run.interrupts import Interrupted
from learner.run.options import CommandLine
from learner.run.run import Run
from learner.training.beginning import first_weights
from learner.watching.progress import progress_on

_LOG: Final = logging.getLogger(__name__)


def launch(options: CommandLine) -> None:
    """Run to the end; raises GobangError for a mistake in what was asked."""
    folder = options.folder
    if options.resume:
        folder.reopen()
        if options.budget.is_spent(folder.read_summary().get("values", {})):
            sys.stdout.write(f"{folder.root} has had its {options.budget}: give it more to go on\n")
            return
    config = read_config(options.values())
    config.check()
    warnings = survey(options.redis) if options.redis else []
    if config.learner.begin_with and not options.resume:
        first_weights(config.learner.begin_with, fit(config.network, config.game))
    with folder.locked():
        _run(config, options, folder, warnings)


def _run(config: RunConfig, options: CommandLine, folder: RunFolder, warnings: Sequence[str]) -> None:
    """Start the run and watch over it; one that cannot start leaves no folder."""
    text = write_yaml(config)
    if options.resume:
        folder.write_config(text)
    else:
        folder.create(text)
    log_to(folder.log)
    with progress_on(sys.stdout, f"gobang {config.game}   {folder.root}", folder.log) as progress:
        for warning in warnings:
            _LOG.warning(warning)
            progress.say(f"warning: {warning}")
        run = Run(config, options, folder, progress)
        try:
            with run, suppress(Interrupted):
                run.start()
                run.watch()
        finally:
            if not (run.has_begun or options.resume):
                folder.discard()
        progress.say(run.ended)
        for line in farewell(config.game, folder):
            progress.say(line)
