import pytest

from actors import factories
from actors.factories import SelfPlayFactory
from actors.self_play.self_play import SelfPlayConfig
from gobang.evaluators.null import NullEvaluator
from gobang.search.trees.config import SearchConfig
from tests.actors.conftest import KEY, VARIANT, Pool


@pytest.mark.parametrize("weights", ["latest", "best"])
def test_self_play_asks_for_the_weights_that_are_chosen(monkeypatch, weights):
    models = []

    def connect(find, key, variant, *, model):
        models.append(model)
        return NullEvaluator(variant)

    monkeypatch.setattr(factories, "RemoteEvaluator", connect)
    config = SelfPlayConfig(search=SearchConfig(simulations=2), weights=weights, games=2, cache_entries=0)
    make = SelfPlayFactory(variant=VARIANT, config=config, find=str, key=KEY, make_sink=Pool)
    first, second = make("actor-1"), make("actor-1")
    assert models == [weights] * 2
    assert first.name != second.name
