#!/usr/bin/env python3
"""Plays properly, but neither SIGTERM nor the end of input makes it go."""

import signal

import polite

for polite_signal in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
    signal.signal(polite_signal, signal.SIG_IGN)
polite.play()
polite.hang()
