import json
from dataclasses import replace

import pytest

from evaluator.versions import main
from gobang.network.checkpoint import fresh_checkpoint, save_checkpoint
from gobang.network.presets import preset
from gobang.run_folder import RunFolder, weights_path
from gobang.types import Variant

BOARD = Variant.square(5, k=4)
QUICK = ["--games", "4", "--options", "sims=2,search=gumbel", "--json"]


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A run of which versions 0, 3, 4 and 7 are kept, and 4 is the best."""
    folder = RunFolder(tmp_path_factory.mktemp("run"))
    folder.weights.mkdir()
    for version in (0, 3, 4, 7):
        checkpoint = replace(fresh_checkpoint(preset("gobang_2x32"), BOARD), version=version)
        save_checkpoint(weights_path(folder, version), checkpoint)
    folder.best.write_text('{"version": 4}')
    return folder.root


def result(capsys):
    out = capsys.readouterr().out
    return out, json.loads(out.splitlines()[-1])


def test_everyone_meets_everyone(run, capsys):
    assert main(["--run", str(run), *QUICK]) == 0
    text, fields = result(capsys)
    assert (fields["best"], fields["newest"]) == (4, 7)
    games = {each["name"]: each["wins"] + each["draws"] + each["losses"] for each in fields["players"]}
    assert games == dict.fromkeys(("v3", "v4", "v7"), 8)
    assert [(each["a"], each["b"]) for each in fields["matches"]] == [("v3", "v4"), ("v3", "v7"), ("v4", "v7")]
    assert "best against newest: Elo" in text


def test_versions_can_be_named(run, capsys):
    assert main(["--run", str(run), *QUICK, "--versions", "0"]) == 0
    assert sorted(each["name"] for each in result(capsys)[1]["players"]) == ["v0", "v4", "v7"]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (["--versions", "2"], "versions 2 are not kept; there are 0, 3, 4, 7"),
        (["--games", "3"], "--games 3"),
        (["--run", "/nowhere"], "/nowhere has no best version"),
    ],
)
def test_wrong_arguments_are_named(run, wrong, message, capsys):
    with pytest.raises(SystemExit):
        main(["--run", str(run), *QUICK, *wrong])
    assert message in capsys.readouterr().err
