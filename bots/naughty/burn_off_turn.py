#!/usr/bin/env python3
"""Answers properly, and burns CPU whenever it is not its turn."""

import sys
import threading

import polite

off_turn = threading.Event()


def burn() -> None:
    while True:
        off_turn.wait()
        polite.burn(0.001)


sys.setswitchinterval(0.0001)  # the turn itself should not suffer
threading.Thread(target=burn, daemon=True).start()
for message in polite.messages():
    off_turn.clear()
    if message["type"] == "hello":
        polite.send(polite.READY)
    elif message["type"] == "ask":
        polite.send(polite.reply(message))
    off_turn.set()
