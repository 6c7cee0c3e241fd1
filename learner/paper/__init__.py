"""The training loop that the works on gobang share, in one process and one thread."""
