"""Slow matches: one process waits for the bots of hundreds, and keeps what they answered."""
