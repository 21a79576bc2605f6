"""For authors of bots: new ones, and whether they are fit to play."""
