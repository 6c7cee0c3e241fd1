"""Solved positions, and how much of their value a player keeps."""
