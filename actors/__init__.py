"""Self-play: actors and the inference server that answers them."""
