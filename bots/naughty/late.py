#!/usr/bin/env python3
"""late [SECONDS] [AT] [sleep]: answers properly, after burning (or sleeping) so many seconds."""

import sys
import time

import polite

wait = time.sleep if "sleep" in sys.argv[3:] else polite.burn


def dawdle(_ask: polite.Message) -> None:
    wait(polite.argument(1, 2))


polite.play(dawdle, at=int(polite.argument(2, 1)))
