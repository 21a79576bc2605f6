"""When the format `settled` has its answer; run `python -m tests.benchmarks.settling`."""
