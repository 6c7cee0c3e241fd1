"""An experiment as it stands in its file.

    title: Noise at the root
    work: which work asked it
    asks: the question
    found: what that work found, with its figures
    preset: 8x8
    variants:                         # the settings that make each one; each is trained with every seed
      "0": [self_play.search.noise_fraction=0]
    minutes: 10                       # of each training
    seeds: 3
    play: "sims=64,search=puct"       # how the trained networks play when they meet
    meet: true                        # everyone against everyone
    against: ["rollout:sims=1000"]    # each against each of these
    versions: 5                       # so many versions of each run against its last one
    games: 40                         # of each pair

An experiment without trainings names `players` in place of `variants`.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from importlib.resources import files
from pathlib import Path
from typing import Final

from gobang.errors import InvalidConfig, nearest
from gobang.options import read_settings
from gobang.settings import parse_yaml
from gobang.types import Variant

_FOLDER: Final = files("evaluator.experiments")


@dataclass(frozen=True, kw_only=True, slots=True)
class Variation:
    """What is trained, e.g. `Variation(name="0.2", settings=("self_play.search.noise_fraction=0.2",))`."""

    name: str
    settings: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Question:
    """One experiment; see the top of the module."""

    title: str = ""
    work: str = ""
    asks: str = ""
    found: str = ""
    preset: str = "8x8"
    settings: tuple[str, ...] = ()  # of all variants, e.g. "learner.batch=64"
    variants: tuple[Variation, ...] = ()
    players: tuple[str, ...] = ()
    game: Variant = field(default_factory=lambda: Variant.square(8))  # of the matches
    minutes: float = 10.0  # of each training,
    evaluations: int = 0  # or, where it is given, the positions of self-play that are evaluated
    seeds: int = 3
    play: str = "sims=64,search=puct"
    meet: bool = True
    against: tuple[str, ...] = ()
    versions: int = 0
    games: int = 40

    def check(self) -> None:
        """Raise InvalidConfig for what does not go together."""
        if bool(self.variants) == bool(self.players):
            raise InvalidConfig("an experiment has either variants, which are trained, or players")
        if self.minutes <= 0 or self.seeds < 1:
            raise InvalidConfig(f"minutes {self.minutes}, seeds {self.seeds}: above 0")
        if self.games < 2 or self.games % 2:
            raise InvalidConfig(f"games {self.games}: an even number, since every opening is played twice")


def names() -> list[str]:
    """Of the experiments that there are."""
    return sorted(Path(entry.name).stem for entry in _FOLDER.iterdir() if entry.name.endswith(".yaml"))


def load(name: str) -> Question:
    """An experiment of the package, or that of a YAML file; raises InvalidConfig."""
    path = Path(name)
    if path.suffix == ".yaml":
        try:
            text = path.read_text(encoding="utf8")
        except OSError as error:
            raise InvalidConfig(str(error)) from error
    elif name in names():
        text = _FOLDER.joinpath(f"{name}.yaml").read_text(encoding="utf8")
    else:
        raise InvalidConfig(f"no experiment is called {name!r}; {nearest(name, names())}")
    values = parse_yaml(text, name)
    variants = tuple(_variation(each, settings) for each, settings in values.pop("variants", {}).items())
    question = replace(read_settings(Question(), values), variants=variants)
    question.check()
    return question


def _variation(name: object, settings: object) -> Variation:
    if not isinstance(settings, list) or not all(isinstance(each, str) for each in settings):
        raise InvalidConfig(f"variant {name}: a list of settings such as [learner.batch=64], not {settings!r}")
    return Variation(name=str(name), settings=tuple(settings))
