"""Counts, intervals, Elo and tests of matches, from numbers alone: nothing here knows a game or a file."""
