"""Ways to reach a person, and to be written to: the outbox, its delivery, what comes in, the pause."""
