"""Plays a league: a run and its workers, on this machine or on a cluster."""
