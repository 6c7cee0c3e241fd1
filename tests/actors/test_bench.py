import json

import pytest

from gobang.cli import main


@pytest.mark.heavy
def test_a_case_is_measured_through_ray(capsys):
    arguments = [
        "--network",
        "gobang_2x32",
        "--actors",
        "1",
        "--games",
        "8",
        "--sims",
        "16",
        "--seconds",
        "2",
        "--json",
    ]
    assert main(["bench", "self-play", *arguments]) == 0
    (case,) = json.loads(capsys.readouterr().out.splitlines()[-1])["cases"]
    assert case["unit"] == "evaluations"
    assert 0 < case["lowest_ratio"] <= case["ratio"] <= case["highest_ratio"]
    assert min(case["per_s"], case["bare_per_s"], case["torch_per_s"], case["mean_batch"]) > 0


def test_wrong_arguments_are_refused(capsys):
    with pytest.raises(SystemExit):
        main(["bench", "self-play", "--network", "gobang_2x23", "--seconds", "1"])
    assert "gobang_2x32" in capsys.readouterr().err
