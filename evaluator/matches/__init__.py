"""Matches between two players: the processes that play them, and what came of it."""
