"""Games and losses of fixed seeds are those that were stored: a refactoring changes none of them."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest

from tests.golden import record as golden
from tests.golden.cases import CASES, Record, record

# A record with one entry of each part, to be spoilt one by one.
FOUND = Record(exact={"moves": [1, 2]}, numbers={"loss": [2.0, 1.0]}, bits={"policy": "ab"})
STORED = {"case": {"machine": golden.machine(), **asdict(FOUND)}}


@pytest.mark.parametrize("name", CASES)
def test_games_and_losses_are_as_stored(name: str) -> None:
    assert golden.differences(name, record(name), golden.stored()) == []


def test_every_record_has_a_case() -> None:
    assert list(golden.stored()) == list(CASES)


def test_a_record_can_be_repeated_within_one_process() -> None:
    assert record("self_play_lines_gumbel") == record("self_play_lines_gumbel")


@pytest.mark.parametrize(
    ("found", "named"),
    [
        (replace(FOUND, exact={"moves": [2, 1]}), "moves"),
        (replace(FOUND, exact={}), "moves"),
        (replace(FOUND, exact={"moves": [1, 2], "visits": [3]}), "visits"),
        (replace(FOUND, numbers={"loss": [2.0, 1.01]}), "loss"),
        (replace(FOUND, numbers={"loss": [2.0, np.nan]}), "loss"),
        (replace(FOUND, numbers={"loss": [2.0]}), "loss"),
        (replace(FOUND, bits={"policy": "cd"}), "policy"),
    ],
)
def test_every_change_is_found_and_named(found: Record, named: str) -> None:
    assert golden.differences("case", FOUND, STORED) == []
    assert [line.split(":")[0] for line in golden.differences("case", found, STORED)] == [f"case, {named}"]


def test_bits_of_another_machine_are_not_compared() -> None:
    elsewhere = {"case": {**STORED["case"], "machine": "another"}}
    assert golden.differences("case", replace(FOUND, bits={"policy": "cd"}), elsewhere) == []


def test_the_command_writes_no_change_that_was_not_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(golden, "STORED", tmp_path / "records.json")
    monkeypatch.setattr(golden, "CASES", dict.fromkeys(("one", "two"), FOUND))
    monkeypatch.setattr(golden, "record", lambda name: FOUND)
    assert golden.main([]) == 0
    changed = replace(FOUND, exact={"moves": [9]})
    monkeypatch.setattr(golden, "record", lambda name: changed)
    before = golden.STORED.read_text()
    assert golden.main([]) == 1
    assert "refused: one, moves: [9] where the record has [1, 2]" in capsys.readouterr().out
    assert golden.STORED.read_text() == before
    assert golden.main(["one"]) == 1  # for the sake of the other one
    moves = {name: each["exact"]["moves"] for name, each in json.loads(golden.STORED.read_text()).items()}
    assert moves == {"one": [9], "two": [1, 2]}
    assert golden.main(["three"]) == 2
