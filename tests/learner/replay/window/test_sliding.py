import numpy as np

from learner.replay.window.sliding import SlidingTable


def test_it_holds_what_a_list_would_and_keeps_numbers() -> None:
    table = SlidingTable({"x": (np.int64, ()), "pair": (np.float32, (2,))})
    plain: list[int] = []
    random = np.random.default_rng(0)
    for _ in range(2000):
        rows = int(random.integers(60))
        values = np.arange(table.end, table.end + rows)
        table.append(rows, x=values, pair=values[:, None])
        plain += values.tolist()
        dropped = int(random.integers(min(60, len(table) + 1)))
        table.drop(dropped)
        plain = plain[dropped:]
        assert (table.first, len(table)) == (plain[0] if plain else table.end, len(plain))
    assert table.live("x").tolist() == plain
    assert table.live("pair")[:, 1].tolist() == plain


def test_its_memory_follows_the_live_rows() -> None:
    table = SlidingTable({"x": (np.int64, ())})
    for _ in range(500):
        table.append(100, x=0)
        table.drop(max(0, len(table) - 2000))
    base = table.live("x").base
    assert isinstance(base, np.ndarray)
    assert len(base) < 4 * 2000
