import json

import pytest

from gobang.cli import main


def test_the_last_line_holds_every_figure(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "replay", "--size", "5", "--entries", "4", "--positions", "2000", "--json"]) == 0
    report = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert {"surprise_samples_per_s", "decoded_games_per_s", "read_games_per_s"} <= report.keys()
    assert all(value > 0 for name, value in report.items() if name not in ("benchmark", "game"))
