from evaluator.statistics.tally import Tally, tally


def test_a_tally_counts_points():
    counts = tally([1, 0.5, 0, 1, 1])
    assert counts == Tally(wins=3, draws=1, losses=1)
    assert (counts.games, counts.points, counts.score) == (5, 3.5, 0.7)


def test_tallies_add_up():
    assert Tally(wins=1, draws=2, losses=3) + Tally(wins=4, draws=0, losses=1) == Tally(wins=5, draws=2, losses=4)
