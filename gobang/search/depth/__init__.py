"""Search by depth: minimax, alpha-beta and principal variation search over line patterns."""
