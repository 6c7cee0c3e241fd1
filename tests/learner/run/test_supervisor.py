from types import SimpleNamespace

import pytest
from ray.exceptions import (
    ActorDiedError,
    ActorUnavailableError,
    ActorUnschedulableError,
    NodeDiedError,
    ObjectLostError,
    OutOfMemoryError,
    RaySystemError,
    RuntimeEnvSetupError,
    WorkerCrashedError,
)

from learner.run import supervisor as module
from learner.run.parts import JUDGE, LEARNER, Kind, Part
from learner.run.supervisor import ANSWER_SECONDS, STARTING_SECONDS, PartFailed, Supervisor


class Died(ActorDiedError):
    """Ray makes them from what only Ray has."""

    def __init__(self, reason):
        super().__init__()
        self.args = (reason,)

    def __str__(self):
        return self.args[0]


class FakeActor:
    """Answers with its process and report, raises, or is silent."""

    def __init__(self, answer=(100, "fine")):
        self.answer = answer
        self.killed = []
        self.__ray_call__ = SimpleNamespace(remote=lambda _: self)
        self.stop = SimpleNamespace(remote=lambda: self)


class FakeRay:
    """An actor is its own question."""

    def __init__(self):
        self.silent = set()

    def wait(self, questions, timeout, num_returns=1):
        ready = [question for question in questions if question not in self.silent]
        return ready, [question for question in questions if question in self.silent]

    def get(self, question, timeout):
        if isinstance(question.answer, Exception):
            raise question.answer
        return question.answer

    def kill(self, actor, no_restart=True):
        actor.killed.append(no_restart)


@pytest.fixture
def world(monkeypatch):
    world = SimpleNamespace(ray=FakeRay(), said=[], now=0.0)
    monkeypatch.setattr(module, "ray", world.ray)
    world.supervisor = Supervisor(world.said.append, clock=lambda: world.now)
    return world


def added(world, part):
    world.supervisor.add(part, FakeActor)
    return world.supervisor.handle(part)


def test_reports_are_collected(world):
    world.supervisor.add(LEARNER, FakeActor)
    silent = added(world, JUDGE)
    world.ray.silent.add(silent)
    assert world.supervisor.poll() == {LEARNER: "fine"}
    world.ray.silent.clear()
    assert world.supervisor.poll() == {LEARNER: "fine", JUDGE: "fine"}
    assert world.said == []


def test_what_hangs_is_killed_once_and_gets_time_to_start(world):
    actor = added(world, Part(Kind.ACTOR, 3))
    world.supervisor.poll()
    world.ray.silent.add(actor)
    for world.now in (1.0, 1.0 + ANSWER_SECONDS, 2.0 + ANSWER_SECONDS, 3.0 + ANSWER_SECONDS):
        world.supervisor.poll()
    assert actor.killed == [False]
    assert world.said == ["actor 3 has not answered for 21 s: killed and started again"]
    assert world.supervisor.poll() == {}
    world.ray.silent.clear()
    actor.answer = (101, "fine")
    world.supervisor.poll()
    assert world.said[1:] == ["actor 3 is back"]
    assert world.supervisor.restarts == 1


def test_a_slow_start_is_not_a_hang(world):
    actor = added(world, LEARNER)
    world.ray.silent.add(actor)
    for world.now in (0.0, STARTING_SECONDS - 1):
        world.supervisor.poll()
    assert actor.killed == []
    world.now = STARTING_SECONDS + 1
    world.supervisor.poll()
    assert actor.killed == [False]


def test_a_death_between_two_questions_is_noticed(world):
    actor = added(world, LEARNER)
    world.supervisor.poll()
    actor.answer = (101, "fine")
    world.supervisor.poll()
    assert world.said == ["learner died as process 100 and is back"]
    assert world.supervisor.restarts == 1


def test_a_death_during_a_question_is_noticed(world):
    actor = added(world, LEARNER)
    world.supervisor.poll()
    actor.answer = ActorUnavailableError("gone", b"0" * 16)
    world.supervisor.poll()
    world.supervisor.poll()
    actor.answer = (101, "fine")
    world.supervisor.poll()
    assert world.said == ["learner lost its process: Ray starts it again", "learner is back"]
    assert world.supervisor.restarts == 1


def test_a_part_without_its_node_is_kept_until_it_is_dropped(world):
    actor = added(world, Part(Kind.ACTOR, 1))
    world.supervisor.poll()
    actor.answer = ActorUnschedulableError("the node is gone")
    for _ in range(3):
        world.supervisor.poll()
    assert world.said == ["actor 1 lost its process: Ray starts it again"]
    world.supervisor.drop([Part(Kind.ACTOR, 1)])
    assert (actor.killed, world.supervisor.parts(*Kind)) == ([True], [])


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (OutOfMemoryError("Task was killed due to the node running low on memory."), "the node running low on memory."),
        (ObjectLostError("ab" * 28, "", ""), "have been lost"),
        (WorkerCrashedError(), "worker died unexpectedly"),
        (NodeDiedError("the node died"), "the node died"),
        (RaySystemError("the disk is full"), "the disk is full"),
    ],
)
def test_an_answer_that_ray_loses_is_asked_for_again(world, error, reason):
    actor = added(world, LEARNER)
    world.supervisor.poll()
    actor.answer = error
    assert world.supervisor.poll() == {}
    actor.answer = (100, "fine")
    assert world.supervisor.poll() == {LEARNER: "fine"}
    (failed, back) = world.said
    assert failed.startswith("learner could not report: ")
    assert reason in failed
    assert back == "learner is back"
    assert (world.supervisor.restarts, actor.killed) == (1, [])


@pytest.mark.parametrize("error", [Died("no more"), RuntimeEnvSetupError("no more")])
def test_what_ray_gave_up_is_replaced(world, error):
    dead, fresh = FakeActor(error), FakeActor()
    actors = [dead, fresh]
    world.supervisor.add(LEARNER, lambda: actors.pop(0))
    world.supervisor.poll()
    (said,) = world.said
    assert said.startswith("learner is dead and is replaced: ")
    assert said.endswith("no more")
    assert world.supervisor.poll() == {LEARNER: "fine"}


def test_a_part_that_cannot_start_ends_the_launch(world):
    world.supervisor.add(LEARNER, lambda: FakeActor(Died("features 'fuor'")))
    with pytest.raises(PartFailed, match="learner could not start: features 'fuor'"):
        world.supervisor.has_started(LEARNER)


def test_stopping_waits_for_all_together_and_kills_the_rest(world):
    quick = added(world, LEARNER)
    slow = added(world, JUDGE)
    world.supervisor.poll()
    world.ray.silent.add(slow)
    world.supervisor.stop([LEARNER, JUDGE], seconds=3)
    assert world.said == ["judge did not stop within 3 s and is killed"]
    assert (quick.killed, slow.killed) == ([True], [True])
    assert world.supervisor.poll() == {}


def test_a_part_that_fails_while_it_stops_has_no_last_words(world):
    actor = added(world, LEARNER)
    world.supervisor.poll()
    actor.answer = Died("the process is gone")
    assert world.supervisor.stop([LEARNER], seconds=3) == {LEARNER: None}
    assert world.said == ["learner failed while it stopped: the process is gone"]
