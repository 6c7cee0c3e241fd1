"""The messages in the frames of `actors.wire.transport`: greetings, positions and evaluations."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from actors.wire.transport import LONGEST_PAYLOAD, Message, TransportError
from gobang.types import NO_MOVE, Evaluations, Positions, Variant


@dataclass(frozen=True, kw_only=True, slots=True)
class Hello:
    """A client's first message, e.g. `Hello(variant=Variant(), model="latest")`."""

    variant: Variant
    model: str  # "latest", "best", a version's number or a name of the server's configuration


def encode_hello(hello: Hello) -> bytes:
    """Payload of a HELLO."""
    return json.dumps(asdict(hello)).encode()


def decode_hello(message: Message) -> Hello:
    """The greeting, or TransportError."""
    try:
        fields = json.loads(message.payload.tobytes())
        return Hello(variant=Variant(**fields["variant"]), model=str(fields["model"]))
    except (ValueError, TypeError, LookupError, ArithmeticError, RecursionError) as error:
        raise TransportError(f"a greeting that cannot be read: {error}") from error


def encode_positions(positions: Positions) -> list[NDArray[Any]]:
    """Payload of a QUESTION: the arrays themselves, the widest items first."""
    arrays = (positions.key, positions.last_moves, positions.to_move, positions.cells)
    return [np.ascontiguousarray(array) for array in arrays]


def decode_positions(variant: Variant, message: Message) -> Positions:
    """Return the positions of a question, in the message's own memory; TransportError if no answer could hold them."""
    count, points, shown = message.count, variant.points, variant.moves_shown
    if 4 * count * (points + variant.players + 1) > LONGEST_PAYLOAD:
        raise TransportError(f"{count} positions in a question: their answer is longer than a frame")
    key, last_moves, to_move, cells = _cut(message, (8 * count, 2 * count * shown, count, count * points))
    positions = Positions(
        variant=variant,
        cells=cells.view(np.int8).reshape(count, points),
        to_move=to_move.view(np.int8),
        last_moves=last_moves.view(np.int16).reshape(count, shown),
        key=key.view(np.uint64),
    )
    if count and not NO_MOVE <= positions.last_moves.min() <= positions.last_moves.max() < points:
        raise TransportError(f"a last move outside of {variant}")
    return positions


def encode_evaluations(evaluations: Evaluations, rows: slice) -> list[NDArray[np.float32]]:
    """Payload of an ANSWER with some rows of a batch."""
    return [np.ascontiguousarray(array[rows]) for array in (evaluations.chances, evaluations.priors)]


def decode_evaluations(variant: Variant, message: Message) -> Evaluations:
    """The evaluations of an answer, in the message's own memory."""
    count, points, columns = message.count, variant.points, variant.players + 1
    chances, priors = _cut(message, (4 * count * columns, 4 * count * points))
    return Evaluations(
        priors=priors.view(np.float32).reshape(count, points),
        chances=chances.view(np.float32).reshape(count, columns),
    )


def _cut(message: Message, lengths: tuple[int, ...]) -> list[NDArray[np.uint8]]:
    if len(message.payload) != sum(lengths):
        raise TransportError(f"{len(message.payload)} bytes for {message.count} positions: {sum(lengths)} expected")
    ends = list(accumulate(lengths))
    return [message.payload[end - length : end] for end, length in zip(ends, lengths, strict=True)]
