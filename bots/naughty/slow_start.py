#!/usr/bin/env python3
"""slow_start [SECONDS]: takes its time to get ready, then plays properly."""

import time

import polite

time.sleep(polite.argument(1, 2))
polite.play()
