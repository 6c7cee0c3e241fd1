import numpy as np

from gobang.players.player import Turn
from gobang.players.random_player import RandomPlayer
from gobang.rules.position import Position
from gobang.types import Variant

VARIANT = Variant.square(3, k=3)


def test_plays_each_legal_point_and_no_other() -> None:
    position = Position(VARIANT, [0, 4])
    turns = [Turn(game=game, position=position) for game in range(200)]
    assert set(RandomPlayer(seed=1).choose(turns)) == set(np.flatnonzero(position.legal()).tolist())


def test_seed_decides_the_moves() -> None:
    turns = [Turn(game=game, position=Position(VARIANT)) for game in range(50)]
    first, again, other = (RandomPlayer(seed).choose(turns) for seed in (1, 1, 2))
    assert first == again != other
