"""The works' training loop, in the order in which it runs.

An iteration is one game of self-play, then one update: up to five steps on one mini-batch of the newest positions.
Every 50 iterations the network meets rollouts.  Up to 16 games are played at once, and then as many updates made.

    PaperRun(config, folder, print).train(1500)

Everything follows from the seed, in one thread.  After each group of games the state is saved, so that a killed run
goes on and ends with the same weights, bit for bit, as one that was not killed.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

import numpy as np

from gobang.disk import write_atomically
from gobang.errors import InvalidCheckpoint
from gobang.evaluators.network import make_evaluator
from gobang.interfaces import Evaluator
from gobang.network.checkpoint import Checkpoint, save_checkpoint
from gobang.run_folder import RunFolder, weights_path
from learner.paper.check import EVERY, Check, hold_check, rung_after, simulations_after
from learner.paper.config import PaperConfig
from learner.paper.games import Played, play_games
from learner.paper.trainer import PaperTrainer, Update
from learner.paper.window import Newest
from learner.training.training_state import State, load_training_state, save_training_state

STATE: Final = "paper.safetensors"  # in the folder `state`
CHECKS: Final = "checks.jsonl"

Line = dict[str, Any]


class PaperRun:
    """One training in its folder."""

    def __init__(self, config: PaperConfig, folder: RunFolder, say: Callable[[str], None]) -> None:
        self._config, self._folder, self._say = config, folder, say
        self._random = np.random.default_rng(config.seed)
        self._trainer = PaperTrainer(config)
        self._newest = Newest(config.game, config.window, augment=config.augment)
        self.iteration = 0
        self._seconds = 0.0  # of work, over all starts
        self._positions = self._evaluations = 0
        self._checks: list[Check] = []
        self._lines: list[Line] = []  # of metrics.jsonl
        if self._state_path.exists():
            self._restore()
        else:
            self._save_weights()

    def train(self, iterations: int) -> None:
        """Train until there were so many iterations; the state is saved after each group of games."""
        begun, first = time.monotonic(), self.iteration
        while self.iteration < iterations:
            started = time.monotonic()
            count = self._games_now(iterations)
            played = self._play(count)
            updates = self._learn(played)
            self.iteration += count
            if self.iteration % EVERY == 0:
                self._check()
            self._seconds += time.monotonic() - started
            self._note(played, updates)
            self._save("finished" if self.iteration >= iterations else "running")
            if self.iteration % EVERY == 0:
                left = (time.monotonic() - begun) / (self.iteration - first) * (iterations - self.iteration)
                self._say(self._progress(iterations, left))
        self._write_summary("finished")

    def _games_now(self, iterations: int) -> int:
        """Return the size of the next group; groups are even and end at each check."""
        left = min(EVERY - self.iteration % EVERY, iterations - self.iteration)
        groups = -(-left // self._config.games_at_once)
        return -(-left // groups)

    def _play(self, count: int) -> Played:
        simulations = simulations_after(self._config, self._checks)
        played = play_games(self._config, self.evaluator(), simulations, count, self._random)
        self._evaluations += played.evaluations
        return played

    def _learn(self, played: Played) -> list[Update]:
        """Add the games to the newest positions, then make as many updates."""
        for game in played.games:
            samples = game.samples()
            self._positions += len(samples)
            self._newest.extend(samples)
        if len(self._newest) <= self._config.batch:
            return []
        return [self._trainer.learn(self._newest.draw(self._config.batch, self._random)) for _ in played.games]

    def _check(self) -> None:
        self._checks.append(hold_check(self._config, self.evaluator(), self.iteration, rung_after(self._checks)))
        self._save_weights()

    def evaluator(self) -> Evaluator:
        """Return an evaluator with the weights as they are now."""
        precision = self._trainer.precision
        return make_evaluator(self._checkpoint(), self._config.game, backend="openvino", precision=precision, threads=1)

    def _checkpoint(self) -> Checkpoint:
        """Return the weights; their version is the number of iterations."""
        return Checkpoint(
            spec=self._trainer.spec,
            variant=self._config.game,
            tensors=self._trainer.weights(),
            version=self.iteration,
            step=self._trainer.steps,
            games=self.iteration,
        )

    @property
    def _state_path(self) -> Path:
        return self._folder.state / STATE

    def _save_weights(self) -> None:
        save_checkpoint(weights_path(self._folder, self.iteration), self._checkpoint())

    def _note(self, played: Played, updates: list[Update]) -> None:
        """Add a line of metrics: counters, and means over the updates."""
        means = {}
        if updates:
            columns = [asdict(update) for update in updates]
            names = ("loss", "loss_policy", "value_mse", "entropy", "kl", "learning_rate")
            means = {name: float(np.mean([column[name] for column in columns])) for name in names}
            means["loss_outcome"] = means["value_mse"]
        self._lines.append(
            {
                "seconds": self._seconds,
                "games": self.iteration,
                "positions": self._positions,
                "evaluations": self._evaluations,
                "step": self._trainer.steps,
                "version": self.iteration // EVERY * EVERY,
                "simulations": simulations_after(self._config, self._checks),
                "game_length": float(np.mean([len(game.policy) for game in played.games])),
                **means,
            }
        )

    def _save(self, ended: str) -> None:
        """Save the state first: the files for readers follow from it."""
        state = {
            "iteration": self.iteration,
            "seconds": self._seconds,
            "positions": self._positions,
            "evaluations": self._evaluations,
            "random": self._random.bit_generator.state,
            "trainer": self._trainer.get_state(),
            "newest": self._newest.get_state(),
            "checks": [asdict(check) for check in self._checks],
            "lines": self._lines,
        }
        save_training_state(self._state_path, state)
        self._write_files(ended)

    def _restore(self) -> None:
        """Go on from the state on disk; raise InvalidCheckpoint if it is not that of such a run."""
        state = load_training_state(self._state_path)
        try:
            self._set_state(state)
        except (LookupError, TypeError, ValueError, AttributeError, RuntimeError) as error:
            raise InvalidCheckpoint(f"{self._state_path}: not the state of such a run: {error!r}") from error

    def _set_state(self, state: State) -> None:
        self.iteration, self._seconds = state["iteration"], state["seconds"]
        self._positions, self._evaluations = state["positions"], state["evaluations"]
        self._random.bit_generator.state = state["random"]
        self._trainer.set_state(state["trainer"])
        self._newest.set_state(state["newest"])
        self._checks = [Check(**check) for check in state["checks"]]
        self._lines = state["lines"]

    def _write_files(self, ended: str) -> None:
        _write_lines(self._folder.metrics, self._lines)
        _write_lines(self._folder.root / CHECKS, [asdict(check) for check in self._checks])
        self._write_summary(ended)

    def _write_summary(self, ended: str) -> None:
        values = self._lines[-1] if self._lines else {}
        self._folder.write_summary({"state": ended, "values": values})

    def _progress(self, iterations: int, left: float) -> str:
        last = self._checks[-1]
        return (
            f"iteration {self.iteration:,} of {iterations:,}: {last.points:g} of {last.games} points "
            f"against rollouts of {last.playouts:,}; {left / 60:.0f} min left"
        )


def _write_lines(path: Path, lines: list[Line]) -> None:
    write_atomically(path, "".join(f"{json.dumps(line)}\n" for line in lines).encode())
