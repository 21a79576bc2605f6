#!/usr/bin/env python3
"""half_line [AT]: writes half of its answer and waits."""

import polite


def stop_halfway(ask: polite.Message) -> None:
    line = polite.reply(ask)
    polite.send(line[: len(line) // 2])
    polite.hang()


polite.play(stop_halfway, at=int(polite.argument(1, 1)))
