"""Speeds of this machine; `gobang bench --help` lists them."""
