"""All that answers positions with priors and outcomes: a network, even priors, nothing, a cache."""
