"""The networks: planes in, a policy and an outcome out."""
