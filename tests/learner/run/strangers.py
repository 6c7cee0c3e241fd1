"""Another user of this machine, whom only root can play."""

import os
import subprocess

import pytest

NOBODY = 65534
AS_ROOT = pytest.mark.skipif(os.getuid() != 0, reason="only root may become another user")


def stranger_does(*command: object) -> bool:
    """Whether another user succeeds."""
    words = [str(word) for word in command]
    return subprocess.run(words, user=NOBODY, group=NOBODY, extra_groups=[], capture_output=True).returncode == 0
