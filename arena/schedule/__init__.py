"""Formats: which deals a league asks for, and how each is called, dealt and seated; pure."""
