"""The kill test: real processes, hurt at random and at named points, judged from what the provider took and from history."""
