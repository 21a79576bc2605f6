#!/usr/bin/env python3
"""daemon [PID_FILE] [SECONDS]: leaves a daemon behind, then plays properly."""

import os
import sys
import time

import polite


def leave_daemon() -> None:
    if os.fork():
        os.wait()
        return
    os.setsid()
    if os.fork() == 0:
        if len(sys.argv) > 1:
            with open(sys.argv[1], "w") as file:
                file.write(str(os.getpid()))
        time.sleep(polite.argument(2, 60))
    os._exit(0)


try:
    leave_daemon()
except OSError as error:
    print("no daemon:", error, file=sys.stderr)
polite.play()
