#!/usr/bin/env python3
"""drip [AT] [SECONDS]: writes an endless answer, one byte every 50 ms."""

import itertools
import time

import polite


def drip(ask: polite.Message) -> None:
    opening = f'{{"id":{ask["id"]},"note":"'
    for letter in itertools.chain(opening, itertools.repeat("z")):
        polite.send(letter.encode())
        time.sleep(polite.argument(2, 0.05))


polite.play(drip, at=int(polite.argument(1, 1)))
