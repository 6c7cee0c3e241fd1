import random
import tracemalloc
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import msgpack
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gobang.errors import InvalidGame
from gobang.rules.position import Position
from gobang.types import UNDECIDED, Variant
from learner.replay.bench import random_game
from learner.replay.pool.codec import decode, encode, largest_blob, split_id, trainable_positions
from tests.learner.replay.games import EIGHT, SMALL, same
from tests.rules.games import variants

RENJU = Variant.square(9, rule="renju")
GAME = random_game(SMALL, "node1-7/000042", np.random.default_rng(0))
BLOB = encode(GAME)


@settings(max_examples=30, deadline=None)
@given(variants(), st.integers(0, 99))
def test_a_game_comes_back_rounded_and_then_stays_as_it_is(variant: Variant, seed: int) -> None:
    game = random_game(variant, "a/1", np.random.default_rng(seed), entries=600)
    stored = decode(encode(game), variant)
    assert encode(stored) == encode(game)
    assert (stored.id, stored.outcome, stored.variant) == (game.id, game.outcome, variant)
    assert (stored.moves == game.moves).all()
    assert (stored.version == game.version).all()
    assert np.abs(stored.searched - game.searched).max() <= 1.01 / 65535
    np.testing.assert_allclose(stored.surprise, game.surprise, rtol=1e-3, atol=1e-6)
    assert np.abs(dense(stored) - dense(game)).max() <= 1.01 / 65535


def dense(game: Any) -> np.ndarray:
    """Policies [T, A]."""
    policy = np.zeros((len(game), game.variant.points))
    rows = np.repeat(np.arange(len(game)), np.diff(game.policy_start))
    policy[rows, game.policy_point] = game.policy_share
    return policy


def test_types_and_sums_are_those_of_the_contract() -> None:
    game = decode(BLOB, SMALL)
    kinds = {"moves": "i2", "policy_start": "i4", "policy_point": "i2", "policy_share": "f4", "searched": "f4"}
    assert {name: getattr(game, name).dtype for name in kinds} == {name: np.dtype(kind) for name, kind in kinds.items()}
    assert (game.surprise.dtype, game.version.dtype) == (np.float32, np.int32)
    sums = dense(game).sum(axis=1)
    np.testing.assert_allclose(sums[2:], 1, atol=1e-6)
    assert (sums[:2] == 0).all()
    np.testing.assert_allclose(game.searched.sum(axis=1), 1, atol=1e-6)
    assert trainable_positions(game) == len(game) - 2


@pytest.mark.parametrize(("variant", "entries", "most"), [(EIGHT, 19, 68), (Variant.square(15), 38, 127)])
def test_games_are_small(variant: Variant, entries: int, most: int) -> None:
    random = np.random.default_rng(0)
    games = [random_game(variant, f"node1-7/{i:06}", random, entries=entries) for i in range(20)]
    assert sum(len(encode(game)) for game in games) < most * sum(map(len, games))


def test_tiny_shares_are_left_out_and_the_rest_still_sums_to_one() -> None:
    share = np.where(np.arange(len(GAME.policy_share)) % 2, 1e-9, GAME.policy_share).astype(np.float32)
    stored = decode(encode(replace(GAME, policy_share=share)), SMALL)
    assert len(stored.policy_point) < len(GAME.policy_point)
    np.testing.assert_allclose(dense(stored).sum(axis=1)[2:], 1, atol=1e-6)


def test_surprises_out_of_range_are_clipped() -> None:
    surprise = GAME.surprise.copy()
    surprise[:2] = (-1e-7, 1e9)
    assert decode(encode(replace(GAME, surprise=surprise)), SMALL).surprise[:2].tolist() == [0, 65504]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"id": "no number"}, "an actor, a slash and a number"),
        ({"id": "a/-1"}, "an actor"),
        ({"id": "/1"}, "an actor"),
        ({"id": "a/1" + "0" * 15}, "an actor"),
        ({"id": "a" * 200 + "/1"}, "an actor"),
        ({"surprise": np.full_like(GAME.surprise, np.nan)}, "surprise has nan"),
        ({"policy_share": np.full_like(GAME.policy_share, np.inf)}, "policy has inf"),
        ({"policy_share": -GAME.policy_share}, "policy of ply 2"),
        ({"policy_share": 0 * GAME.policy_share}, "policy of ply 2"),
        ({"searched": -GAME.searched}, "searched chances of ply 0"),
    ],
)
def test_what_cannot_be_stored_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidGame, match=message):
        encode(replace(GAME, **changes))


def test_an_id_is_an_actor_and_a_number() -> None:
    assert split_id("node1-7/000042") == ("node1-7", 42)
    assert split_id("run/node1/9") == ("run/node1", 9)


def with_field(index: int, value: Any) -> bytes:
    fields = msgpack.unpackb(BLOB)
    fields[index] = value(fields[index]) if callable(value) else value
    return msgpack.packb(fields)


def edit(position: int, value: int) -> Callable[[bytes], bytes]:
    return lambda data: data[:position] + bytes([value]) + data[position + 1 :]


FIRST_ENTRY_TWICE = with_field(7, lambda data: data[:1] + data[:1] + data[2:])


@pytest.mark.parametrize(
    ("blob", "message"),
    [
        (b"", "no msgpack"),
        (b"\xc1", "no msgpack"),
        (BLOB[:-1], "no msgpack"),
        (BLOB + b"\0", "no msgpack"),
        (b"\xdd\xff\xff\xff\xff", "no msgpack"),
        (b"\xc6\xff\xff\xff\xff", "no msgpack"),
        (b"\x91" * 3000, "no msgpack"),
        (b"\x80", "of no game"),
        (bytes(200_000), "200000 bytes: a game of 5x5.* at most"),
        (with_field(1, 2), r"schema \[2\], not 1"),
        (with_field(4, True), "fields of types .*bool"),
        (with_field(5, "text"), "fields of types"),
        (with_field(2, [6, 6, 4, "freestyle", 2]), r"a game of \[6, 6"),
        (with_field(3, "x"), "an actor"),
        (with_field(4, 3), "outcome 3"),
        (with_field(4, 2**64 - 1), "outcome"),
        (with_field(5, b""), "0 moves"),
        (with_field(5, bytes(26)), "26 moves on 25 points"),
        (with_field(5, edit(0, 25)), "ply 0: the move is not on the board"),
        (with_field(5, lambda data: data[:1] + data[:1] + data[2:]), "ply 1: the move is on an occupied point"),
        (with_field(4, lambda outcome: (outcome + 1) % 3), "ended with another outcome"),
        (with_field(6, edit(2, 0)), "bytes of policy points"),
        (with_field(6, lambda data: data[:-1]), "bytes of counts"),
        (with_field(7, edit(0, 25)), "ply 2: the policy has a point that may not be played"),
        (with_field(7, edit(0, int(GAME.moves[0]))), "ply 2: the policy has a point that may not"),
        (FIRST_ENTRY_TWICE, "ply 2: the policy has a point twice"),
        (with_field(8, lambda data: edit(1, data[1] ^ 1)(data)), "ply 2: the shares"),
        (with_field(8, lambda data: data[:-1]), "bytes of policy shares"),
        (with_field(9, lambda data: edit(0, data[0] ^ 1)(data)), "ply 0: the searched chances"),
        (with_field(9, lambda data: data[:12] + bytes(6) + data[18:]), "ply 2: the searched chances"),
        (with_field(10, edit(1, 0x7C)), "ply 0: the surprise"),
        (with_field(10, edit(1, 0x80)), "ply 0: the surprise"),
        (with_field(11, b"\1\0"), "bytes of versions|runs of versions"),
        (with_field(11, b""), "bytes of versions"),
        (with_field(11, lambda data: data[:2] + b"\xff\0"), "runs of versions"),
    ],
)
def test_each_fault_is_named(blob: bytes, message: str) -> None:
    with pytest.raises(InvalidGame, match=message):
        decode(blob, SMALL)


def test_games_that_end_too_late_or_not_at_all_are_refused() -> None:
    won = np.array([0, 5, 1, 6, 2, 7, 3], np.int16)
    assert decode(encode(replace(with_moves(GAME, won), outcome=0)), SMALL).outcome == 0
    late = replace(with_moves(GAME, np.append(won, 8).astype(np.int16)), outcome=0)
    with pytest.raises(InvalidGame, match="ply 7: the game was decided before"):
        decode(encode(late), SMALL)
    with pytest.raises(InvalidGame, match="ply 5: the game is not decided by its last move"):
        decode(encode(with_moves(GAME, won[:-1])), SMALL)


def with_moves(game: Any, moves: np.ndarray) -> Any:
    """The game with other moves and no policies."""
    plies = len(moves)
    return replace(
        game,
        moves=moves,
        policy_start=np.zeros(plies + 1, np.int32),
        policy_point=np.zeros(0, np.int16),
        policy_share=np.zeros(0, np.float32),
        searched=np.zeros((plies, 3), np.float32),
        surprise=np.zeros(plies, np.float32),
        version=np.zeros(plies, np.int32),
    )


def renju_game(last: int) -> Any:
    """A game whose ply 10 is black's, who must not play point 3, a row of six."""
    overline = [(0, c) for c in (0, 1, 2, 4, 5)]
    black = [row * 9 + column for row, column in overline] + [last]
    white = [8 * 9 + column for column in (0, 2, 4, 6, 8)]
    moves = [point for pair in zip(black, [*white, 0], strict=True) for point in pair][:-1]
    return replace(with_moves(GAME, np.array(moves, np.int16)), variant=RENJU)


def test_a_forbidden_move_is_refused() -> None:
    with pytest.raises(InvalidGame, match="ply 10: the move is forbidden for black"):
        decode(encode(renju_game(last=3)), RENJU)


def test_a_policy_of_a_forbidden_point_is_refused() -> None:
    game = renju_game(last=40)
    start = np.zeros(len(game) + 1, np.int32)
    start[11:] = 1
    searched = np.zeros((len(game), 3), np.float32)
    searched[10, 0] = 1.0
    policy = {"policy_start": start, "policy_point": np.array([3], np.int16), "policy_share": np.ones(1, np.float32)}
    with pytest.raises(InvalidGame, match="ply 10: the policy has a point that may not be played"):
        decode(encode(replace(game, searched=searched, **policy)), RENJU)


def mutate(blob: bytes, source: random.Random) -> bytes:
    """The blob with a few bytes changed, cut, doubled or inserted, or one field replaced."""
    if source.random() < 0.3:
        fields = msgpack.unpackb(blob)
        fields[source.randrange(len(fields))] = source.choice([0, -1, 2**63, "", b"\xff" * 9, None, [], 1.5, True])
        return msgpack.packb(fields)
    data = bytearray(blob)
    for _ in range(source.choice((1, 1, 1, 4))):
        at = source.randrange(len(data))
        change = source.randrange(4)
        if change < 2:
            data[at] = source.randrange(256)
        elif change == 2:
            del data[at : at + source.randrange(1, 9)]
        else:
            data[at:at] = source.randbytes(source.randrange(1, 9))
    return bytes(data)


def test_mutated_blobs_are_refused_or_are_games() -> None:
    source = random.Random(0)
    games = [random_game(SMALL, f"a/{i}", np.random.default_rng(i)) for i in range(20)]
    blobs = [encode(game) for game in games]
    refused = 0
    tracemalloc.start()
    for number in range(10_000):
        try:
            game = decode(mutate(blobs[number % 20], source), SMALL)
        except InvalidGame:
            refused += 1
        else:
            assert Position(SMALL, game.moves.tolist()).outcome == game.outcome != UNDECIDED
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert 8000 < refused < 10_000
    assert peak < 1_000_000


def test_no_game_is_larger_than_the_bound() -> None:
    game = random_game(Variant.square(17), "a" * 110 + "/1", np.random.default_rng(0), opening=0, entries=289)
    alternating = np.arange(len(game), dtype=np.int32) % 2
    blob = encode(replace(game, version=alternating))
    assert len(blob) < largest_blob(game.variant)
    assert same(decode(blob, game.variant), decode(encode(decode(blob, game.variant)), game.variant))
