"""Tournaments: who meets whom, the games that were played, and what they say of everyone's strength."""
