import json

import numpy as np
import pytest

from gobang.cli import main
from gobang.types import Variant
from learner.training.bench import measure, random_samples, summarise


def test_the_variants_take_turns() -> None:
    calls: list[str] = []
    speeds = measure({name: lambda name=name: calls.append(name) for name in "ab"}, steps=2, repeats=2)  # type: ignore[misc]
    assert "".join(calls) == "ab" + "aabb" * 2
    assert [len(values) for values in speeds.values()] == [2, 2]


def test_ratios_are_taken_within_each_repeat() -> None:
    speeds = {"bf16": [2.0, 20.0, 6.0], "fp32": [1.0, 10.0, 2.0], "bare_bf16": [2.0, 40.0, 8.0]}
    result = summarise(speeds, 10)
    assert result["bf16_positions_per_s"] == 60
    assert (result["bf16_to_fp32"], result["bf16_to_bare_bf16"]) == (2.0, 0.75)


def test_random_samples_are_of_undecided_games_and_legal_moves() -> None:
    samples = random_samples(Variant.square(6, k=4), 40, np.random.default_rng(1))
    assert samples.policy.sum(axis=1) == pytest.approx(1.0)
    assert (samples.policy[samples.boards.cells != 0] == 0).all()
    assert (samples.result_chances.sum(axis=1) == 1).all()


def test_the_last_line_is_json(capsys: pytest.CaptureFixture[str]) -> None:
    main(
        [
            *[
                "bench",
                "train",
                "--size",
                "5",
                "--k",
                "4",
                "--batch",
                "4",
                "--threads",
                "1",
                "--steps",
                "1",
                "--repeats",
                "1",
                "--json",
            ]
        ]
    )
    result = json.loads(capsys.readouterr().out.splitlines()[-1])
    speeds = [value for name, value in result.items() if name.endswith("per_s")]
    assert len(speeds) == 4
    assert min(speeds) > 0
