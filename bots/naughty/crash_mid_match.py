#!/usr/bin/env python3
"""crash_mid_match [AT]: dies of an exception, exit code 1, at its third ask."""

import polite


def crash(ask: polite.Message) -> bytes:
    raise RuntimeError(f"crashed on purpose at ask {ask['id']}")


polite.play(crash, at=int(polite.argument(1, 3)))
