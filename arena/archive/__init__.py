"""Matches of a league shown, sent, saved, and proven."""
