"""What travels between actors and servers: sockets, messages, keys, and the evaluator at the other end."""
