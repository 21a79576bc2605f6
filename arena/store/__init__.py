"""What was played: the results of a league in SQLite."""
