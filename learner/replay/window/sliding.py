"""Arrays that grow at one end and shrink at the other, in one piece, so that kernels need no wrapping."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import DTypeLike, NDArray

_FIRST_ROOM: Final = 1024  # rows
_SPARE: Final = 1.5  # room for each live row when the arrays move


class SlidingTable:
    """Columns of equal length whose rows are numbered from 0 for ever, however many have been dropped."""

    def __init__(self, columns: Mapping[str, tuple[DTypeLike, tuple[int, ...]]]) -> None:
        """`columns` gives each one's type and the shape of a row, () for a number."""
        self._columns = {name: np.empty((_FIRST_ROOM, *shape), dtype) for name, (dtype, shape) in columns.items()}
        self._room = _FIRST_ROOM
        self._head = 0  # where the live rows begin in the arrays
        self._tail = 0  # and end
        self.first = 0  # number of the first live row

    def __len__(self) -> int:
        return self._tail - self._head

    @property
    def end(self) -> int:
        """The number that the next row gets."""
        return self.first + len(self)

    def live(self, name: str) -> NDArray[Any]:
        """One column's live rows; a view that the next `append` may leave behind."""
        return self._columns[name][self._head : self._tail]

    def append(self, rows: int, **values: Any) -> None:
        """Add `rows` rows, with a value or an array of values for each column."""
        if self._tail + rows > self._room:
            self._move(len(self) + rows)
        for name, column in self._columns.items():
            column[self._tail : self._tail + rows] = values[name]
        self._tail += rows

    def drop(self, rows: int) -> None:
        """Forget the oldest rows."""
        assert rows <= len(self), f"{rows} of {len(self)} rows"
        self._head += rows
        self.first += rows

    def _move(self, needed: int) -> None:
        """Bring the live rows to the front of arrays with room for `needed` and spare."""
        room = self._room if needed * _SPARE <= self._room else int(needed * _SPARE)
        for name, column in self._columns.items():
            target = column if room == self._room else np.empty((room, *column.shape[1:]), column.dtype)
            target[: len(self)] = self.live(name)
            self._columns[name] = target
        self._room, self._head, self._tail = room, 0, len(self)
