"""Ratings of bots of known skill; run `python -m tests.benchmarks.calibration`."""
