"""Runs on several machines: `client` is the runner's side, `host` runs in Dask's workers."""
