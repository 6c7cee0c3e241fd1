"""A network that learns what another one answers, without a search."""
