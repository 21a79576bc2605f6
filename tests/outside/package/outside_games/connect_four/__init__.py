"""A game of this package."""
