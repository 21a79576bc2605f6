"""What organizers do with the bots of a league: many are checked, entered, replaced, answered."""
