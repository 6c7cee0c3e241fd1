"""Training and the run of gobang: `replay` keeps games, `training` learns, `watching` measures, `run` joins."""
