"""Lets the wall clock of every Python process of a run jump: found by them on their PYTHONPATH.

The offset in seconds stands in the file that the environment names.  Only `time.time` and `time.time_ns` are moved:
what Ray and Redis do in C++ and C keeps the true time.
"""

import mmap
import os
import struct
import time

_OFFSET = struct.Struct("d")


def _jump(path: str) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    offset, now, now_ns = mmap.mmap(descriptor, _OFFSET.size, access=mmap.ACCESS_READ), time.time, time.time_ns
    os.close(descriptor)

    def seconds() -> float:
        return _OFFSET.unpack_from(offset)[0]

    time.time = lambda: now() + seconds()
    time.time_ns = lambda: now_ns() + int(seconds() * 1e9)


if "GOBANG_CHAOS_CLOCK" in os.environ:
    _jump(os.environ["GOBANG_CHAOS_CLOCK"])
