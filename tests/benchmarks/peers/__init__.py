"""Matches a second beside psyleague and a script made at home, with the same bots and game."""
