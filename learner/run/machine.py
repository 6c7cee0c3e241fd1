"""The machine that this process runs on, in words."""

from __future__ import annotations

import os
import platform
from pathlib import Path

from learner.training.trainer import find_device


def machine_name() -> str:
    """E.g. "AMD EPYC 9B14, 2 cores, 8 GB memory, no GPU"."""
    device = find_device("auto")
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    gpu = "no GPU" if device.type == "cpu" else str(device)
    return f"{_processor()}, {cores_here()} cores, {memory:.0f} GB memory, {gpu}"


def cores_here() -> int:
    """That this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _processor() -> str:
    path = Path("/proc/cpuinfo")
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()
