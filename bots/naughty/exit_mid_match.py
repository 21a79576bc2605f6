#!/usr/bin/env python3
"""exit_mid_match [AT]: leaves without a word, exit code 0, at its third ask."""

import sys

import polite


def leave(_ask: polite.Message) -> bytes:
    sys.exit(0)


polite.play(leave, at=int(polite.argument(1, 3)))
