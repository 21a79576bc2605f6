"""One match, from seats to places."""
