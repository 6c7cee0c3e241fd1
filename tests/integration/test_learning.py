import json

import pytest

from evaluator.exact import main as examine


@pytest.mark.heavy
def test_5x5_learns_within_a_minute_or_so_to_keep_the_value_of_positions(tmp_path, launch, capsys):
    run = tmp_path / "run"
    launched = launch(run, "--preset", "5x5", "--games", "3000")
    assert launched.end() == 0, launched.output + launched.log()
    assert "keeps value" in launched.output
    newest = max((run / "weights").glob("0*.safetensors"))
    for simulations, share in ((1, 0.5), (64, 0.7)):  # untrained 0.32 and 0.51; after 3,000 games 0.74 and 0.84
        player = f"net:{newest},sims={simulations},solver=off"
        assert examine(["--player", player, "--size", "5", "--k", "4", "--json"]) == 0
        everything = json.loads(capsys.readouterr().out.splitlines()[-1])["all"]
        assert everything["random"] < 0.3
        assert everything["share"] > share
