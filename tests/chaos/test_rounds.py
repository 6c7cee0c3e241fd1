import pytest

from tests.chaos.__main__ import main
from tests.chaos.case import Round
from tests.chaos.cases import CASES
from tests.chaos.rounds import RoundsFile, bound, table


def played(number, *, case=1, lost=0, faults=()):
    counts = {"acknowledged": 1200, "lost": lost, "twice": 0}
    return Round(
        case=case, number=number, seconds=2.0 + number, faults=faults, patience=1.0, date="-", machine="-", **counts
    )


def test_rounds_are_kept_and_what_is_missing_is_known(tmp_path):
    file = RoundsFile(tmp_path / "chaos" / "rounds.jsonl")
    file.add(played(1))
    file.add(played(3, faults=("slow",)))
    again = RoundsFile(tmp_path / "chaos" / "rounds.jsonl")
    assert again.of(CASES[1]) == [played(1), played(3, faults=("slow",))]
    assert again.missing(CASES[1], 4) == [2, 4]
    again.add(played(3))
    assert [each.has_passed for each in again.of(CASES[1])] == [True, True]


def test_the_table_says_what_was_lost_and_how_sure_that_is():
    rounds = {
        CASES[1]: [played(number) for number in range(1, 61)],
        CASES[2]: [played(1, case=2, lost=2)],
        CASES[3]: [],
    }
    header, _, first, second = table(rounds)
    assert header.startswith("| case |")
    assert first == "| 1 | actor killed | 60 | 0 | 72,000 | 0 | 0 | 32.5, 62.0 | 5% |"
    assert second == "| 2 | server killed | 1 | 1 | 1,200 | 2 | 0 | 3.0, 3.0 | 100% |"


@pytest.mark.parametrize(("losses", "rounds", "most"), [(0, 20, 0.1391), (0, 1, 0.95), (1, 20, 0.2161), (5, 5, 1.0)])
def test_the_bound_is_that_of_clopper_and_pearson(losses, rounds, most):
    assert bound(losses, rounds) == pytest.approx(most, abs=1e-4)


def test_every_case_of_the_list_is_there_and_an_unknown_one_is_refused(capsys):
    assert list(CASES) == list(range(1, 21))
    with pytest.raises(SystemExit, match="2"):
        main(["--cases", "21"])
    assert "no case 21" in capsys.readouterr().err
