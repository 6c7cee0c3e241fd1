"""Matches, ratings and the gate that promotes a candidate."""
