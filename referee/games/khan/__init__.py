"""Khan: its camps, combats, refusals and texts."""
