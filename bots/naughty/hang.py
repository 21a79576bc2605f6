#!/usr/bin/env python3
"""hang [AT]: sleeps instead of answering."""

import polite


def hang(_ask: polite.Message) -> None:
    polite.hang()


polite.play(hang, at=int(polite.argument(1, 1)))
