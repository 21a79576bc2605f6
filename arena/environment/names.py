"""How files and folders beside a bot's program are called that say which packages it has."""

REQUIREMENTS = "requirements.txt"
"""The file that names the packages that it needs."""
LOCK = "requirements.lock"
"""The file that makes exact packages a part of its version."""
WHEELS = "wheels"
"""The folder for wheels that it brings along, which are no files of the bot's."""
