"""The outside parties that tests play: a provider that can hurt us, and the people behind it."""
