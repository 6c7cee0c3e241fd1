"""A critic that learns from its own games by temporal differences."""
