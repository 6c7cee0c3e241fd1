"""Matches between two players: openings, processes that play, what came of it."""
