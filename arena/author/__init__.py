"""For authors of bots: makes new ones, and checks whether they are fit to play."""
