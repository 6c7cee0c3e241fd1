"""Weights in one file: safetensors, with what they are and a SHA-256 over every byte within.

    8 bytes   length of the header, little-endian
    header    JSON: the tensors' names, types, shapes and offsets, and `__metadata__` with two texts:
              `gobang`, the Checkpoint without its tensors as JSON, and `sha256`
    payload   the tensors' bytes; numbers in half precision are widened when they are read

The digest is that of the whole file with 64 zeros in the digest's place.  It is checked before
anything else is read, so that damage anywhere is found.  Loading never unpickles.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load, save

from gobang.disk import write_atomically
from gobang.errors import GobangError, InvalidCheckpoint
from gobang.files import MOST_WEIGHTS, open_file, read_file
from gobang.network.architectures.architecture import build, fit, options_of
from gobang.network.spec import NetworkSpec
from gobang.options import read_options
from gobang.types import Variant
from gobang.version import VERSION

if TYPE_CHECKING:
    from gobang.network.architectures.model import GobangNetwork

FORMAT: Final = 1
_LENGTH_BYTES: Final = 8
_LONGEST_HEADER: Final = 1 << 24  # bytes; ours have some ten thousand
_DIGEST_KEY: Final = b'"sha256":"'  # cannot occur within a JSON text, where quotes are escaped
_NO_DIGEST: Final = "0" * 64
_METADATA: Final = "gobang"
_LONGEST_REASON: Final = 300  # characters
_COUNTERS: Final = ("version", "step", "games")
_MOST: Final = 10**15  # of a counter
_LONGEST_LIBRARY: Final = 40  # characters


@dataclass(frozen=True, kw_only=True, slots=True)
class Checkpoint:
    """Weights and what they are, e.g. `Checkpoint(spec=spec, variant=variant, tensors=network.arrays())`."""

    spec: NetworkSpec
    variant: Variant  # the game as trained
    tensors: Mapping[str, NDArray[np.float32]]  # by the names of torch's state_dict; batch norms also count, in int64
    version: int = 0  # number of the published weights
    step: int = 0  # training steps
    games: int = 0  # games of self-play seen
    library: str = ""  # version of this library that wrote it; filled in when written

    def network(self) -> GobangNetwork:
        """A new network with these weights, ready for inference; InvalidCheckpoint if they do not fit the spec."""
        import torch  # only who trains, or runs networks in torch, needs it

        with torch.device("meta"):  # allocates nothing and draws no random numbers
            network = build(self.spec)
        try:
            network.load_state_dict({name: torch.tensor(array) for name, array in self.tensors.items()}, assign=True)
        except RuntimeError as error:
            reason = " ".join(str(error).split())[:_LONGEST_REASON]
            raise InvalidCheckpoint(f"weights do not fit architecture {self.spec.architecture!r}: {reason}") from error
        return network.eval().requires_grad_(False)

    def check_plays(self, variant: Variant) -> None:
        """Raise InvalidCheckpoint unless these are weights for the variant."""
        if not self.spec.plays(variant) or not self.variant.has_rules_of(variant):
            raise InvalidCheckpoint(f"weights for {self.variant}, not for {variant}")


def fresh_checkpoint(spec: NetworkSpec, variant: Variant) -> Checkpoint:
    """Untrained weights for a game, drawn from torch's generator."""
    spec = fit(spec, variant)
    return Checkpoint(spec=spec, variant=variant, tensors=build(spec).arrays())


def save_checkpoint(path: str | Path, checkpoint: Checkpoint) -> None:
    """Write a checkpoint so that the file is at all times absent, the old one or the new one."""
    write_atomically(Path(path), checkpoint_to_bytes(checkpoint))


def load_checkpoint(
    source: str | Path | bytes, *, variant: Variant | None = None, features: str | None = None
) -> Checkpoint:
    """Read a file, or the bytes of one; InvalidCheckpoint if damaged, foreign or not for `variant` and `features`."""
    name = f"{len(source)} bytes of weights" if isinstance(source, bytes) else str(source)
    try:
        checkpoint = _decode(_read(source))
        if variant is not None:
            checkpoint.check_plays(variant)
        if features not in (None, checkpoint.spec.features):
            raise InvalidCheckpoint(f"weights for features {checkpoint.spec.features!r}, not {features!r}")
    except OSError as error:
        raise InvalidCheckpoint(f"{name}: {error.strerror or error}") from error
    except (GobangError, SafetensorError, ValueError, TypeError, LookupError, AttributeError, RuntimeError) as error:
        # with a right digest, what is inside was made by a program that is not this one
        raise InvalidCheckpoint(f"{name}: {error}") from error
    return checkpoint


def check_received(content: bytes | None, *, digest: str | None = None, variant: Variant | None = None) -> Checkpoint:
    """Return the checkpoint that another program has sent; InvalidCheckpoint if it is not what was announced.

    Check its size, its SHA-256 if `digest` gives one, its format, and its game if `variant` gives one.
    """
    if not content:
        raise InvalidCheckpoint("no weights were sent")
    if len(content) > MOST_WEIGHTS:
        raise InvalidCheckpoint(f"{len(content):,} bytes of weights were sent: at most {MOST_WEIGHTS:,}")
    if digest is not None and hashlib.sha256(content).hexdigest() != digest:
        raise InvalidCheckpoint("the weights that were sent are damaged: their SHA-256 is not the one announced")
    return load_checkpoint(content, variant=variant)


def checkpoint_to_bytes(checkpoint: Checkpoint, *, half: bool = False) -> bytes:
    """The content of the file; in half precision InvalidCheckpoint for a weight that it cannot hold."""
    metadata = {_METADATA: json.dumps(_describe(checkpoint)), "sha256": _NO_DIGEST}
    tensors = _halved(checkpoint.tensors) if half else checkpoint.tensors
    content = bytearray(save(dict(tensors), metadata))
    start = _digest_start(bytes(content[: _header_end(content[:_LENGTH_BYTES], len(content))]))
    content[start : start + len(_NO_DIGEST)] = hashlib.sha256(content).hexdigest().encode()
    return bytes(content)


def _describe(checkpoint: Checkpoint) -> dict[str, Any]:
    counters = {name: getattr(checkpoint, name) for name in _COUNTERS}
    plain = {"spec": checkpoint.spec.to_dict(), "variant": asdict(checkpoint.variant)}
    return {"format": FORMAT, **plain, **counters, "library": VERSION}


def _read(source: str | Path | bytes) -> bytes:
    """Return all bytes, after a look at the header alone: a large foreign file is not read."""
    if isinstance(source, bytes):
        _check_header(BytesIO(source), len(source))
        return source
    with open_file(Path(source)) as file:
        _check_header(file, os.fstat(file.fileno()).st_size)
    return read_file(Path(source), MOST_WEIGHTS)


def _check_header(file: BinaryIO, size: int) -> None:
    end = _header_end(file.read(_LENGTH_BYTES), size)
    file.seek(0)
    _digest_start(file.read(end))


def _header_end(length: bytes | bytearray, size: int) -> int:
    """Offset of the payload in a file of `size` bytes."""
    end = _LENGTH_BYTES + int.from_bytes(length, "little")
    if len(length) < _LENGTH_BYTES or end > size or end > _LONGEST_HEADER:
        raise InvalidCheckpoint("truncated, or not a file of weights")
    return end


def _digest_start(header: bytes) -> int:
    """Offset of the digest in the file."""
    start = header.find(_DIGEST_KEY) + len(_DIGEST_KEY)
    if start < len(_DIGEST_KEY) or start + len(_NO_DIGEST) > len(header):
        raise InvalidCheckpoint("not a file of gobang weights")
    return start


def _decode(content: bytes) -> Checkpoint:
    header = content[: _header_end(content[:_LENGTH_BYTES], len(content))]
    _check_digest(content, _digest_start(header))
    metadata = json.loads(json.loads(header[_LENGTH_BYTES:])["__metadata__"][_METADATA])
    _check_library(metadata["library"])
    if metadata.pop("format") != FORMAT:
        raise InvalidCheckpoint(f"written by version {metadata['library']} of gobang in a newer format")
    for name in _COUNTERS:
        if type(metadata[name]) is not int or not 0 <= metadata[name] <= _MOST:
            raise InvalidCheckpoint(f"{name} {str(metadata[name])[:_LONGEST_LIBRARY]!r}: a whole number from 0")
    spec = NetworkSpec.from_dict(metadata.pop("spec"))
    options_of(spec)  # before memory is taken for what it describes
    variant = read_options(Variant, metadata.pop("variant"), "variant")
    tensors = {name: _widened(array) for name, array in load(content).items()}
    _check_finite(tensors)
    return Checkpoint(spec=spec, variant=variant, tensors=tensors, **metadata)


def _check_library(name: object) -> None:
    """Raise InvalidCheckpoint for a version of this library that no message should show."""
    if not isinstance(name, str) or len(name) > _LONGEST_LIBRARY or not name.isprintable():
        raise InvalidCheckpoint("written by no version of gobang")


def _halved(tensors: Mapping[str, NDArray[Any]]) -> Mapping[str, NDArray[Any]]:
    with np.errstate(over="ignore"):  # what is too large becomes infinite
        halved = {
            name: array.astype(np.float16) if array.dtype == np.float32 else array for name, array in tensors.items()
        }
    _check_finite(halved)
    return halved


def _widened(array: NDArray[Any]) -> NDArray[Any]:
    return array.astype(np.float32) if array.dtype == np.float16 else array


def _check_digest(content: bytes, start: int) -> None:
    end = start + len(_NO_DIGEST)
    digest = hashlib.sha256(content[:start])
    digest.update(_NO_DIGEST.encode())
    digest.update(memoryview(content)[end:])
    if digest.hexdigest().encode() != content[start:end]:
        raise InvalidCheckpoint("damaged: its SHA-256 does not match its content")


def _check_finite(tensors: Mapping[str, NDArray[Any]]) -> None:
    for name, tensor in tensors.items():
        if not np.isfinite(tensor).all():
            raise InvalidCheckpoint(f"{name} holds a value that is not finite")
