"""Finished games on their way to the learner: encoded, pooled in Redis, decoded into a window, sampled."""
