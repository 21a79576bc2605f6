"""Many matches: leagues, their schedule, their results and their tables."""
