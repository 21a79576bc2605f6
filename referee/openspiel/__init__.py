"""The games of OpenSpiel, of which each is called `openspiel:NAME`.

They need an extra: `pip install 'bot-arena[openspiel]'`.
"""

from referee.openspiel.family import OpenSpiel

FAMILY = OpenSpiel()
"""What the entry point `openspiel` stands for."""
