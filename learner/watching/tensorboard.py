"""Scalars in the files that TensorBoard reads, without its packages.

A file is a sequence of records: the length of the data as 8 bytes, a checksum of them, the data,
its checksum.  The data is a protocol buffer `Event`, here one for each call, of which these fields
are used:

    Event    1 wall_time: double   2 step: int64   3 file_version: string   5 summary: Summary
    Summary  1 value, repeated: 1 tag: string, 2 simple_value: float
"""

from __future__ import annotations

import os
import socket
import struct
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from gobang.disk import PatientFile

_POLYNOMIAL: Final = 0x82F63B78  # of CRC-32C, reflected
_MASK: Final = 0xA282EAD8  # so that a checksum of data with checksums in it is no trivial number
_FIXED64: Final = 1
_BYTES: Final = 2
_FIXED32: Final = 5


class TensorboardFile:
    """One file of events in a folder; a new one at each start, which TensorBoard joins to the others."""

    def __init__(self, folder: Path, time: float) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._file = PatientFile(folder / f"events.out.tfevents.{int(time)}.{socket.gethostname()}.{os.getpid()}")
        with suppress(OSError):  # then it comes with the first values
            self._append(_double(1, time) + _bytes(3, b"brain.Event:2"))

    def write(self, time: float, step: int, values: Mapping[str, float]) -> None:
        """Add the values of a step; OSError if they wait for the next call."""
        summary = b"".join(
            _bytes(1, _bytes(1, tag.encode()) + _field(2, _FIXED32) + struct.pack("<f", value))
            for tag, value in values.items()
        )
        self._append(_double(1, time) + _field(2, 0) + _varint(step) + _bytes(5, summary))

    def close(self) -> None:
        """Write no more."""
        self._file.close()

    def _append(self, data: bytes) -> None:
        length = struct.pack("<Q", len(data))
        record = length + struct.pack("<I", masked_crc(length)) + data + struct.pack("<I", masked_crc(data))
        self._file.append(record)


def masked_crc(data: bytes) -> int:
    """CRC-32C, turned by 15 bits and shifted by a constant, as the format wants it."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc = _TABLE[(crc ^ byte) & 0xFF] ^ (crc >> 8)
    crc ^= 0xFFFFFFFF
    return ((crc >> 15 | crc << 17) + _MASK) & 0xFFFFFFFF


def _crc_of(byte: int) -> int:
    for _ in range(8):
        byte = byte >> 1 ^ (_POLYNOMIAL if byte & 1 else 0)
    return byte


_TABLE: Final = tuple(map(_crc_of, range(256)))


def _field(number: int, kind: int) -> bytes:
    return bytes([number << 3 | kind])


def _double(number: int, value: float) -> bytes:
    return _field(number, _FIXED64) + struct.pack("<d", value)


def _bytes(number: int, content: bytes) -> bytes:
    return _field(number, _BYTES) + _varint(len(content)) + content


def _varint(value: int) -> bytes:
    groups = []
    while value > 0x7F:
        groups.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*groups, value])
