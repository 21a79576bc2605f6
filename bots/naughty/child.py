#!/usr/bin/env python3
"""child [PID_FILE] [SECONDS]: starts a child that sleeps, then plays properly."""

import os
import sys
import time

import polite


def start_child() -> None:
    pid = os.fork()
    if pid == 0:
        time.sleep(polite.argument(2, 60))
        os._exit(0)
    if len(sys.argv) > 1:
        with open(sys.argv[1], "w") as file:
            file.write(str(pid))


try:
    start_child()
except OSError as error:
    print("no child:", error, file=sys.stderr)
polite.play()
