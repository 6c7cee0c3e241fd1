"""The report on a run: curves, win rates, annotated games, as one page with pictures beside it."""
