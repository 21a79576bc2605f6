"""Signals in words."""

import signal


def signal_name(number: int) -> str:
    """Return what a signal is called: not all of those of real time have a name."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
