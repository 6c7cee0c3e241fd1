"""The window: the newest games, decoded in the learner's memory and drawn from."""
