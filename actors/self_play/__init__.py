"""Games that an actor plays against itself, and how they get to the replay pool."""
