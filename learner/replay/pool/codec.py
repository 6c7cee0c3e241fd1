"""A self-play game as one msgpack blob and back.

    blob = encode(game)              # about 70 bytes a position on 8x8
    game = decode(blob, variant)     # or InvalidGame, which says what is wrong

A blob is an array: name, schema, variant, id, outcome, then the arrays of the game as bytes, little
endian.  Points and counts take a byte on boards of up to 255 points and two on larger ones, shares
and searched chances are whole units of 1 / 65535, surprises float16, versions runs of equal ones.
Decoding trusts nothing: what it returns has been replayed by the rules.  Encoding a decoded game
again gives the same blob.

Shape letters: T plies, N policy entries, A points, P players, R runs.
"""

from __future__ import annotations

from typing import Any, Final

import msgpack
import numpy as np
from numpy.typing import NDArray

from gobang.errors import InvalidGame
from gobang.rules.geometry import geometry
from gobang.types import SelfPlayGame, Variant
from learner.replay.pool.quantisation import NO_FAULT, UNIT, UNITS, quantise_dense, quantise_sparse
from learner.replay.pool.validity import FAULTS, VALID, StoredGame, first_fault

NAME: Final = "gobang game"
SCHEMA: Final = 1
LONGEST_ID: Final = 120  # characters
_TYPES: Final = (str, int, list, str, int, bytes, bytes, bytes, bytes, bytes, bytes, bytes, bytes)
_SPARE_BYTES: Final = 1024  # of a blob beside its arrays
_MOST_SURPRISE: Final = 65504.0  # nats; the largest float16
_SEQUENCE_DIGITS: Final = 15  # exact in the floating point numbers of Redis scripts


def encode(game: SelfPlayGame) -> bytes:
    """The game as a blob; InvalidGame if its id or its numbers cannot be stored."""
    _assert_shapes(game)
    split_id(game.id)
    for name, values in (("policy", game.policy_share), ("searched", game.searched), ("surprise", game.surprise)):
        if not np.isfinite(values).all():
            raise InvalidGame(f"{game.id}: {name} has {values[~np.isfinite(values)][0]}")
    small = _small(game.variant)
    counts, points, units = _sparse_units(game)
    starts = _run_starts(game.version)
    surprise = game.surprise.clip(0.0, _MOST_SURPRISE)
    fields = [
        NAME,
        SCHEMA,
        _variant_fields(game.variant),
        game.id,
        game.outcome,
        game.moves.astype(small).tobytes(),
        counts.astype(small).tobytes(),
        points.astype(small).tobytes(),
        units.astype("<u2", copy=False).tobytes(),
        _dense_units(game).astype("<u2", copy=False).tobytes(),
        surprise.astype("<f2").tobytes(),
        starts.astype("<u2").tobytes(),
        game.version[starts].astype("<i4").tobytes(),
    ]
    blob: bytes = msgpack.packb(fields)
    return blob


def decode(blob: bytes, variant: Variant) -> SelfPlayGame:
    """The game of a blob, replayed by the rules; InvalidGame with the reason if anything is wrong with it."""
    _, _, _, game_id, outcome, *rest = _unpack(blob, variant)
    split_id(game_id)
    small = _small(variant)
    moves = _array("moves", rest[0], small).astype(np.int16)
    plies = len(moves)
    if not 1 <= plies <= variant.points:
        raise InvalidGame(f"{game_id}: {plies} moves on {variant.points} points")
    start = np.zeros(plies + 1, np.int32)
    np.cumsum(_array("counts", rest[1], small, plies), out=start[1:])
    points = _array("policy points", rest[2], small, int(start[-1])).astype(np.int16)
    units = _array("policy shares", rest[3], "<u2", int(start[-1]))
    chances = variant.players + 1
    searched = _array("searched chances", rest[4], "<u2", plies * chances).reshape(plies, chances)
    surprise = _array("surprises", rest[5], "<f2", plies)
    version = _versions(rest[6], rest[7], plies)
    if not 0 <= outcome <= variant.players:
        raise InvalidGame(f"{game_id}: outcome {outcome}: 0 to {variant.players}")
    cells, legal, bits = np.zeros(variant.points, np.int8), np.empty(variant.points, np.bool_), surprise.view("<u2")
    tables = geometry(variant)
    stored = StoredGame(moves, outcome, start, points, units, searched, bits)
    fault, ply = first_fault(tables, cells, legal, stored, UNITS)
    if fault != VALID:
        raise InvalidGame(f"{game_id}: ply {ply}: {FAULTS[fault]}")
    return SelfPlayGame(
        variant=variant,
        id=game_id,
        moves=moves,
        outcome=outcome,
        policy_start=start,
        policy_point=points,
        policy_share=_shares(units),
        searched=_shares(searched),
        surprise=surprise.astype(np.float32),
        version=version,
    )


def split_id(game_id: str) -> tuple[str, int]:
    """Actor and sequence number of an id such as "node1-7/000042"; InvalidGame if it is none."""
    actor, slash, number = game_id.rpartition("/")
    digits = number.isascii() and number.isdecimal() and len(number) <= _SEQUENCE_DIGITS
    if not (actor and slash and digits and len(game_id) <= LONGEST_ID and game_id.isprintable()):
        raise InvalidGame(f"id {game_id[:LONGEST_ID]!r}: an actor, a slash and a number, as in node1-7/000042")
    return actor, int(number)


def trainable_positions(game: SelfPlayGame) -> int:
    """Number of the game's positions that have a policy; pool, window and limiter count those."""
    return int(np.count_nonzero(np.diff(game.policy_start)))


def largest_blob(variant: Variant) -> int:
    """No game of the variant takes more bytes."""
    plies, points = variant.points, variant.points
    return plies * (points * 4 + 4 + 2 * (variant.players + 1) + 2 + 6) + _SPARE_BYTES


def _small(variant: Variant) -> str:
    """Type of points and of counts up to A."""
    return "u1" if variant.points <= 255 else "<u2"


def _variant_fields(variant: Variant) -> list[Any]:
    return [variant.height, variant.width, variant.k, variant.rule, variant.players]


def _assert_shapes(game: SelfPlayGame) -> None:
    """Kernels check no index, so the arrays have to fit each other."""
    plies, entries = len(game.moves), len(game.policy_point)
    assert game.policy_start.shape == (plies + 1,), f"{game.id}: policy_start {game.policy_start.shape}, {plies} plies"
    assert game.policy_start[-1] == entries == len(game.policy_share), f"{game.id}: {entries} policy entries"
    assert game.searched.shape == (plies, game.variant.players + 1), f"{game.id}: searched {game.searched.shape}"
    assert len(game.surprise) == len(game.version) == plies, f"{game.id}: {plies} plies"


def _sparse_units(game: SelfPlayGame) -> tuple[NDArray[np.uint16], NDArray[np.int16], NDArray[np.uint16]]:
    """Entries by ply [T], and points and units of those entries that come to a unit."""
    counts = np.empty(len(game), np.uint16)
    points, units = np.empty(len(game.policy_point), np.int16), np.empty(len(game.policy_point), np.uint16)
    kept, fault = quantise_sparse(game.policy_start, game.policy_point, game.policy_share, counts, points, units)
    if fault != NO_FAULT:
        raise InvalidGame(f"{game.id}: the policy of ply {fault} has a negative share, or none above zero")
    return counts, points[:kept], units[:kept]


def _dense_units(game: SelfPlayGame) -> NDArray[np.uint16]:
    units = np.empty(game.searched.shape, np.uint16)
    fault = quantise_dense(game.searched, units)
    if fault != NO_FAULT:
        raise InvalidGame(f"{game.id}: the searched chances of ply {fault} are {game.searched[fault]}")
    return units


def _run_starts(values: NDArray[np.int32]) -> NDArray[np.intp]:
    """[R] where a run of equal values begins."""
    return np.flatnonzero(np.concatenate(([True], values[1:] != values[:-1])))


def _unpack(blob: bytes, variant: Variant) -> list[Any]:
    """The fields of a blob of this schema and variant, each of its type."""
    if len(blob) > largest_blob(variant):
        raise InvalidGame(f"{len(blob)} bytes: a game of {variant} has at most {largest_blob(variant)}")
    try:
        fields = msgpack.unpackb(
            blob, max_array_len=len(_TYPES), max_map_len=0, max_ext_len=0, max_str_len=LONGEST_ID * 4
        )
    except (ValueError, TypeError, msgpack.UnpackException) as error:
        raise InvalidGame(f"no msgpack of a game: {error or type(error).__name__}") from error
    if not (isinstance(fields, list) and fields[:1] == [NAME]):
        raise InvalidGame("msgpack, but of no game")
    if fields[1:2] != [SCHEMA]:
        raise InvalidGame(f"schema {fields[1:2]}, not {SCHEMA}")
    types = tuple(map(type, fields))
    if types != _TYPES:
        raise InvalidGame(f"fields of types {', '.join(kind.__name__ for kind in types)}")
    if fields[2] != _variant_fields(variant):
        raise InvalidGame(f"a game of {fields[2]}, not of {_variant_fields(variant)}")
    return fields


def _array(name: str, data: bytes, dtype: str, length: int | None = None) -> NDArray[Any]:
    """The numbers in `data`, which belong to the blob; InvalidGame if they are not `length`."""
    size = np.dtype(dtype).itemsize
    if len(data) % size or (length is not None and len(data) != length * size):
        raise InvalidGame(f"{len(data)} bytes of {name}, of {size} each" + (f", not {length}" if length else ""))
    return np.frombuffer(data, dtype)


def _shares(units: NDArray[np.uint16]) -> NDArray[np.float32]:
    return units.astype(np.float32) * UNIT


def _versions(starts: bytes, values: bytes, plies: int) -> NDArray[np.int32]:
    """[T] from runs."""
    start = _array("version starts", starts, "<u2")
    value = _array("versions", values, "<i4", len(start))
    lengths = np.append(start[1:], plies).astype(np.int32) - start.astype(np.int32)
    if len(start) == 0 or start[0] != 0 or lengths.min() < 1:
        raise InvalidGame(f"runs of versions from {start[:8].tolist()} in {plies} plies")
    return np.repeat(value.astype(np.int32), lengths)
