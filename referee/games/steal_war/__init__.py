"""Steal War: its tricks, refusals and texts."""
