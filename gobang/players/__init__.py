"""Players, each made from a text such as `rollout:sims=5000`.  Start at `spec`."""
