"""Remote bots of a league on the web: their authors' machines, and the matches that call them."""
