"""Starts a run and watches over it: `gobang train --preset 8x8 --minutes 30`."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from gobang.command_line import EXIT_INVALID
from gobang.errors import GobangError
from gobang.network.architectures.architecture import fit
from gobang.options import read_settings
from gobang.run_log import log_to
from gobang.settings import write_yaml
from learner.run.config import RunConfig
from learner.run.kernels import compile_kernels
from learner.run.options import CommandLine, parse
from learner.run.run import Run
from learner.training.learner import first_weights
from learner.watching.progress import Progress


def main(arguments: Sequence[str] | None = None) -> int:
    """Run, and return the exit status; 2 for a mistake in what was asked."""
    try:
        options = parse(arguments)
        if options.resume:
            options.folder.reopen()
        config = read_settings(RunConfig(), options.values())
        config.check()
        if config.learner.begin_with and not options.resume:
            first_weights(config.learner.begin_with, fit(config.network, config.game))
        with options.folder.locked():
            _run(config, options)
    except GobangError as error:
        print(f"gobang train: {error}", file=sys.stderr)
        return EXIT_INVALID
    return 0


def _run(config: RunConfig, options: CommandLine) -> None:
    folder, text = options.folder, write_yaml(config)
    if options.resume:
        folder.write_config(text)
    else:
        folder.create(text)
    log_to(folder.log)
    progress = Progress(f"gobang {config.game}   {folder.root}", sys.stdout)
    progress.say("compiling kernels, which takes half a minute the first time on a machine")
    compile_kernels(config)
    with Run(config, options, progress) as run:
        run.start()
        run.watch()
    progress.say(f"curves and annotated games: gobang report --run {folder.root}")
    progress.say(f"{run.ended}; go on with: gobang train --run {folder.root} --resume")


if __name__ == "__main__":
    sys.exit(main())
