"""The judge of a run: matches of candidates against the best and up a ladder of opponents."""
