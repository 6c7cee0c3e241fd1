"""All that a judge knows, as it follows from two journals in the run's folder.

The journal of matches has a line when one begins, with what its games depend on, one when it ends, and one when the
weights of the best version are lost; the journal of games has a line for each that is over.
Whatever dies, the next judge reads the same: who is best, how high the ladder was climbed, which
match is in progress and which of its games are played.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Final

from evaluator.judging.contest import Contest, Opponent, Rollouts
from evaluator.judging.gate import PROMOTE, ContestGame, Standing
from evaluator.judging.journal import Journal, Line, read_lines_after
from evaluator.judging.ladder import Ladder, LadderConfig
from evaluator.statistics.bradley_terry import CrossTable
from evaluator.statistics.tally import Tally
from gobang.errors import InvalidGame
from gobang.run_folder import RunFolder
from gobang.types import Variant
from gobang.versions import FIRST_VERSION, NO_VERSION, version_of

DROPPED: Final = "dropped"  # verdict on a match that cannot be played on
ANCHORS: Final[Mapping[str, float]] = {Rollouts(playouts=1000).name: 0.0}  # players whose Elo is fixed

_log = logging.getLogger(__name__)


class History:
    """The state of a judge, kept on disk; one at a time writes to a folder.

    history = History(folder, variant, LadderConfig(), stopping)
    contest = history.current or history.begin(12, Version(number=7), terms)
    history.record(game)
    history.end(gate.standing())
    """

    def __init__(self, folder: RunFolder, variant: Variant, ladder: LadderConfig, stopping: threading.Event) -> None:
        """Once `stopping` is set, in whatever thread, it does not wait for room on the disk any more."""
        self.best = NO_VERSION
        self.judged = NO_VERSION  # newest version that has met the best
        self.current: Contest | None = None
        self.games: list[ContestGame] = []  # of the current match
        self.ladder = Ladder(ladder)
        self.table = CrossTable()  # of all games
        self.lost: set[int] = set()  # versions that were the best, or the first opponent, when their weights were lost
        self._counted = _Counted()
        self._contests = 0
        self._match_journal = Journal(folder.matches, stopping)
        self._game_journal = Journal(folder.games, stopping)
        self._read_matches(self._match_journal.lines())
        for game in _games(self._game_journal.lines(), self._game_journal.path, variant):
            self._take_game(game)

    def begin(self, candidate: int, opponent: Opponent, terms: str) -> Contest:
        """Note that a match begins."""
        assert self.current is None, "one match at a time"
        contest = Contest(number=self._contests, candidate=candidate, opponent=opponent, terms=terms)
        self._match_journal.append({"begin": contest.as_line()})
        self._match_journal.sync()
        self._take_begin(contest)
        return contest

    def record(self, game: ContestGame) -> None:
        """Keep a finished game of the current match."""
        self._game_journal.append(game.as_line())
        self._take_game(game)

    def end(self, standing: Standing) -> None:
        """Note how the current match ended, with all its games safe before."""
        assert self.current is not None
        self._game_journal.sync()
        self._match_journal.append({"end": self.current.number, "standing": asdict(standing)})
        self._match_journal.sync()
        self._take_end(self.current, standing)

    @property
    def opponent(self) -> int:
        """The version that a candidate has to beat: the best, or the first version before the first promotion."""
        return max(self.best, FIRST_VERSION)

    def successors(self) -> list[int]:
        """Versions that may take the place of a lost opponent: those that have played rated games, the newest first."""
        versions = {version_of(name) for name in self.table.names} - self.lost - {self.opponent}
        return sorted((version for version in versions if version is not None), reverse=True)

    def replace_opponent(self, successor: int) -> None:
        """Note that the weights of the opponent are lost, and which version is the best from now on."""
        line = {"lost": self.opponent, "best": successor}
        self._match_journal.append(line)
        self._match_journal.sync()
        self._take_loss(line)

    def close(self) -> None:
        """Write no more."""
        self._match_journal.close()
        self._game_journal.close()

    def _read_matches(self, lines: Iterable[Line]) -> None:
        for line in lines:
            try:
                if "begin" in line:
                    self._take_begin(Contest.from_line(line["begin"]))
                elif "lost" in line:
                    self._take_loss(line)
                elif self.current is not None and line["end"] == self.current.number:
                    self._take_end(self.current, _standing(line["standing"]))
            except (KeyError, TypeError) as error:
                _log.warning("%s: left out %s: %r", self._match_journal.path, line, error)

    def _take_begin(self, contest: Contest) -> None:
        self.current = contest
        self.games = []
        self._contests = max(self._contests, contest.number + 1)

    def _take_loss(self, line: Line) -> None:
        """Take over a new best; newer versions may meet it, those too that have met the lost one."""
        self.lost.add(line["lost"])
        self.best = self.judged = line["best"]

    def _take_game(self, game: ContestGame) -> None:
        self._contests = max(self._contests, game.match + 1)  # also if the line of its match is lost
        is_new_number, is_new_game = self._counted.add(game)
        if is_new_game:
            self.table.add(*game.contestants, game.points_of(game.names[0]))
        if is_new_number and self.current is not None and game.match == self.current.number:
            self.games.append(game)

    def _take_end(self, contest: Contest, standing: Standing) -> None:
        self.current = None
        self.games = []
        if contest.is_gate:
            self.judged = max(self.judged, contest.candidate)
        if standing.verdict == DROPPED:
            self.ladder.give_up()
        elif isinstance(contest.opponent, Rollouts):
            self.ladder.tried(contest.opponent.playouts, standing)
        else:
            self.best = contest.candidate if standing.verdict == PROMOTE else self.best
            self.ladder.gated(contest.candidate, standing)


def read_games(folder: RunFolder, variant: Variant) -> list[ContestGame]:
    """Return the games that count, in the order in which they ended, while a judge may be adding more."""
    return list(GameReader(folder, variant).new_games())


class GameReader:
    """Reads the games that count, each time from where the last time ended.

    reader = GameReader(folder, variant)
    for game in reader.new_games(): ...
    """

    def __init__(self, folder: RunFolder, variant: Variant) -> None:
        self._path, self._variant = folder.games, variant
        self._counted = _Counted()
        self._position = 0  # in the file, behind the games that were read

    def new_games(self) -> Iterator[ContestGame]:
        """Give the games that were added since the last time."""
        position = -1
        while position != self._position:
            position = self._position
            lines, self._position = read_lines_after(self._path, position)
            for game in _games(lines, self._path, self._variant):
                if self._counted.add(game)[1]:
                    yield game


def _games(lines: Iterable[Line], path: Path, variant: Variant) -> Iterator[ContestGame]:
    for line in lines:
        try:
            yield ContestGame.from_line(line, variant)
        except InvalidGame as error:
            _log.warning("%s: left out: %s", path, error)


@dataclass(slots=True)
class _Counted:
    """The games that have been counted: the numbers of every match in a few bytes, the moves of the last one alone."""

    numbers: dict[int, int] = field(default_factory=dict)  # match -> bit of each game's number
    match: int = NO_VERSION
    moves: set[tuple[object, ...]] = field(default_factory=set)

    def add(self, game: ContestGame) -> tuple[bool, bool]:
        """Whether the match lacked that number, and whether the game is also none that it has under another one."""
        known = self.numbers.get(game.match, 0)
        self.numbers[game.match] = known | 1 << game.number
        is_new_number = not known >> game.number & 1
        if game.match != self.match:
            self.match = game.match
            self.moves.clear()
        identity = (game.names, game.record.moves)
        is_new_game = is_new_number and identity not in self.moves
        self.moves.add(identity)
        return is_new_number, is_new_game


def _standing(fields: Line) -> Standing:
    return Standing(**{**fields, "by_colour": tuple(Tally(**counts) for counts in fields["by_colour"])})
