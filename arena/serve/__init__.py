"""A league on the web: its pages and its API, and the processes that play it and take bots in."""
