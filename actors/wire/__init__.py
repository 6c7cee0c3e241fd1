"""The connection between actors and servers: sockets, messages, keys, and the evaluator at the actor's end."""
