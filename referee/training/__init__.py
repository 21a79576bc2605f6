"""Matches in this process, for programs that learn: no bots, no clock, no sandbox."""
