"""The metrics of a run in words: in rows for a terminal, in one line for a log."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final

from gobang.progress import duration
from learner.watching.metrics import METRICS

_UNKNOWN: Final = "-"
_TROUBLES: Final = {
    "restarts": "restarts",
    "cut_off": "actors cut off from the pool",
    "failing": "actors do nothing but fail",
    "discarded": "games dropped",
    "lost": "games gone from the pool",
    "failures": "failures",
    "faults": "steps left out",
    "rejected": "games put aside",
    "damaged": "checkpoints damaged",
}


def block(values: Mapping[str, float]) -> list[tuple[str, str]]:
    """The rows for a terminal: a word, and numbers."""

    def show(name: str) -> str:
        return number(name, values.get(name))

    gate = _UNKNOWN
    if "gate_version" in values:
        gate = f"{show('gate_version')} against {show('best')}, {show('gate_games')} games, {show('gate_score')}"
    rows = {
        "time": f"{show('seconds')}   left {show('left')}",
        "self-play": f"{show('games_per_s')} games/s   {show('positions_per_s')} positions/s   "
        f"{show('games')} games   {show('simulations')} simulations   {show('actors')} actors",
        "inference": f"{show('evaluations_per_s')} evaluations/s   batch {show('batch_size')}   "
        f"cache {show('cache_hits')}",
        "replay": f"window {show('window')} of {show('window_limit')}   reuse {show('reuse')}   age {show('age')}   "
        f"length {show('game_length')}   black {show('black_score')}",
        "learner": f"step {show('step')}   {show('steps_per_s')} steps/s   version {show('version')}   "
        f"rate {show('learning_rate')}",
        "losses": f"{show('loss')}   policy {show('loss_policy')}   chances {show('loss_outcome')}   "
        f"entropy {show('entropy')}",
        "strength": f"Elo {show('elo')} +- {show('elo_error')}   best {show('best')}   ladder {show('ladder')}, "
        f"{show('ladder_score')}",
        "gate": f"{gate}   next {show('gate_next')}",
    }
    return [
        *rows.items(),
        *[("solved", words) for words in _keeps(values)],
        *[("troubles", ", ".join(words)) for words in [_troubles(values)] if words],
    ]


def line(values: Mapping[str, float]) -> str:
    """What matters most of what is known, for a log."""

    def known(words: str, name: str, rest: str = "") -> list[str]:
        return [f"{words}{number(name, values[name])}{rest}"] if name in values else []

    losses = [*known("policy ", "loss_policy"), *known("chances ", "loss_outcome")]
    elo = known("Elo ", "elo", f" of version {number('best', values.get('best'))}")
    parts = [
        *known("", "seconds"),
        *known("", "games", " games"),
        *known("", "positions_per_s", " positions/s"),
        *known("version ", "version"),
        *known("loss ", "loss", f" ({', '.join(losses)})" if losses else ""),
        *elo,
        *_keeps(values),
        *([f"{duration(values['left'])} left"] if math.isfinite(values.get("left", math.nan)) else []),
        *_troubles(values),
    ]
    return "  ".join(parts)


def number(name: str, value: float | None) -> str:
    """A metric's value for people: a duration, a count with commas, a share, or three digits."""
    if value is None or not math.isfinite(value):
        return _UNKNOWN
    if METRICS[name].unit == "s":
        return duration(value)
    if name == "cache_hits":
        return f"{value:.0%}"
    if value == int(value) or abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.3g}"


def _troubles(values: Mapping[str, float]) -> list[str]:
    """What a person should look into; empty while all is well."""
    return [f"{values[name]:,.0f} {words}" for name, words in _TROUBLES.items() if values.get(name)]


def _keeps(values: Mapping[str, float]) -> list[str]:
    """How the version examined last does in solved positions; empty where there are none."""
    if "keeps_value" not in values:
        return []
    return [f"keeps value {values['keeps_value']:.1%}, policy {values['keeps_value_policy']:.1%}"]
