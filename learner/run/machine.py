"""The machine that a run is on, in words."""

from __future__ import annotations

import os

from gobang.machine import cores_here, processor
from learner.training.trainer import find_device


def machine_name() -> str:
    """E.g. "AMD EPYC 9B14, 2 cores, 8 GB memory, no GPU"."""
    device = find_device("auto")
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    gpu = "no GPU" if device.type == "cpu" else str(device)
    return f"{processor()}, {cores_here()} cores, {memory:.0f} GB memory, {gpu}"
