"""Compiles a run's kernels in a separate process while the run starts, so that the compiler's memory is freed.

`python -m learner.run.compilation CONFIG.yaml` is that process.
"""

from __future__ import annotations

import select
import subprocess
import sys
from functools import partial
from pathlib import Path

from gobang.children import from_lasting_thread, tied
from gobang.compiling import with_notice
from gobang.errors import GobangError
from gobang.options import read_settings
from gobang.settings import read_yaml


class CompilationFailed(GobangError):
    """The kernels of the run do not compile, or their cache cannot be written; the message holds the reason."""


class Compilation:
    """Compiles the kernels that a run with the settings of a file needs, from now on."""

    def __init__(self, settings: Path) -> None:
        self._process = from_lasting_thread(partial(_start, settings))
        self._has_work = False

    def is_done(self) -> bool:
        """Whether all is compiled; raises CompilationFailed."""
        code = self._process.poll()
        if code:
            lines = self._process.communicate()[1].split("\n")
            raise CompilationFailed(f"kernels: {next((line for line in reversed(lines) if line), f'status {code}')}")
        return code == 0

    def has_work(self) -> bool:
        """Whether something had to be compiled so far."""
        said = self._process.stdout
        assert said is not None
        if not self._has_work and select.select([said], [], [], 0)[0]:
            self._has_work = bool(said.readline())  # nothing at its end
        return self._has_work

    def stop(self) -> None:
        """End it, done or not."""
        self._process.kill()
        self._process.communicate()


def _start(settings: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        tied([sys.executable, "-m", "learner.run.compilation", str(settings)]),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def main(settings: Path) -> None:
    """Compile here."""
    from learner.run.config import RunConfig
    from learner.run.kernels import compile_kernels

    with with_notice(sys.stdout):
        compile_kernels(read_settings(RunConfig(), read_yaml(settings)))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
