"""Self-play of gobang: actors, and the inference server that answers them unless they do so themselves."""
