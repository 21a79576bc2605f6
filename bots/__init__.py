"""Programs that play: each file but `kit` is a bot, run as a process and never imported."""
