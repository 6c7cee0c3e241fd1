import itertools
import json
import threading
from dataclasses import replace

import pytest

from evaluator.judging.contest import JudgeConfig, Version
from evaluator.judging.gate import PROMOTE, REJECT, GateConfig
from evaluator.judging.history import DROPPED
from evaluator.judging.journal import Journal, JournalFailure
from evaluator.judging.judge import Judge
from evaluator.judging.ladder import LadderConfig
from gobang.errors import InvalidConfig
from gobang.openings import balanced_openings
from gobang.rules.position import Position, symmetry_class
from gobang.run_folder import RunFolder
from gobang.types import Variant
from gobang.versions import NO_VERSION
from tests.evaluator.judging.versions import BOARD, CONFIG, FakeVersions

OF_THREE = replace(
    CONFIG,
    drills=True,
    gate=GateConfig(games=60, opening_plies=2),
    ladder=LadderConfig(first=2, last=2, games=6, opening_plies=2),
)
WEAK, STRONG = -1.0, 1.0


class Killed(BaseException):
    """Ends a judge as a kill would: nothing behind it runs."""


class Desk:
    """Judges that follow each other in one folder."""

    def __init__(self, folder, versions, config=CONFIG, board=BOARD):
        self.folder, self.versions, self.config, self.board = folder, versions, config, board
        self.stopping = threading.Event()
        self.judge = None
        self.restart()

    def restart(self):
        if self.judge is not None:
            self.judge.close()
        self.judge = Judge(self.config, self.board, self.folder, self.versions, self.stopping)

    def run(self):
        while self.judge.step():
            pass
        return self.judge.state()

    def lines(self, name):
        return [json.loads(line) for line in getattr(self.folder, name).read_text().splitlines()]

    def games(self):
        return {(line["match"], line["number"]): tuple(line["moves"]) for line in self.lines("games")}

    def matches(self):
        """Candidate, kind, opponent and standing of each match that has ended."""
        begun = {line["begin"]["number"]: line["begin"] for line in self.lines("matches") if "begin" in line}
        ended = {line["end"]: line["standing"] for line in self.lines("matches") if "end" in line}
        return [(*(begun[each][key] for key in ("candidate", "kind", "opponent")), ended[each]) for each in ended]

    def verdicts(self):
        return [standing["verdict"] for *_, standing in self.matches()]

    def die_after(self, evaluations):
        """Let the versions kill the judge."""
        left = iter(range(evaluations))

        def count():
            if next(left, None) is None:
                raise Killed

        self.versions.on_evaluate = count


@pytest.fixture
def desk(tmp_path):
    made = []

    def make(skills, config=CONFIG, folder="run", board=BOARD):
        made.append(Desk(RunFolder(tmp_path / folder), FakeVersions(skills, board), config, board))
        return made[-1]

    yield make
    for each in made:
        each.judge.close()


@pytest.mark.parametrize("skills", [{}, {0: STRONG}])
def test_there_is_nothing_to_do_before_the_second_version(desk, skills):
    idle = desk(skills)
    assert not idle.judge.step()
    assert idle.judge.state().best == NO_VERSION
    assert idle.versions.promoted == []


def test_nobody_is_promoted_without_a_game_and_the_first_opponent_is_version_0(desk):
    room = desk({0: WEAK, 3: STRONG, 4: WEAK})
    assert room.run().best == NO_VERSION
    room.versions.skills[5] = STRONG
    assert room.run().best == 5
    assert [match[:3] for match in room.matches() if match[1] == "gate"] == [(4, "gate", 0), (5, "gate", 0)]
    assert all(standing["games"] > 0 for *_, standing in room.matches())


def test_a_better_candidate_is_promoted_and_a_worse_one_is_not(desk):
    room = desk({0: WEAK})
    for candidate, skill, best in ((2, STRONG, 2), (3, WEAK, 2)):
        room.versions.skills[candidate] = skill
        state = room.run()
        assert (state.best, state.judged) == (best, candidate)
    assert room.versions.promoted == [2]
    elo = {rating.name: rating.elo for rating in state.ratings}
    assert elo["v2"] > max(elo["v0"], elo["v3"])
    assert state.games == len(room.games())


def test_after_a_match_the_newest_candidate_is_next(desk):
    room = desk({0: WEAK, 1: WEAK})
    room.run()
    room.versions.skills |= dict.fromkeys(range(2, 9), WEAK)
    room.run()
    assert [candidate for candidate, kind, *_ in room.matches() if kind == "gate"] == [1, 8]


def test_candidates_climb_the_ladder_until_a_rung_holds(desk):
    config = JudgeConfig(
        simulations=32,
        solver=True,
        solved_positions=0,
        drills=False,
        gate=GateConfig(games=2, opening_plies=3),
        ladder=LadderConfig(first=2, step=4998, last=5000, games=8, percent=60, opening_plies=3),
    )
    room = desk({0: WEAK, 1: STRONG}, config)
    assert room.run().rung == 5000
    assert [(opponent, standing["verdict"]) for _, _, opponent, standing in room.matches()[1:]] == [
        (2, PROMOTE),
        (5000, REJECT),
    ]
    assert [sum(counts.values()) for counts in room.matches()[1][-1]["by_colour"]] == [4, 4]


def test_the_state_shows_the_match_in_progress(desk):
    room = desk({0: STRONG})
    room.run()
    room.versions.skills[2] = STRONG
    room.judge.step()
    state = room.judge.state()
    assert (state.contest.candidate, state.contest.opponent) == (2, Version(number=0))
    assert state.contest.names == ("v2", "v0")
    assert state.standing.games == state.standing.total.games == state.games == 8


def test_a_version_that_comes_during_a_match_is_known_at_the_next_block(desk):
    room = desk({0: WEAK})
    room.run()
    for newest in (2, 4):
        room.versions.skills[newest] = STRONG
        room.judge.step()
        assert room.judge.state().newest == newest
    assert room.judge.state().contest.candidate == 2


def test_a_candidate_grows_old_when_the_newest_is_more_than_twice_as_far_from_the_best(desk):
    room = desk({0: STRONG, 3: STRONG})
    room.judge.step()
    for newest, verdicts in ((6, []), (7, [DROPPED])):
        room.versions.skills[newest] = STRONG
        room.judge.step()
        assert room.verdicts() == verdicts
    assert room.matches()[0][-1]["games"] == 16  # the standing is kept, and so are the games
    room.judge.step()
    assert room.judge.state().contest.candidate == 7
    assert room.judge.state().judged == 3


@pytest.mark.parametrize("kind", ["balanced", "random"])
def test_gates_begin_with_the_openings_that_are_asked_for(desk, kind):
    room = desk({0: STRONG, 1: STRONG}, replace(CONFIG, gate=replace(CONFIG.gate, openings=kind)))
    room.judge.step()
    played = {tuple(line["moves"][: line["opening"]]) for line in room.lines("games")}
    balanced = {symmetry_class(Position(BOARD, opening)) for opening in balanced_openings(BOARD)}
    found = {symmetry_class(Position(BOARD, opening)) in balanced for opening in played}
    assert (kind == "balanced") == (found == {True})
    assert len(played) == 4


def test_in_a_fixed_gate_no_candidate_grows_old(desk):
    room = desk({0: STRONG, 1: STRONG}, replace(CONFIG, gate=replace(CONFIG.gate, rule="fixed")))
    room.judge.step()
    room.versions.skills[9] = STRONG
    room.judge.step()
    assert room.judge.state().standing.games == 16


@pytest.mark.parametrize("evaluations", [1, 150, 300, 450, 600])
def test_a_killed_judge_is_followed_by_one_that_ends_alike(desk, evaluations):
    whole, killed = (desk({0: STRONG}, folder=folder) for folder in ("whole", "killed"))
    for room in (whole, killed):
        room.run()
        room.versions.skills[2] = STRONG
    expected = whole.run()
    killed.die_after(evaluations)
    with pytest.raises(Killed):
        killed.run()
    killed.versions.on_evaluate = lambda: None
    killed.restart()
    state = killed.run()
    assert (state.best, killed.matches()) == (expected.best, whole.matches())
    assert killed.games() == whole.games()
    assert len(killed.lines("games")) == len(killed.games())


def test_a_verdict_between_last_game_and_its_line_is_made_good(desk):
    room = desk({0: WEAK})
    room.run()
    room.versions.skills[2] = STRONG
    expected = room.run()
    path = room.folder.matches
    lines = path.read_text().splitlines(keepends=True)
    last_gate_end = max(index for index, line in enumerate(lines) if '"end"' in line and PROMOTE in line)
    path.write_text("".join(lines[:last_gate_end]))
    games = room.folder.games.read_text()
    room.restart()
    assert room.judge.state().contest.candidate == 2
    room.versions.evaluator = None  # nobody has to play
    room.judge.step()
    assert room.judge.state().best == expected.best == 2
    assert room.folder.games.read_text() == games


def test_a_game_recorded_twice_counts_once(desk):
    room = desk({0: WEAK})
    room.run()
    room.versions.skills[2] = STRONG
    room.judge.step()
    before = room.judge.state()
    path = room.folder.games
    path.write_text(path.read_text() * 3)
    room.restart()
    assert room.judge.state().games == before.games
    room.judge.step()
    assert room.judge.state().standing.games == before.standing.games + 8


def test_lines_that_are_no_games_and_no_matches_are_passed_over(desk, caplog):
    room = desk({0: WEAK})
    expected = room.run()
    for name, line in (("games", '{"match":0}'), ("matches", '{"end":7}'), ("matches", '{"begin":{"kind":"x"}}')):
        with getattr(room.folder, name).open("a") as file:
            file.write(f"{line}\n")
    room.restart()
    assert room.run() == expected
    assert "left out" in caplog.text


def test_a_promotion_is_published_until_it_is_heard(desk):
    room = desk({0: WEAK, 1: STRONG})
    room.versions.promote_fails = True
    for _ in range(2):
        with pytest.raises(ConnectionError):
            room.run()
    assert room.judge.state().best == 1
    room.versions.promote_fails = False
    room.run()
    room.restart()
    room.run()
    assert room.versions.promoted == [1, 1]  # by each judge once


def test_a_match_whose_version_is_gone_is_dropped(desk):
    room = desk({0: WEAK})
    room.run()
    room.versions.skills[2] = STRONG
    room.judge.step()
    del room.versions.skills[2]
    room.restart()
    room.judge.step()
    assert room.verdicts()[-1] == DROPPED
    room.versions.skills[3] = STRONG
    assert room.run().best == 3


def test_a_climber_that_is_gone_does_not_try_again(desk):
    room = desk({0: WEAK, 1: STRONG})
    while not room.verdicts():
        room.judge.step()
    del room.versions.skills[1]
    room.run()
    assert room.verdicts() == [PROMOTE, DROPPED]


def test_games_on_other_terms_do_not_mix(desk):
    room = desk({0: WEAK})
    room.run()
    room.versions.skills[2] = STRONG
    room.judge.step()
    room.config = replace(CONFIG, simulations=16)
    room.restart()
    room.judge.step()
    assert room.verdicts()[-1] == DROPPED
    assert room.judge.state().best == NO_VERSION


def test_a_failure_in_the_middle_costs_no_finished_game(desk, monkeypatch):
    room = desk({0: WEAK})
    room.run()
    room.versions.skills[2] = STRONG
    append, left = Journal.append, iter(range(5))

    def fill_up(journal, fields):
        if next(left, None) is None:
            raise JournalFailure("the disk is full")
        append(journal, fields)

    with monkeypatch.context() as full:
        full.setattr(Journal, "append", fill_up)
        with pytest.raises(JournalFailure):
            room.run()
    assert room.run().best == 2
    assert len(room.lines("games")) == len(room.games())


def test_a_judge_that_is_to_stop_drops_the_games_in_flight(desk):
    room = desk({0: STRONG})
    room.run()
    room.versions.skills[2] = STRONG
    room.versions.on_evaluate = room.stopping.set
    games = len(room.games())
    assert not room.judge.step()
    assert len(room.games()) == games
    room.stopping.clear()
    room.versions.on_evaluate = lambda: None
    assert room.run().contest is None
    assert room.verdicts()[-2] in (PROMOTE, REJECT)


def test_among_three_a_better_candidate_is_promoted_and_a_worse_one_is_not(desk):
    room = desk({0: WEAK}, OF_THREE, board=Variant.square(4, 3, players=3))
    for candidate, skill, best in ((2, STRONG, 2), (3, WEAK, 2)):
        room.versions.skills[candidate] = skill
        state = room.run()
        assert (state.best, state.judged) == (best, candidate)
    elo = {rating.name: rating.elo for rating in state.ratings}
    assert elo["v2"] > max(elo["v0"], elo["v3"])
    assert 0 <= state.drill.takes_win <= 1
    assert state.rung is None  # 60 % of the points are enough
    games = [line for line in room.lines("games") if line["match"] == 0 and line["number"] < 6]
    seats = {tuple(line[colour] for colour in ("black", "white", "red")) for line in games}
    assert seats == set(itertools.product(("v2", "v0"), repeat=3)) - {("v2",) * 3, ("v0",) * 3}


def test_a_killed_judge_of_three_goes_on_with_the_same_games(desk):
    skills, board = {0: WEAK, 1: STRONG}, Variant.square(4, 3, players=3)
    whole = desk(skills, OF_THREE, "whole", board)
    whole.run()
    killed = desk(skills, OF_THREE, "killed", board)
    killed.die_after(50)
    with pytest.raises(Killed):
        killed.run()
    killed.versions.on_evaluate = lambda: None
    killed.restart()
    killed.run()
    assert (killed.games(), killed.verdicts()) == (whole.games(), whole.verdicts())


def test_what_cannot_be_judged_is_refused():
    with pytest.raises(InvalidConfig, match="pairs_at_once 0"):
        JudgeConfig(pairs_at_once=0)
    with pytest.raises(InvalidConfig, match="share 0"):
        JudgeConfig(share=0)
    with pytest.raises(InvalidConfig, match="sims is 0"):
        JudgeConfig(simulations=0)


def test_a_share_of_the_time_is_left_to_others():
    assert JudgeConfig(share=0.25).rest(2.0) == 6
    assert JudgeConfig(share=1.0).rest(2.0) == 0
