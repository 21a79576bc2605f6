"""Plays {{game}} by legal moves at random, until you choose better ones."""

import kit


def choose(ask: kit.Ask) -> kit.Move:
    """Return a move; each decision of the game has its place here."""
    # {{each decision}}
    if ask.decision == "{{name}}":
        # {{about}}
        return any_move(ask)
    # {{end}}
    return any_move(ask)


def any_move(ask: kit.Ask) -> kit.Move:
    """Return one of the legal moves or, where they are not listed, of the samples."""
    return ask.rng.choice(ask.legal or ask.samples)


# What `ask.view` holds, such as when a match of {{seats}} seats begins:
#
# {{view}}

if __name__ == "__main__":
    kit.run(choose)
