"""Tests of the memory and cores that the machine reports."""

from __future__ import annotations

from gobang.machine import available_mb, resident_mb


def test_memory_that_is_available_and_used_is_told_in_megabytes() -> None:
    held = bytearray(64 << 20)
    assert 64 < resident_mb() < 64 * 1024
    assert 0 < available_mb() < 64 * 1024 * 1024
    assert held
