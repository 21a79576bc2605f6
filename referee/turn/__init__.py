"""A bot's turns: its process is asked, against a clock, and it is found out what ended it."""
