"""Numbers of a run that is well under way."""

VALUES = {
    "seconds": 754.0, "left": 1046.0, "games": 5210, "positions": 98_000, "games_per_s": 12.34,
    "positions_per_s": 410.6, "evaluations_per_s": 52_345.6, "batch_size": 61.25, "cache_hits": 0.234, "actors": 4,
    "simulations": 32, "window": 43_210, "window_limit": 50_000, "reuse": 4.012, "age": 1.5, "game_length": 18.2,
    "black_score": 0.61, "step": 12_345, "steps_per_s": 8.0, "version": 123, "best": 100, "loss": 2.3145,
    "loss_policy": 1.8, "loss_outcome": 0.5145, "entropy": 1.7, "learning_rate": 0.0012, "elo": 512.4,
    "elo_error": 35.2, "ladder": 2000, "ladder_score": 0.75, "gate_version": 120, "gate_games": 34,
    "gate_score": 0.574, "gate_next": 123,
}  # fmt: skip
