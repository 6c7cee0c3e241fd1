"""The interface of a library that runs a network on one board."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

Answer = tuple[NDArray[np.float32], NDArray[np.float32]]  # priors [B, A] and chances [B, P + 1], both of sum 1


class Runtime(Protocol):
    """Weights made ready to run on one board, by one library.

    pending = runtime.start(planes)              # returns at once where it can
    priors, chances = runtime.finish(pending)    # waits
    """

    def start(self, planes: NDArray[np.float32]) -> Any:
        """Begin with the planes [B, C, H, W], which must not change before `finish`."""

    def finish(self, pending: Any) -> Answer:
        """The answer to one `start`, in new arrays."""
