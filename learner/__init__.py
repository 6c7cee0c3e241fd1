"""Training: replay pool, losses, trainer, weights and the launcher."""
