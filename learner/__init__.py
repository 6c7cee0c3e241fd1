"""Training and the run: `replay` keeps games, `training` learns from them, `watching` measures, `run` joins."""
