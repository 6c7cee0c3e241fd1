"""The judge without its process: picks candidates, plays their matches block by block, promotes.

    newest version --> gate: against the best --> promoted or not --> ladder: rollout searches of
          ^            on paired openings                             rising strength, until it
          |                    |                                      does not win a rung
          +--- grown old ------+--------------------------------------------+

Before the first promotion the opponent is the version that the run began with.  On boards of which there
are solved positions, the newest version is examined before each gate, and on all boards it is asked simple questions.

Every finished game is in the journal before it counts.  Who is promoted follows from the journal,
so it is promoted again after a restart and again after a failure: `Versions.promote` must not mind.

When the weights of the best version are lost, the newest intact version that has played rated games takes its place, so
that all ratings stay connected; if there is none, the newest version does.  Candidates then play against that one.
"""

from __future__ import annotations

import contextlib
import logging
import threading
from dataclasses import dataclass, replace

from evaluator.judging.contest import Contest, JudgeConfig, PlayerGone, Rollouts, RunningContest, Stopped, Version
from evaluator.judging.drills import Drill, Drills
from evaluator.judging.examiner import Exam, Examiner
from evaluator.judging.gate import CONTINUE, SEQUENTIAL, ContestGame, Standing
from evaluator.judging.history import ANCHORS, DROPPED, History
from evaluator.statistics.bradley_terry import Rating, rate
from evaluator.statistics.tally import NO_GAMES
from gobang.errors import VersionGone
from gobang.interfaces import Versions
from gobang.run_folder import RunFolder
from gobang.types import Variant
from gobang.versions import NO_VERSION

_log = logging.getLogger(__name__)

NO_STANDING = Standing(
    verdict=CONTINUE,
    by_colour=(NO_GAMES, NO_GAMES),
    games=0,
    log_likelihood_ratio=0.0,
)


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgeState:
    """The state of a judge, which makes a new one whenever something has changed."""

    best: int  # version, or NO_VERSION
    judged: int  # newest version that has met the best
    newest: int  # version known of
    contest: Contest | None  # the match in progress
    standing: Standing  # of that match so far
    rung: int | None  # playouts of the rollout search to be beaten next; None when all are
    standstills: int  # how often the ladder has stood still, over the whole run
    ratings: tuple[Rating, ...]  # as of the last finished match
    games: int  # different ones played in all
    exam: Exam | None  # the last, if the game has solved positions
    drill: Drill | None  # the last


class Judge:
    """Plays candidates against the best version and up the ladder.

    judge = Judge(config, variant, folder, versions, stopping)   # continues where the folder's journals end
    while not stopping.is_set():
        if not judge.step():
            ...                                                  # no new candidate: wait a little
    judge.close()
    """

    def __init__(
        self, config: JudgeConfig, variant: Variant, folder: RunFolder, versions: Versions, stopping: threading.Event
    ) -> None:
        """Once `stopping` is set, in whatever thread, a running `step` drops its games at the next move.

        In a run `versions` are ServedVersions of learner.training.remote.
        """
        self.simulations = 0  # of this judge in matches and exams, with playouts; about
        self._config = config
        self._variant = variant
        self._terms = config.terms(variant)
        self._versions = versions
        self._history = History(folder, variant, config.ladder, stopping)
        self._examiner = Examiner(variant, folder, stopping, most=config.solved_positions)
        self._drills = Drills(variant, folder, stopping)
        self._promoted = NO_VERSION  # by this judge
        self._newest = NO_VERSION  # version, at the beginning of the step
        self._skipped = NO_VERSION  # the last version that cannot be asked
        self._exam_is_due = True  # at the start and after each gate
        self._running: RunningContest | None = None  # the current match, once it has been prepared
        self._stopping = stopping
        self._ratings = rate(self._history.table, ANCHORS)
        self._state = self._make_state()

    def step(self) -> bool:
        """Play a block of games, or examine a version; False if there is neither, or if it is to stop.

        After any exception the next step goes on where this one failed.
        """
        self._promote_best()
        self._newest = self._versions.newest()
        self._drill(self._newest)
        self._state = self._make_state()
        if self._exam_is_due and self._examine(self._newest):
            return not self._stopping.is_set()
        contest = self._history.current or self._begin()
        if contest is None:
            return False
        if contest.terms != self._terms:
            self._end(contest, DROPPED)
        else:
            self._play(contest)
        return not self._stopping.is_set()

    def state(self) -> JudgeState:
        """The state now; may be called from any thread."""
        return self._state

    def close(self) -> None:
        """Write no more."""
        self._history.close()
        self._examiner.close()
        self._drills.close()

    def _drill(self, version: int) -> None:
        """Ask a version simple questions unless that was done."""
        if not self._config.drills or version == self._skipped or not self._drills.wants(version):
            return
        try:
            self._drills.drill(version, self._versions)
        except VersionGone as error:
            self._skip(version, error)
        except Stopped:
            return

    def _examine(self, version: int) -> bool:
        """Examine a version unless that was done; whether it was to be done."""
        wanted = version != self._skipped and self._examiner.wants(version)
        if wanted:
            try:
                self._examiner.examine(version, self._versions)
            except Stopped:
                return True
            except VersionGone as error:
                self._skip(version, error)
            self.simulations += self._examiner.simulations
            self._state = self._make_state()
        self._exam_is_due = False
        return wanted

    def _skip(self, version: int, error: VersionGone) -> None:
        """Ask a version nothing any more: weights that are damaged or gone do not come back."""
        _log.warning("version %d is skipped: %s", version, error)
        self._skipped = version

    def _begin(self) -> Contest | None:
        """The next match: the climber's on the ladder, else the newest candidate's against the best."""
        history = self._history
        ladder = history.ladder
        if ladder.climber is not None and ladder.rung is not None:
            return history.begin(ladder.climber, Rollouts(playouts=ladder.rung), self._terms)
        if self._newest <= max(history.judged, history.opponent) or self._newest == self._skipped:
            return None
        return history.begin(self._newest, Version(number=history.opponent), self._terms)

    def _play(self, contest: Contest) -> None:
        """Play a block of games, and end the match if that decides it, or if its candidate has grown old."""
        if self._running is None:
            self._running = RunningContest(contest, self._config, self._variant, self._history.games)
        running, gate = self._running, self._running.gate
        if self._is_old(contest):
            self._end(contest, DROPPED)
            return

        def on_game(game: ContestGame) -> None:
            self._history.record(game)
            gate.add(game)
            self.simulations += running.simulations_of(game)
            self._state = self._make_state()

        try:
            running.play_block(self._versions, self._stopping, on_game)
        except Stopped:
            return
        except PlayerGone as error:
            _log.warning("match %d: %s", contest.number, error)
            self._end(contest, DROPPED)
            if error.version == self._history.opponent:
                self._replace_opponent(error)
            return
        if gate.verdict != CONTINUE:
            self._end(contest, gate.verdict)

    def _is_old(self, contest: Contest) -> bool:
        """Whether more versions have come after the candidate than lie between the best and it.

        The newest is then likely to be better by more, and so is tested in fewer games.
        """
        if isinstance(contest.opponent, Rollouts) or self._config.gate.rule != SEQUENTIAL:
            return False
        return self._newest - contest.candidate > contest.candidate - contest.opponent.number

    def _end(self, contest: Contest, verdict: str) -> None:
        """End a match; a version that it promotes is promoted at once."""
        self._close(contest, verdict)
        self._promote_best()

    def _close(self, contest: Contest, verdict: str) -> None:
        standing = replace(self._standing(), verdict=verdict)
        self._history.end(standing)
        self._running = None
        self._exam_is_due |= contest.is_gate
        _log.info("match %d, %s against %s: %s after %d games", contest.number, *contest.names, verdict, standing.games)
        self._ratings = rate(self._history.table, ANCHORS)
        self._state = self._make_state()

    def _promote_best(self) -> None:
        """Promote the best, unless this judge has done so; if its weights are lost, another version takes its place."""
        best = self._history.best
        if best == self._promoted:
            return
        try:
            self._versions.promote(best)
        except VersionGone as error:
            self._replace_opponent(error)
        else:
            self._promoted = best

    def _replace_opponent(self, reason: VersionGone) -> None:
        """Let another version take the place of the lost opponent; raises VersionGone if no version is intact."""
        history = self._history
        if history.current is not None and history.current.opponent == Version(number=history.opponent):
            self._close(history.current, DROPPED)
        successor = self._promote_first([*history.successors(), self._versions.newest()])
        _log.warning(
            "the weights of version %d, which candidates play against, are lost: %s; version %d takes its place",
            history.opponent,
            reason,
            successor,
        )
        history.replace_opponent(successor)
        self._promoted = successor
        self._state = self._make_state()

    def _promote_first(self, versions: list[int]) -> int:
        """Promote the first version of which the weights are intact, and return it."""
        for version in versions[:-1]:
            with contextlib.suppress(VersionGone):
                self._versions.promote(version)
                return version
        self._versions.promote(versions[-1])
        return versions[-1]

    def _standing(self) -> Standing:
        return self._running.gate.standing() if self._running else NO_STANDING

    def _make_state(self) -> JudgeState:
        history = self._history
        return JudgeState(
            best=history.best,
            judged=history.judged,
            newest=self._newest,
            contest=history.current,
            standing=self._standing(),
            rung=history.ladder.rung,
            standstills=history.ladder.standstills,
            ratings=self._ratings,
            games=history.table.games,
            exam=self._examiner.last,
            drill=self._drills.last,
        )
