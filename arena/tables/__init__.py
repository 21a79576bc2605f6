"""From results to tables: fields of bots, leaderboards, cross-tables."""
