#!/usr/bin/env python3
"""spin [AT]: burns CPU instead of answering."""

import polite


def spin(_ask: polite.Message) -> None:
    while True:
        pass


polite.play(spin, at=int(polite.argument(1, 1)))
