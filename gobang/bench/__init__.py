"""Speeds of this machine; `python -m gobang.bench --help` lists them."""
