"""Benchmarks: ours beside hand-written SQL and other queues, as ratios in one run."""
