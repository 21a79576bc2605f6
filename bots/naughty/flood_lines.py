#!/usr/bin/env python3
"""flood_lines [AT]: gives the proper answer, over and over again."""

import polite


def flood(ask: polite.Message) -> None:
    while True:
        polite.send(polite.reply(ask) * 1000)


polite.play(flood, at=int(polite.argument(1, 1)))
