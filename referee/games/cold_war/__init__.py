"""Cold War: its table of missiles, plays, refusals and texts."""
