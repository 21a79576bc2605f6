"""Duel: its fencers, actions, refusals and texts."""
