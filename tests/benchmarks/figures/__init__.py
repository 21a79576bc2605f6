"""The numbers of the rules pages, measured again; run `python -m tests.benchmarks.figures`."""
