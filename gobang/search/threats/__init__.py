"""Threats on lines of stones, and the tactical solver that proves wins and losses by them."""
