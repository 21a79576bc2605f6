"""Programs that play: a folder for each game, one for bots of any game, and the kit they use.

A bot is run as a process and never imported: it finds copies of its own file and of the kit in an
empty folder. Its file keeps the name of its game, because names and text are its version, and
because a file called `random.py` would hide the module of the standard library.
"""
