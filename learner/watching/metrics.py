"""The metrics of a run: one list of them, their rates, and the file they are written to.

Every display and file takes its numbers as `Values`, by names that stand in METRICS and nowhere else.
"""

from __future__ import annotations

import json
import math
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from gobang.disk import PatientFile

Values = dict[str, float]  # by the name of a metric; what is not known yet is left out

RATE_SECONDS: Final = 10.0  # over which a rate is taken


@dataclass(frozen=True, kw_only=True, slots=True)
class Metric:
    """A number that changes during a run, e.g. `Metric(group="replay", name="window", unit="positions", ...)`."""

    group: str  # what it belongs to where many are shown
    name: str
    unit: str  # empty for a plain number
    help: str
    counted: str = ""  # the counter that this is the rate of

    @property
    def tag(self) -> str:
        """Its name below its group, e.g. "replay/window" or "loss/policy"; the group's own is "loss/total"."""
        short = self.name.removeprefix(f"{self.group}_")
        return f"{self.group}/{'total' if short == self.group else short}"


METRICS: Final = {
    metric.name: metric
    for metric in (
        Metric(group="run", name="seconds", unit="s", help="since the run began, over all resumptions"),
        Metric(group="self_play", name="games", unit="games", help="of self-play stored in the pool"),
        Metric(group="self_play", name="positions", unit="positions", help="in those games"),
        Metric(group="inference", name="evaluations", unit="positions", help="of self-play, over all resumptions"),
        Metric(group="self_play", name="games_per_s", unit="games/s", help="stored", counted="games"),
        Metric(group="self_play", name="positions_per_s", unit="positions/s", help="stored", counted="positions"),
        Metric(
            group="inference", name="evaluations_per_s", unit="positions/s", help="of self-play", counted="evaluations"
        ),
        Metric(group="inference", name="batch_size", unit="positions", help="in one call of the network, mean"),
        Metric(group="inference", name="batch_wait", unit="ms", help="that a question waited for its batch, mean"),
        Metric(
            group="self_play", name="cache_hits", unit="", help="share of the positions answered without the network"
        ),
        Metric(group="self_play", name="actors", unit="actors", help="that answer"),
        Metric(group="self_play", name="waiting", unit="actors", help="of those that wait for the learner or the pool"),
        Metric(group="self_play", name="cut_off", unit="actors", help="of those that do not reach the pool"),
        Metric(group="self_play", name="played", unit="", help="oldest version that an actor plays with"),
        Metric(
            group="inference",
            name="served",
            unit="",
            help="oldest version that an inference server gives as the latest",
        ),
        Metric(group="inference", name="clients", unit="", help="connections to inference servers"),
        Metric(
            group="inference", name="dropped", unit="questions", help="of clients that left an inference server, so far"
        ),
        Metric(group="self_play", name="buffered", unit="games", help="that wait in actors for the pool"),
        Metric(group="self_play", name="discarded", unit="games", help="finished, but not fit to be stored, so far"),
        Metric(
            group="self_play", name="failing", unit="actors", help="that have failed again and again, and only that"
        ),
        Metric(group="self_play", name="simulations", unit="", help="per move of self-play now"),
        Metric(
            group="self_play",
            name="effort",
            unit="simulations",
            help="made per move of self-play, mean; tails of games get few",
        ),
        Metric(group="self_play", name="game_length", unit="moves", help="per game, mean of the last minute"),
        Metric(
            group="self_play", name="black_score", unit="", help="of the first player in self-play, draws count half"
        ),
        Metric(group="training", name="step", unit="steps", help="of training"),
        Metric(group="training", name="steps_per_s", unit="steps/s", help="of training", counted="step"),
        Metric(group="training", name="version", unit="", help="of the newest weights"),
        Metric(group="strength", name="best", unit="", help="version of the best weights"),
        Metric(group="replay", name="window", unit="positions", help="that are sampled from"),
        Metric(group="replay", name="window_limit", unit="positions", help="that the window may hold now"),
        Metric(group="replay", name="reuse", unit="", help="samples drawn per position stored, so far"),
        Metric(
            group="replay",
            name="surprise",
            unit="nats",
            help="of the search at the network's prior, mean of the window",
        ),
        Metric(
            group="replay",
            name="age",
            unit="versions",
            help="between the weights that played a sample and the newest, mean",
        ),
        Metric(group="loss", name="loss", unit="", help="total"),
        Metric(group="loss", name="loss_policy", unit="nats", help="cross-entropy of the policy"),
        Metric(group="loss", name="loss_outcome", unit="", help="of the head of chances"),
        Metric(group="loss", name="loss_reply", unit="nats", help="cross-entropy of the reply head"),
        Metric(group="loss", name="value_mse", unit="", help="squared error of the expected utility"),
        Metric(group="loss", name="entropy", unit="nats", help="of the predicted policy"),
        Metric(group="training", name="kl", unit="nats", help="by which one step changed the policy"),
        Metric(group="loss", name="l2", unit="", help="what the decay of the weights stands for"),
        Metric(group="training", name="gradient_norm", unit="", help="before it was cut"),
        Metric(group="training", name="learning_rate", unit="", help="of the last step"),
        Metric(
            group="accuracy",
            name="accuracy_opening",
            unit="",
            help="of the likeliest outcome, in the first third of the games",
        ),
        Metric(group="accuracy", name="accuracy_middle", unit="", help="of the likeliest outcome, in the second third"),
        Metric(group="accuracy", name="accuracy_end", unit="", help="of the likeliest outcome, in the last third"),
        Metric(group="training", name="faults", unit="steps", help="left out because a number was not finite"),
        Metric(
            group="training",
            name="damaged",
            unit="checkpoints",
            help="that the learner could not use when it started last",
        ),
        Metric(group="replay", name="rejected", unit="games", help="put aside as invalid"),
        Metric(
            group="replay", name="lost", unit="games", help="that vanished from the pool, evicted or deleted, so far"
        ),
        Metric(group="strength", name="elo", unit="", help="of the best weights"),
        Metric(group="strength", name="elo_error", unit="", help="half of the 95 % interval"),
        Metric(group="gate", name="gate_version", unit="", help="that plays for promotion now"),
        Metric(group="gate", name="gate_games", unit="games", help="of that match so far"),
        Metric(group="gate", name="gate_score", unit="", help="of the candidate in it"),
        Metric(group="gate", name="gate_next", unit="", help="version that will play next"),
        Metric(group="strength", name="ladder", unit="playouts", help="of the rollout player that is played now"),
        Metric(group="strength", name="ladder_score", unit="", help="against it so far"),
        Metric(
            group="strength",
            name="keeps_value",
            unit="",
            help="share of solved positions, kept by the version examined last, 64 simulations",
        ),
        Metric(
            group="strength", name="keeps_value_policy", unit="", help="the same for the likeliest move of its network"
        ),
        Metric(
            group="strength",
            name="takes_win",
            unit="",
            help="share of wins in one that the newest network's likeliest move takes",
        ),
        Metric(group="strength", name="blocks", unit="", help="share of threats to win in one that it blocks"),
        Metric(
            group="strength",
            name="alike",
            unit="",
            help="share of turned and mirrored views of positions where it is the same move",
        ),
        Metric(group="strength", name="random_black", unit="", help="score of that move as black against random moves"),
        Metric(group="strength", name="random_white", unit="", help="the same as white"),
        Metric(
            group="run", name="failures", unit="", help="of actors and of the judge, after which they went on, so far"
        ),
        Metric(group="run", name="restarts", unit="", help="of parts of the run so far"),
        Metric(group="run", name="left", unit="s", help="until the run ends"),
    )
}


class Rates:
    """Adds the rates of the counters among the values, over the last seconds."""

    def __init__(self) -> None:
        self._history: deque[tuple[float, Values]] = deque()

    def add(self, now: float, values: Values) -> Values:
        """The values with a rate for each counter in them that was there before."""
        self._history.append((now, dict(values)))
        while len(self._history) > 2 and now - self._history[1][0] >= RATE_SECONDS:
            self._history.popleft()
        then, before = self._history[0]
        rates = {
            metric.name: max(0.0, values[metric.counted] - before[metric.counted]) / (now - then)
            for metric in METRICS.values()
            if now > then and metric.counted in values and metric.counted in before
        }
        return {**values, **rates}


class Total:
    """A counter over processes that begin at 0 again when they are restarted."""

    def __init__(self) -> None:
        self.value = 0.0
        self._last: dict[int, float] = {}

    def add(self, process: int, count: float) -> None:
        """Take note of the counter of a process, by any number that stays its own."""
        last = self._last.get(process, 0.0)
        self.value += count - last if count >= last else count
        self._last[process] = count


class MetricsFile:
    """Appends one JSON object per call to a file, e.g. {"time": 1760000000.0, "step": 12, "loss": 2.1}."""

    def __init__(self, path: Path) -> None:
        self._file = PatientFile(path)

    def write(self, time: float, values: Mapping[str, float]) -> None:
        """Append the known ones; an unknown name is a mistake of ours.  OSError if they wait for the next call."""
        line = json.dumps({"time": round(time, 3), **{name: _rounded(values[name]) for name in checked(values)}})
        self._file.append(f"{line}\n".encode())

    def close(self) -> None:
        """Write no more."""
        self._file.close()


def checked(values: Mapping[str, float]) -> list[str]:
    """The names of the values in the order of METRICS, without those that are not finite."""
    unknown = values.keys() - METRICS.keys()
    assert not unknown, f"not in METRICS: {', '.join(sorted(unknown))}"
    return [name for name in METRICS if name in values and math.isfinite(values[name])]


def _rounded(value: float) -> float:
    return value if isinstance(value, int) else float(f"{value:.6g}")
