"""Stored records of golden games and losses, and the command that writes them.

    python -m tests.golden.record                   # compare all cases; write those that have no record yet
    python -m tests.golden.record alphabeta rollout # write these two anew

A refactoring leaves all records as they are.  So the command never replaces a record that was not named: it lists what
differs and exits with 1.  Name a case only when its behaviour is meant to change, and say so in the commit.

The last bits of a float depend on the CPU and on the libraries: the order of a sum follows the width of the vector
registers.  So digests of floats are compared where `machine()` is the one of the record, and nowhere else.  Losses are
compared everywhere, within TOLERANCE.  Moves and visits are compared everywhere and exactly.  That is safe, since no
case comes near a tie: all moves were the same with torch, oneDNN, MKL, numpy and numba kept to SSE or AVX2.
"""

from __future__ import annotations

import json
import platform
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import llvmlite.binding
import numpy as np
import torch

from tests.golden.cases import CASES, Record, record

STORED: Final = Path(__file__).with_name("records.json")
TOLERANCE: Final = 1e-4  # relative, of losses; with other registers they differed by 1e-5
_MACHINE: Final = "machine"  # key of the fingerprint, beside the parts of a Record


def machine() -> str:
    """Return what the last bits of a float depend on: CPU, vector registers, libraries."""
    libraries = " ".join(f"{name} {version(name)}" for name in ("torch", "numpy", "numba"))
    cpu = llvmlite.binding.get_host_cpu_name()
    return f"{platform.machine()} {cpu} {torch.backends.cpu.get_cpu_capability()} {libraries}"


def stored() -> dict[str, Any]:
    """Return the content of the file; empty if there is none."""
    content: dict[str, Any] = json.loads(STORED.read_text()) if STORED.exists() else {}
    return content


def differences(name: str, found: Record, content: Mapping[str, Any]) -> list[str]:
    """Return one line for each part of a case that is not as stored."""
    if name not in content:
        return [f"{name}: there is no record"]
    expected = content[name]
    lines = [_unequal(name, key, expected["exact"], found.exact) for key in _keys(expected["exact"], found.exact)]
    lines += [_far(name, key, expected["numbers"], found.numbers) for key in _keys(expected["numbers"], found.numbers)]
    if expected[_MACHINE] == machine():
        lines += [_unequal(name, key, expected["bits"], found.bits) for key in _keys(expected["bits"], found.bits)]
    return [line for line in lines if line]


def _keys(one: Mapping[str, Any], other: Mapping[str, Any]) -> list[str]:
    return sorted({*one, *other})


def _unequal(name: str, key: str, expected: Mapping[str, Any], found: Mapping[str, Any]) -> str:
    if expected.get(key) == found.get(key):
        return ""
    return f"{name}, {key}: {found.get(key)} where the record has {expected.get(key)}"


def _far(name: str, key: str, expected: Mapping[str, Any], found: Mapping[str, Any]) -> str:
    one, other = expected.get(key, []), found.get(key, [])
    if len(one) == len(other) and np.allclose(one, other, rtol=TOLERANCE, atol=0.0):
        return ""
    return f"{name}, {key}: {other} where the record has {one}"


def write(content: Mapping[str, Any]) -> None:
    """Write the file with one line for each case, so that a change can be read."""
    lines = [f"{json.dumps(name)}: {json.dumps(content[name])}" for name in CASES if name in content]
    STORED.write_text("{\n" + ",\n".join(lines) + "\n}\n")


def main(named: Sequence[str]) -> int:
    """Compare all cases; write the named ones and the missing ones, and refuse all other changes."""
    if unknown := set(named) - set(CASES):
        sys.stderr.write(f"error: no case {', '.join(sorted(unknown))}; there are {', '.join(CASES)}\n")
        return 2
    content = stored()
    changed = []
    for name in CASES:
        found = record(name)
        if name in named or name not in content:
            content[name] = {_MACHINE: machine(), **asdict(found)}
            sys.stdout.write(f"{name}: written\n")
        else:
            changed += differences(name, found, content)
    write(content)
    sys.stdout.writelines(f"refused: {line}\n" for line in changed)
    return 1 if changed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
