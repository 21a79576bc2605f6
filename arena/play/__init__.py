"""Who plays it: a run, its workers, on this machine or on a cluster."""
