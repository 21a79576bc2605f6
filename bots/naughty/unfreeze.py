#!/usr/bin/env python3
"""Answers properly, burns CPU off its turns, and has timers lift the freeze that this brings."""

import ctypes
import signal
import sys
import threading

import polite

CLOCK_MONOTONIC = 1
TIMERS = 60
MILLISECOND = 1_000_000  # nanoseconds

libc = ctypes.CDLL(None)
off_turn = threading.Event()


def timers() -> list[ctypes.c_void_p]:
    """Return timers that have the kernel send this process SIGCONT, where it lets one have any."""
    event = (ctypes.c_int * 16)(0, 0, signal.SIGCONT)  # struct sigevent: a value, and the signal
    made = [ctypes.c_void_p() for _ in range(TIMERS)]
    return [
        each for each in made if not libc.timer_create(CLOCK_MONOTONIC, event, ctypes.byref(each))
    ]


def arm() -> None:
    """Set them, each to other moments: a timer whose signal waits when the freeze comes is lost."""
    for number, timer in enumerate(armed, 1):
        time = number * MILLISECOND
        libc.timer_settime(timer, 0, (ctypes.c_long * 4)(0, time, 0, time), None)


def burn() -> None:
    while True:
        off_turn.wait()
        polite.burn(0.001)


sys.setswitchinterval(0.0001)  # the turn itself should not suffer
signal.signal(signal.SIGCONT, lambda *_: None)
armed = timers()
threading.Thread(target=burn, daemon=True).start()
for message in polite.messages():
    off_turn.clear()
    arm()
    if message["type"] == "hello":
        polite.send(polite.READY)
    elif message["type"] == "ask":
        polite.send(polite.reply(message))
    off_turn.set()
