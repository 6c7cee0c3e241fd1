"""Exact values of positions on small boards, by proof-number search."""
