"""Tree search over many games in lock step.  Start at `search`; `tree` explains the arrays."""
