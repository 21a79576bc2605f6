"""Waits for the end: in this game nothing is ever asked, the cards alone decide.

To try first: nothing, for no program can play it better. Any other game has decisions.
"""

import kit


def choose(ask: kit.Ask) -> kit.Move:
    """Return the first legal move, were one ever asked for."""
    return ask.legal[0]


if __name__ == "__main__":
    kit.run(choose)
