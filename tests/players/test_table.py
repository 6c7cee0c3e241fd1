from gobang.players.registry import PLAYERS
from gobang.players.spec import parse
from gobang.players.table import options_table, players_table


def _cells(table: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in table.splitlines()[2:]]


def test_options_table_holds_every_option_of_every_player_once() -> None:
    listed = [(name, row[0].strip("`")) for row in _cells(options_table()) for name in row[1].split(", ")]
    declared = [(name, each.name) for name, kind in PLAYERS.items() for each in kind.pairs]
    assert sorted(listed) == sorted(declared)


def test_defaults_of_the_table_can_be_written_and_change_nothing() -> None:
    for option, names, _, default, _ in _cells(options_table()):
        for name in names.split(", "):
            if name in ("rollout", "uniform"):
                assert parse(f"{name}:{option.strip('`')}={default.strip('`')}") == parse(name)


def test_players_table_names_every_player_with_its_form() -> None:
    forms = [row[0].strip("`") for row in _cells(players_table())]
    assert [form.partition("[")[0].partition(":")[0] for form in forms] == list(PLAYERS)
    assert "net:FILE[,key=value...]" in forms
    assert "gomocup[,key=value...]:COMMAND" in forms


def test_columns_are_aligned_as_plain_text() -> None:
    assert len({len(line) for line in options_table().splitlines()}) == 1
