#!/usr/bin/env python3
"""flood_stderr [MEGABYTES] [AT]: fills standard error, then answers properly."""

import sys

import polite


def flood(_ask: polite.Message) -> None:
    for _ in range(int(polite.argument(1, 2))):
        sys.stderr.write("x" * 63 + "\n")
        sys.stderr.write(("y" * 63 + "\n") * (2**14 - 1))


polite.play(flood, at=int(polite.argument(2, 1)))
