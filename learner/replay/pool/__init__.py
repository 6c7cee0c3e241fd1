"""The replay pool: finished games on their way from actors to the learner, in Redis or in memory."""
