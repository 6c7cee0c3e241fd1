from __future__ import annotations

from pathlib import Path

from tests.mutants.verdicts import KILLED, SURVIVED, TIMED_OUT, Verdict, Verdicts, table


def verdict(mutant: str, outcome: str, tests: str = "old") -> Verdict:
    return Verdict(mutant=mutant, tests=tests, outcome=outcome, noticed_by="", diff="-a\n+b")


def test_a_run_that_was_stopped_goes_on_and_only_survivors_meet_new_tests_again(tmp_path: Path) -> None:
    first = Verdicts(tmp_path / "verdicts")
    for name, outcome in (("a", KILLED), ("b", SURVIVED), ("c", TIMED_OUT)):
        first.add(verdict(name, outcome))
    after = Verdicts(tmp_path / "verdicts")
    assert [after.known(name, "old") for name in "abc"] == [first.known(name, "old") for name in "abc"]
    assert after.known("d", "old") is None
    assert after.known("a", "new") is not None
    assert after.known("b", "new") is None
    after.add(verdict("b", KILLED, "new"))
    again = Verdicts(tmp_path / "verdicts").known("b", "newest")
    assert again is not None
    assert again.outcome == KILLED


def test_the_table_counts_each_outcome() -> None:
    rows = table({"x/y": [verdict("a", KILLED), verdict("b", KILLED), verdict("c", SURVIVED)], "z": []}).splitlines()
    assert rows[1].split() == ["x/y", "3", "2", "1", "0"]
    assert rows[2].split() == ["z", "0", "0", "0", "0"]
