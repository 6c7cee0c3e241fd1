"""The game: board geometry, moves, wins, forbidden points, symmetries.  Start at `position`."""
