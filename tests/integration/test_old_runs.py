"""A run that an earlier version made goes on: its settings, weights, pool and journals are read.

Each archive holds the folder of a short run of the preset `tiny` on 5x5, four in a row, as the version in its
name left it: `python -m learner.launch --preset tiny --actors 1 --minutes 1.2 --run kept-run`.
"""

import tarfile
from pathlib import Path

import pytest

from evaluator.report.run_record import read_run
from gobang.network.checkpoint import load_checkpoint
from gobang.run_folder import RunFolder, best_weights

RUNS = sorted((Path(__file__).parents[1] / "golden" / "old_runs").glob("*.tar.xz"))
assert RUNS, "no old run is kept"


@pytest.fixture(params=RUNS, ids=lambda path: path.name.removesuffix(".tar.xz"))
def kept(request: pytest.FixtureRequest, tmp_path: Path) -> RunFolder:
    with tarfile.open(request.param) as archive:
        archive.extractall(tmp_path, filter="data")
    return RunFolder(tmp_path / "kept-run")


def test_an_old_run_can_be_looked_at(kept):
    run = read_run(kept.root)
    assert (len(run.games), run.last("version")) == (324, 200)
    assert load_checkpoint(best_weights(kept)).version == 172


def test_an_old_run_goes_on(kept, launch):
    before = kept.read_summary()["values"]
    again = launch(kept.root, "--resume", "--games", str(int(before["games"]) + 20))
    assert again.end() == 0, again.output + again.log()
    values = again.summary()["values"]
    assert values["games"] >= before["games"] + 20
    assert values["step"] >= before["step"]
    assert values["version"] > 200
    assert values["window"] >= 900  # positions of the old games
    assert values["keeps_value"] > 0.5
    assert "cannot be used" not in again.log()
