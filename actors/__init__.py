"""Self-play of gobang: actors and the inference server that answers them."""
