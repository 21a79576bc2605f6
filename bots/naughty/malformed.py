#!/usr/bin/env python3
"""malformed [AT]: answers with a line that is not JSON."""

import polite


def babble(_ask: polite.Message) -> bytes:
    return b"I attack, of course!\n"


polite.play(babble, at=int(polite.argument(1, 1)))
