"""The machine that this process runs on: its cores, and what its processor is called."""

from __future__ import annotations

import os
import platform
from pathlib import Path


def cores_here() -> int:
    """That this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def resident_mb() -> int:
    """Memory of this process in MB, as far as the system says it in the way of Linux; else 0."""
    path = Path("/proc/self/statm")
    pages = int(path.read_text(encoding="ascii").split()[1]) if path.exists() else 0
    return pages * os.sysconf("SC_PAGE_SIZE") // 2**20 if pages else 0


def processor() -> str:
    """E.g. "AMD EPYC 9B14"."""
    path = Path("/proc/cpuinfo")
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()
