"""The inference server: questions of many actors in common batches; weights that are renewed, also within an actor."""
