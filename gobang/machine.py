"""The machine that this process runs on: its cores, and what its processor is called."""

from __future__ import annotations

import os
import platform
from pathlib import Path
from typing import Final

_UNKNOWN_MB: Final = 4096


def cores_here() -> int:
    """That this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def resident_mb() -> int:
    """Memory of this process in MB, as far as the system says it in the way of Linux; else 0."""
    path = Path("/proc/self/statm")
    pages = int(path.read_text(encoding="ascii").split()[1]) if path.exists() else 0
    return pages * os.sysconf("SC_PAGE_SIZE") // 2**20 if pages else 0


def peak_mb(pid: int) -> int:
    """Return the most memory in MB that a process has had resident, as Linux tells it; else 0."""
    path = Path(f"/proc/{pid}/status")
    lines = path.read_text(encoding="ascii").splitlines() if path.exists() else []
    return next((int(line.split()[1]) // 1024 for line in lines if line.startswith("VmHWM:")), 0)


def available_mb() -> int:
    """Return the memory in MB that this process can still take without swapping.

    A control group's limit counts as well. Where the system does not say, return 4 GB.
    """
    path = Path("/proc/meminfo")
    lines = path.read_text(encoding="ascii").splitlines() if path.exists() else []
    free = [int(line.split()[1]) // 1024 for line in lines if line.startswith("MemAvailable:")]
    if not free:
        return _UNKNOWN_MB
    return min(free[0], _left_to_group_mb() or free[0])


def _left_to_group_mb() -> int | None:
    """Return what the control group of this process may still take; None if it has no limit."""
    folder = Path("/sys/fs/cgroup")
    try:
        limit = (folder / "memory.max").read_text(encoding="ascii").strip()
        used = (folder / "memory.current").read_text(encoding="ascii").strip()
    except OSError:
        return None
    return max(1, int(limit) - int(used)) // 2**20 if limit.isdigit() and used.isdigit() else None


def processor() -> str:
    """E.g. "AMD EPYC 9B14"."""
    path = Path("/proc/cpuinfo")
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()
