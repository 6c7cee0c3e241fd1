"""Search: `trees` by simulations, `depth` by line patterns, `threats` and `proof` for what is certain."""
