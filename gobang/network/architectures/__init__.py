"""The networks: planes in, a policy and chances out."""
