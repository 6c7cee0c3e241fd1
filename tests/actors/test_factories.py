import secrets
from dataclasses import replace

from actors import factories
from actors.factories import ServerFactory
from actors.server.inference import ServerConfig
from tests.actors.conftest import KEY, VARIANT, Shelf, marked


def test_a_server_that_measures_takes_the_batches_that_are_fastest(monkeypatch, caplog):
    caplog.set_level("INFO")
    made = []
    monkeypatch.setattr(factories, "rates", lambda evaluator, variant: {64: 900.0, 256: 2000.0, 512: 2001.0})
    monkeypatch.setattr(factories, "InferenceServer", lambda config, *_: made.append(config))
    config = ServerConfig(variant=VARIANT, listen=(f"unix:/tmp/gobang-{secrets.token_hex(6)}.sock",), key=KEY)
    for measures in (False, True):
        ServerFactory(config=config, make_source=Shelf, make_evaluator=marked, measures=measures)()
    assert made == [config, replace(config, max_batch=256)]
    assert "batches of up to 256 positions; positions/s by size: 64: 900, 256: 2,000, 512: 2,001" in caplog.text
