#!/usr/bin/env python3
"""flood_stdout [AT]: writes bytes without end and without a newline."""

import polite


def flood(_ask: polite.Message) -> None:
    while True:
        polite.send(b"x" * 65536)


polite.play(flood, at=int(polite.argument(1, 1)))
