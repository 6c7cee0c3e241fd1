"""A small network that judges a position by the line patterns in it: patterns, inputs, weights, choice of moves."""
