"""Networks and the evaluators that run them."""
