import numpy as np
import pytest
import torch

from gobang.network.architectures.line_net import line_codes
from gobang.network.architectures.line_shapes import DIRECTIONS, OFF_BOARD, SHAPES, shape_of_codes

EMPTY, OWN, OTHER = range(3)


def code_of(digits: list[int]) -> int:
    return sum(digit << 2 * place for place, digit in enumerate(digits))


def random_line(random: np.random.Generator) -> list[int]:
    """Nine points, of which some at the ends may be off the board."""
    line = random.integers(OFF_BOARD, size=9).tolist()
    before, behind = random.integers(5, size=2)
    return [OFF_BOARD] * before + line[before : 9 - behind] + [OFF_BOARD] * behind


def test_two_lines_share_a_shape_if_one_is_the_other_backwards() -> None:
    random, shape = np.random.default_rng(1), shape_of_codes()
    lines = [random_line(random) for _ in range(3000)]
    names = {}
    for line in lines:
        assert shape[code_of(line)] == shape[code_of(line[::-1])]
        assert names.setdefault(shape[code_of(line)], min(line, line[::-1])) == min(line, line[::-1])


def test_every_shape_occurs_and_no_other() -> None:
    shape = shape_of_codes()
    assert np.unique(shape).tolist() == list(range(SHAPES))
    torn = [EMPTY, EMPTY, OFF_BOARD, OWN, OWN, OTHER, EMPTY, EMPTY, EMPTY]
    assert shape[code_of(torn)] == shape[code_of([EMPTY] * 9)] == 0


@pytest.mark.parametrize(("height", "width"), [(3, 3), (7, 11)])
def test_codes_are_those_of_the_lines_through_each_point(height: int, width: int) -> None:
    board = np.random.default_rng(2).integers(OFF_BOARD, size=(height, width))
    rim = np.pad(board, 4, constant_values=OFF_BOARD)
    codes = line_codes(torch.from_numpy(np.stack([board == OWN, board == OTHER])[None].astype(np.float32)))
    for y in range(height):
        for x in range(width):
            for direction, (down, right) in enumerate(DIRECTIONS):
                line = [int(rim[4 + y + step * down, 4 + x + step * right]) for step in range(-4, 5)]
                assert codes[0, direction, y, x] == code_of(line)
