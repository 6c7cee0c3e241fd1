import numpy as np
import pytest

from actors.server.batching import Question, QuestionQueue, join
from gobang.network.runtimes.calibration import sample_positions
from gobang.types import Variant

VARIANT = Variant.square(6, k=4)


def question(client: str, size: int, *, model: str = "latest", arrived: float = 0.0) -> Question[str]:
    return Question(
        client=client, model=model, number=0, positions=sample_positions(VARIANT, size, seed=size), arrived=arrived
    )


def filled(*questions: Question[str], threads: int = 1) -> QuestionQueue[str]:
    queue: QuestionQueue[str] = QuestionQueue(most_positions=64, longest_wait=0.5, threads=threads)
    for each in questions:
        queue.add(each)
    return queue


def names(batch: list[Question[str]]) -> str:
    return "".join(each.client for each in batch)


def test_without_questions_there_is_nothing_to_wait_for():
    assert filled().seconds_to_wait(1.0, all_wait=True) is None


@pytest.mark.parametrize(
    ("now", "all_wait", "size", "seconds"),
    [(10.0, False, 8, 0.5), (10.2, False, 8, 0.3), (11.0, False, 8, 0.0), (10.0, True, 8, 0.0), (10.0, False, 64, 0.0)],
)
def test_a_batch_is_due_when_old_full_or_hopeless(now, all_wait, size, seconds):
    queue = filled(question("a", size, arrived=10.0), question("b", 0, arrived=10.1))
    assert queue.seconds_to_wait(now, all_wait=all_wait) == pytest.approx(seconds)


def test_a_batch_takes_what_fits_oldest_first():
    queue = filled(question("a", 30), question("b", 30), question("c", 30), question("d", 4))
    assert [names(queue.take()), names(queue.take())] == ["abd", "c"]
    assert not len(queue)


def test_a_large_question_is_a_batch_of_its_own():
    queue = filled(question("a", 100), question("b", 1))
    assert [names(queue.take()), names(queue.take())] == ["a", "b"]


def test_a_batch_is_of_one_model():
    queue = filled(question("a", 1), question("b", 1, model="best"), question("c", 1))
    assert [names(queue.take()), names(queue.take())] == ["ac", "b"]


def test_a_batch_leaves_a_question_for_each_other_thread():
    queue = filled(*(question(name, 8) for name in "abcd"), threads=2)
    assert [names(queue.take()), names(queue.take())] == ["abc", "d"]


def test_questions_of_a_client_that_left_are_forgotten():
    queue = filled(question("a", 1), question("b", 1), question("a", 1))
    assert queue.forget("a") == 2
    assert names(queue.take()) == "b"


def test_joined_positions_keep_their_order():
    parts = [question("a", 3), question("b", 5)]
    joined = join(parts)
    for name in ("cells", "to_move", "last_moves", "key"):
        expected = np.concatenate([getattr(part.positions, name) for part in parts])
        np.testing.assert_array_equal(getattr(joined, name), expected)
    assert join(parts[:1]) is parts[0].positions
