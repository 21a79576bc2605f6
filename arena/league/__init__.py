"""What is to be played: a league's file, its bots, and its schedule; pure but for files."""
