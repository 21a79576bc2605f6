#!/usr/bin/env python3
"""closes_stdout [AT]: closes its standard output and lives on."""

import os

import polite


def close(_ask: polite.Message) -> None:
    os.close(1)
    polite.hang()


polite.play(close, at=int(polite.argument(1, 1)))
