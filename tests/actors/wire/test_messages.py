import numpy as np
import pytest

from actors.wire.messages import (
    Hello,
    decode_evaluations,
    decode_hello,
    decode_positions,
    encode_evaluations,
    encode_hello,
    encode_positions,
)
from actors.wire.transport import QUESTION, Message, TransportError
from gobang.network.runtimes.calibration import sample_positions
from gobang.types import Evaluations, Variant

VARIANTS = [Variant.square(8), Variant(height=7, width=11), Variant.square(22, k=6, players=4)]


def framed(buffers, count: int = 0) -> Message:
    payload = np.frombuffer(b"".join(buffers), np.uint8).copy()
    return Message(kind=QUESTION, number=1, count=count, version=2, payload=payload)


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
@pytest.mark.parametrize("count", [0, 1, 33])
def test_positions_travel_unchanged(variant, count):
    positions = sample_positions(variant, count)
    arrived = decode_positions(variant, framed(encode_positions(positions), count))
    for name in ("cells", "to_move", "last_moves", "key"):
        before, after = getattr(positions, name), getattr(arrived, name)
        assert after.dtype == before.dtype
        assert after.flags.aligned
        np.testing.assert_array_equal(after, before)


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_some_rows_of_evaluations_travel_unchanged(variant):
    random = np.random.default_rng(1)
    batch = Evaluations(
        priors=random.random((9, variant.points), np.float32),
        chances=random.random((9, variant.players + 1), np.float32),
    )
    arrived = decode_evaluations(variant, framed(encode_evaluations(batch, slice(2, 7)), 5))
    np.testing.assert_array_equal(arrived.priors, batch.priors[2:7])
    np.testing.assert_array_equal(arrived.chances, batch.chances[2:7])
    arrived.priors[:] = 0  # the caller's to keep


@pytest.mark.parametrize("count", [3, 5])
def test_a_wrong_length_is_refused(count):
    buffers = encode_positions(sample_positions(VARIANTS[0], 4))
    with pytest.raises(TransportError, match="expected"):
        decode_positions(VARIANTS[0], framed(buffers, count))


def test_more_positions_than_an_answer_holds_are_refused():
    variant = Variant.square(8)
    size = 8 + 2 * variant.moves_shown + 1 + variant.points
    for count, message in ((260_000, "longer than a frame"), (2**32 - 1, "longer than a frame")):
        payload = np.zeros(min(count * size, 1 << 26), np.uint8)
        question = Message(kind=QUESTION, number=1, count=count, version=2, payload=payload)
        with pytest.raises(TransportError, match=message):
            decode_positions(variant, question)


@pytest.mark.parametrize("point", [64, -2])
def test_a_last_move_off_the_board_is_refused(point):
    message = framed(encode_positions(sample_positions(VARIANTS[0], 4)), 4)
    message.payload[32:34] = np.frombuffer(np.int16(point).tobytes(), np.uint8)
    with pytest.raises(TransportError, match="outside"):
        decode_positions(VARIANTS[0], message)


def test_a_greeting_travels_unchanged():
    hello = Hello(variant=VARIANTS[2], model="latest")
    assert decode_hello(framed([encode_hello(hello)])) == hello


@pytest.mark.parametrize("text", [b"", b"[]", b"{}", b'{"variant": {"height": 99}, "model": "a"}', b"\xff"])
def test_a_greeting_that_is_none_is_refused(text):
    with pytest.raises(TransportError, match="greeting"):
        decode_hello(framed([text]))
