"""Gobang: rules, search, networks and players for k-in-a-row games.

A library without Ray and without Redis.  Import what you need from its modules, in the order in
which a position travels: `types`, `rules`, `features`, `network`, `search`, `players`, `match`.
"""
