"""Factories of actors and servers, called in the process where they run, and again there after a crash.

The composition root makes these, with picklable parts; `actors.remote` calls them.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from actors.self_play.self_play import SelfPlay, SelfPlayConfig
from actors.server.inference import InferenceServer, ServerConfig
from actors.server.models import EvaluatorFactory
from gobang.evaluators.batch_size import best_size, rates
from gobang.interfaces import Evaluator, GameSink, WeightsSource
from gobang.types import Variant
from gobang.versions import LATEST, NO_VERSION

_LOG: Final = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True, slots=True)
class SelfPlayFactory:
    """Builds the self-play of an actor: with a name never used before, and games never played before."""

    variant: Variant
    config: SelfPlayConfig
    make_evaluator: Callable[[], Evaluator]
    make_sink: Callable[[], GameSink]

    def __call__(self, name: str) -> SelfPlay:
        """Self-play under a name such as `self_play:07@10.0.0.7-1f3a90c2`."""
        return SelfPlay(
            self.variant,
            self.config,
            self.make_evaluator(),
            self.make_sink(),
            name=f"{name}-{secrets.token_hex(4)}",
            seed=secrets.randbits(64),
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class ServerFactory:
    """Builds an inference server."""

    config: ServerConfig
    make_source: Callable[[], WeightsSource]
    make_evaluator: EvaluatorFactory
    measures: bool = False  # the best size of batches here, in place of the one that is configured

    def __call__(self) -> InferenceServer:
        """A server that listens."""
        source = self.make_source()
        size = self._best_size(source) if self.measures else self.config.max_batch
        return InferenceServer(replace(self.config, max_batch=size), source, self.make_evaluator)

    def _best_size(self, source: WeightsSource) -> int:
        """What is fastest here with the newest weights; WeightsUnavailable while there are none."""
        blob = source.weights(LATEST, NO_VERSION)
        assert blob is not None
        measured = rates(self.make_evaluator(blob), self.config.variant)
        size = best_size(measured)
        curve = ", ".join(f"{each}: {rate:,.0f}" for each, rate in measured.items())
        _LOG.info("batches of up to %d positions; positions/s by size: %s", size, curve)
        return size
