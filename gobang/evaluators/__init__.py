"""All that answers positions with priors and chances: a network, even priors, nothing, a cache."""
