"""Balanced openings: what a strong search thinks of a position, and the positions that it thinks even."""
