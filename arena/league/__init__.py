"""What is to be played: a league's file and its bots; pure but for files."""
