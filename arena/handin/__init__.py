"""Bots that are handed in by their authors: who they are, what becomes of each, and how."""
