"""Play for a Gomocup manager: `protocol` is the conversation, `engine` its pipes and its player."""
