"""Ratings of bots of known skill, held against the truth; `python -m tests.benchmarks.calibration`."""
