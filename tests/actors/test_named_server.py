from types import SimpleNamespace

import pytest

from actors import remote
from actors.remote import NamedServer
from gobang.errors import EvaluatorUnavailable


class FakeRay:
    """Servers by name; a call is its own answer, or its failure."""

    def __init__(self, *names: str) -> None:
        self.names = list(names)
        self.util = SimpleNamespace(list_named_actors=lambda: ["learner", *self.names])
        self.failure: Exception | None = None

    def get_runtime_context(self):
        return SimpleNamespace(get_node_id=lambda: "here")

    def get_actor(self, name):
        return SimpleNamespace(address=SimpleNamespace(remote=lambda node: f"{name} from {node}"))

    def get(self, answer, timeout):
        if self.failure:
            raise self.failure
        return answer


@pytest.fixture
def ray(monkeypatch: pytest.MonkeyPatch) -> FakeRay:
    fake = FakeRay("inference-2", "inference-10", "inference-7")
    monkeypatch.setattr(remote, "ray", fake)
    return fake


def test_a_server_is_asked_for_its_address(ray):
    assert NamedServer(kind="inference", number=7, turn=0)() == "inference-7 from here"


def test_a_server_that_restarts_is_waited_for(ray):
    ray.failure = remote.RayError("unavailable")
    with pytest.raises(EvaluatorUnavailable, match="inference 7 does not tell"):
        NamedServer(kind="inference", number=7, turn=0)()


def test_in_place_of_one_that_is_gone_all_others_are_asked_in_turn(ray):
    found = {NamedServer(kind="inference", number=1, turn=turn)() for turn in range(3)}
    assert found == {f"{name} from here" for name in ray.names}


def test_without_any_server_there_is_no_address(ray):
    ray.names = []
    with pytest.raises(EvaluatorUnavailable, match="there is no other server"):
        NamedServer(kind="inference", number=1, turn=0)()
