"""An experiment as it stands in its file.

    title: Noise at the root
    work: which work asked it
    asks: the question
    found: what that work found, with its figures
    preset: 8x8
    variants:                         # the settings that make each one; each is trained with every seed
      "0": [self_play.search.noise_fraction=0]
    minutes: 10                       # of each training,
    iterations: 1500                  # or, in place of minutes and preset, of the works' loop, learner.paper
    seeds: 3
    play: "sims=64,search=puct"       # how the trained networks play when they meet
    meet: true                        # everyone against everyone
    against: ["rollout:sims=1000"]    # each against each of these
    games: 40                         # of each pair, or positions of `depths`

and where it asks for them

    versions: 5                       # so many versions of each run against its last one
    steps: [100, 500]                 # the networks of so many training steps against each other
    drills: 8                         # so many versions of each run asked simple questions, and against random moves
    first_moves: "sims=64"            # everyone against everyone, with each first move of black; how they play
    curves: [losses, entropy]         # topics of evaluator/report/topics.py, over all runs
    players: [pattern, random]        # players that need no training; they meet, too
    courses:                          # critics, and how each is taught, by options of learner.critic
      "with replay": [--replay, "on"]
    lessons: 20000                    # games of each course
    depths: {depth: 6}                # searches by depth and by threats, compared in positions
    works: {"0": worst, "0.2": best}  # the work's figure for each variant, which the page sets beside ours
    claims: ["0.2 > 0"]               # of the work: which variant is better; Elo, or rungs beaten if nobody meets
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from importlib.resources import files
from pathlib import Path
from typing import Final

from gobang.errors import InvalidConfig, nearest
from gobang.options import read_settings
from gobang.settings import parse_yaml, read_yaml
from gobang.types import Variant

_FOLDER: Final = files("evaluator.experiments")
_PLAY: Final = (  # with every option that bears on strength, so that no later default changes what is played
    "sims=64,search=puct,solver=on,threes=off,c_puct=1.5,soft_priors=off,lcb=0,contempt=0,temperature=0,noise=0,"
    "reuse=on,leaves=1,precision=auto"
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Variation:
    """What is trained, e.g. `Variation(name="0.2", settings=("self_play.search.noise_fraction=0.2",))`."""

    name: str
    settings: tuple[str, ...]  # of the launcher; of a critic options of its teacher


@dataclass(frozen=True, kw_only=True, slots=True)
class Depths:
    """Searches that are compared in positions, e.g. `Depths(depth=6, minimax=4, plies=(4, 8))`."""

    depth: int = 0  # plies of search by depth; 0: not asked
    minimax: int = 4  # the same of minimax, which takes long
    width: int = 16  # choices of a position
    plies: tuple[int, ...] = ()  # most stones of searches by threats
    nodes: int = 1_000_000  # most of each of these


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
    courses: tuple[Variation, ...] = ()
    lessons: int = 20_000
    players: tuple[str, ...] = ()
    game: Variant = field(default_factory=lambda: Variant.square(8))  # of what is not trained by the launcher
    minutes: float = 10.0  # of each training,
    evaluations: int = 0  # or, where it is given, the positions of self-play that are evaluated,
    iterations: int = 0  # or the iterations of the works' loop, whose settings are those of learner.paper
    seeds: int = 2
    play: str = _PLAY
    meet: bool = True
    against: tuple[str, ...] = ()
    versions: int = 0
    steps: tuple[int, ...] = ()
    drills: int = 0
    first_moves: str = ""
    curves: tuple[str, ...] = ()
    depths: Depths = field(default_factory=Depths)
    games: int = 40
    works: tuple[tuple[str, str], ...] = ()  # names of variants, and the work's figure for each
    claims: tuple[str, ...] = ()

    def check(self) -> None:
        """Raise InvalidConfig for what does not go together."""
        if not (self.variants or self.courses or self.players or self.depths.depth):
            raise InvalidConfig("an experiment has variants or courses, which are trained, or players, or depths")
        if len(self.variants) * self.seeds < 2 and self.first_moves:
            raise InvalidConfig("first_moves: two trained networks at least, to play each other")
        known = {variation.name for variation in self.variants}
        for name in (*(name for name, _ in self.works), *(name for claim in self.claims for name in sides(claim))):
            if name not in known:
                raise InvalidConfig(f"works or claims name {name!r}, which is no variant; {nearest(name, known)}")
        if set(self.players) & set(self.against):
            raise InvalidConfig(f"{', '.join(set(self.players) & set(self.against))}: among players and against")
        if self.minutes <= 0 or self.seeds < 1 or self.lessons < 1:
            raise InvalidConfig(f"minutes {self.minutes}, seeds {self.seeds}, lessons {self.lessons}: above 0")
        if self.games < 2 or self.games % 2:
            raise InvalidConfig(f"games {self.games}: an even number, since every opening is played twice")


def sides(claim: str) -> tuple[str, str]:
    """Return the variants of a claim such as "0.2 > 0", the better one first."""
    more, sign, less = claim.partition(" > ")
    if not sign:
        raise InvalidConfig(f"claim {claim!r}: write it as 'one variant > another'")
    return more, less


def names() -> list[str]:
    """Of the experiments that there are."""
    return sorted(Path(entry.name).stem for entry in _FOLDER.iterdir() if entry.name.endswith(".yaml"))


def load(name: str) -> Question:
    """An experiment of the package, or that of a YAML file; raises InvalidConfig."""
    path = Path(name)
    if path.suffix == ".yaml":
        values = read_yaml(path)
    elif name in names():
        values = parse_yaml(_FOLDER.joinpath(f"{name}.yaml").read_text(encoding="utf8"), name)
    else:
        raise InvalidConfig(f"no experiment is called {name!r}; {nearest(name, names())}")
    variants, courses = (
        tuple(_variation(each, settings) for each, settings in values.pop(kind, {}).items())
        for kind in ("variants", "courses")
    )
    works = tuple((str(variant), str(figure)) for variant, figure in values.pop("works", {}).items())
    question = replace(read_settings(Question(), values), variants=variants, courses=courses, works=works)
    question.check()
    return question


def _variation(name: object, settings: object) -> Variation:
    if not isinstance(settings, list) or not all(isinstance(each, str) for each in settings):
        raise InvalidConfig(f"variant {name}: a list of settings such as [learner.batch=64], not {settings!r}")
    return Variation(name=str(name), settings=tuple(settings))
