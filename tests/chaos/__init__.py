"""The kill test: real processes, killed at random and at named points, judged from the outside and from history."""
