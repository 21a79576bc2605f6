"""Makes any legal move, in any game: one of those listed, or else of a few samples."""

import kit


def choose(ask: kit.Ask) -> kit.Move:
    """Return one of the legal moves or, where they are not listed, of the samples."""
    return ask.rng.choice(ask.legal or ask.samples)


if __name__ == "__main__":
    kit.run(choose)
