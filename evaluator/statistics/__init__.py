"""Statistics of games, from counts alone."""
