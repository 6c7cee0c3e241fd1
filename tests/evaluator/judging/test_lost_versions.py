"""A judge goes on when its opponent of candidates is lost; the files are really deleted or damaged."""

import threading
from dataclasses import replace

import pytest

from evaluator.judging.contest import Version
from evaluator.judging.journal import read_lines
from evaluator.judging.judge import Judge
from gobang.errors import InvalidCheckpoint, VersionGone
from gobang.network.checkpoint import checkpoint_to_bytes, fresh_checkpoint
from gobang.network.spec import NetworkSpec
from gobang.run_folder import RunFolder, best_weights, weights_path
from learner.training.checkpoints import CheckpointConfig, CheckpointStore
from tests.evaluator.judging.versions import BOARD, CONFIG, FakeVersions

WEAK, STRONG = -1.0, 1.0
MOST_STEPS = 100  # of some ten that a judge needs


class Killed(BaseException):
    """Ends a judge as a kill would: nothing behind it runs."""


class StoredVersions(FakeVersions):
    """Versions that play by a skill, but only while their files in a run's folder are intact."""

    def __init__(self, folder):
        super().__init__({})
        self._store = CheckpointStore(folder, CheckpointConfig())
        spec = NetworkSpec(options={"blocks": 1, "filters": 4, "head_filters": 2, "value_units": 4})
        self._checkpoint = fresh_checkpoint(spec, BOARD)

    def publish(self, version, skill):
        self.skills[version] = skill
        self._store.save(version, checkpoint_to_bytes(replace(self._checkpoint, version=version)), {})

    def evaluator(self, version):
        self._ask(lambda: self._store.read(version))
        return super().evaluator(version)

    def promote(self, version):
        self._ask(lambda: self._store.promote(version))
        super().promote(version)

    def _ask(self, read):
        """As a LearnerClient asks."""
        try:
            read()
        except InvalidCheckpoint as error:
            raise VersionGone(str(error)) from error


class Room:
    """A folder with versions 0 (weak), 2 (strong, the best), and 3 and 4 (weak, rejected), and its judge."""

    def __init__(self, root, skills):
        self.folder = RunFolder(root)
        self.folder.create("")
        self.versions = StoredVersions(self.folder)
        self.judge = None
        self.restart()
        for version, skill in skills.items():
            self.versions.publish(version, skill)
            self.run()

    def restart(self):
        if self.judge is not None:
            self.judge.close()
        self.judge = Judge(CONFIG, BOARD, self.folder, self.versions, threading.Event())

    def run(self):
        for _ in range(MOST_STEPS):
            if not self.judge.step():
                return self.judge.state()
        pytest.fail("the judge does not come to an end")

    def elo(self):
        return {rating.name: rating.elo for rating in self.judge.state().ratings}


@pytest.fixture
def make_room(tmp_path):
    rooms = []

    def make(skills):
        rooms.append(Room(tmp_path / "run", skills))
        return rooms[-1]

    yield make
    for room in rooms:
        room.judge.close()


def delete(path):
    path.unlink()


def damage(path):
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


lose_each_way = pytest.mark.parametrize("lose", [delete, damage])


@lose_each_way
@pytest.mark.parametrize("is_restarted", [True, False])
def test_the_newest_intact_version_that_has_played_takes_the_place_of_a_lost_best(
    make_room, caplog, lose, is_restarted
):
    room = make_room({0: WEAK, 2: STRONG, 3: WEAK, 4: WEAK})
    before = room.elo()
    assert room.judge.state().best == 2
    room.versions.publish(9, STRONG)
    for path in (weights_path(room.folder, 2), best_weights(room.folder), weights_path(room.folder, 4)):
        lose(path)
    if is_restarted:
        room.restart()
    while room.judge.state().best == 2:
        assert room.judge.step()
    assert room.judge.state().best == 3
    assert room.folder.read_best() == 3
    assert "weights of version 2, which candidates play against, are lost" in caplog.text
    assert "version 3 takes its place" in caplog.text
    assert room.elo() == pytest.approx(before)
    room.restart()
    assert room.judge.state().best == room.judge.state().judged == 3
    room.judge.step()
    assert room.judge.state().contest.candidate == 9
    assert room.judge.state().contest.opponent == Version(number=3)
    assert room.run().best == 9
    assert room.elo()["v9"] > room.elo()["v3"]
    state = room.judge.state()
    room.restart()
    room.run()
    assert room.judge.state() == replace(state, newest=9)
    assert caplog.text.count("takes its place") == 1


@lose_each_way
def test_the_version_that_a_run_begins_with_may_be_lost_before_anybody_is_promoted(make_room, lose):
    room = make_room({0: STRONG, 3: WEAK})
    lose(weights_path(room.folder, 0))
    room.versions.publish(5, STRONG)
    assert room.run().best == 5
    assert {"v0", "v3", "v5"} <= set(room.elo())


def test_a_version_that_was_lost_once_takes_nobodys_place(make_room):
    room = make_room({0: WEAK, 2: STRONG, 3: WEAK})
    del room.versions.skills[2], room.versions.skills[3]  # their files are intact, but they do not answer
    room.versions.publish(9, WEAK)
    assert room.run().best == 0
    assert [line["lost"] for line in read_lines(room.folder.matches) if "lost" in line] == [2, 3]


def test_a_candidate_meets_the_new_best_when_the_old_one_is_lost_in_the_middle_of_its_match(make_room):
    room = make_room({0: WEAK, 2: STRONG, 3: WEAK})
    room.versions.publish(9, STRONG)

    def kill():
        raise Killed

    room.versions.on_evaluate = kill
    with pytest.raises(Killed):
        room.run()
    for path in (weights_path(room.folder, 2), best_weights(room.folder)):
        path.unlink()
    room.versions.on_evaluate = lambda: None
    room.restart()
    room.judge.step()
    contest = room.judge.state().contest
    assert (contest.candidate, contest.opponent) == (9, Version(number=3))
    assert room.run().best == 9


@lose_each_way
def test_if_nobody_who_has_played_is_intact_the_newest_version_is_the_best(make_room, lose):
    room = make_room({0: WEAK, 2: STRONG})
    for path in (weights_path(room.folder, 0), weights_path(room.folder, 2), best_weights(room.folder)):
        lose(path)
    room.versions.publish(5, WEAK)
    room.restart()
    assert room.run().best == 5
    room.versions.publish(7, STRONG)
    assert room.run().best == 7


def test_while_no_version_is_intact_the_judge_fails_and_goes_on_with_the_next_one(make_room):
    room = make_room({0: WEAK, 2: STRONG})
    for path in room.folder.weights.iterdir():
        path.unlink()
    room.restart()
    with pytest.raises(VersionGone, match="version 2 is not kept"):
        room.judge.step()
    room.versions.publish(3, WEAK)
    assert room.run().best == 3


@lose_each_way
def test_a_best_of_which_a_copy_is_left_is_not_lost(make_room, caplog, lose):
    room = make_room({0: WEAK, 2: STRONG})
    lose(weights_path(room.folder, 2))
    room.restart()
    assert room.run().best == 2
    assert weights_path(room.folder, 2).read_bytes() == best_weights(room.folder).read_bytes()
    assert "lost" not in caplog.text


def test_a_match_of_the_ladder_goes_on_when_the_best_is_lost(make_room):
    room = make_room({0: WEAK})
    room.versions.publish(2, STRONG)

    def kill_on_the_ladder():
        if '"ladder"' in room.folder.matches.read_text().splitlines()[-1]:
            raise Killed

    room.versions.on_evaluate = kill_on_the_ladder
    with pytest.raises(Killed):
        room.run()
    for path in (weights_path(room.folder, 2), best_weights(room.folder)):
        path.unlink()
    room.versions.on_evaluate = lambda: None
    room.restart()
    climbing = room.judge.state().contest
    assert not climbing.is_gate
    room.judge.step()
    assert room.judge.state().best == 0
    assert [line["end"] for line in read_lines(room.folder.matches) if "end" in line][-1] == climbing.number
    assert room.run().contest is None
