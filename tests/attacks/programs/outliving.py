"""Hostile programs that try to be there when the game is over; none stays for long."""

import ctypes
import os
import signal
import sys
import time

from common import LIFETIME, Facts, attempt, child, libc, linger, main, say

CLONE_PARENT = 0x8000
PR_SET_PDEATHSIG = 1


def ignore_all() -> None:
    for number in range(1, 65):
        if number not in (signal.SIGKILL, signal.SIGSTOP, signal.SIGCHLD):
            libc.signal(number, ctypes.c_void_p(1))


def plain(facts: Facts) -> None:
    """Do nothing but be there."""


def daemon(facts: Facts) -> None:
    def leave() -> None:
        os.setsid()
        child()

    pid = child(leave)
    os.waitpid(pid, 0)


def session(facts: Facts) -> None:
    def leave() -> None:
        os.setsid()
        linger()

    child(leave)
    time.sleep(0.05)


def stopped(facts: Facts) -> None:
    """Leave a daemon that is stopped: it takes no notice of polite signals."""

    def stop() -> None:
        os.setsid()
        ignore_all()
        os.kill(os.getpid(), signal.SIGSTOP)

    os.waitpid(child(lambda: child(stop) and None), 0)


def chain(facts: Facts) -> None:
    """Leave a daemon that changes its pid all the time."""
    deadline = time.monotonic() + LIFETIME / 5

    def run() -> None:
        while time.monotonic() < deadline:
            os.setsid()
            if os.fork():
                os._exit(0)
            time.sleep(0.02)

    os.waitpid(child(lambda: child(run) and None), 0)


def given_away(facts: Facts) -> None:
    """Make a child of one's own parent, in another session."""

    def leave() -> None:
        os.setsid()
        linger()

    child(leave, flags=CLONE_PARENT)
    time.sleep(0.05)


def ignores_signals(facts: Facts) -> None:
    ignore_all()


def never_answers(facts: Facts) -> None:
    say("done")
    linger()


def closes_stdout(facts: Facts) -> None:
    say("done")
    sys.stdout.flush()
    for number in (0, 1, 2):
        os.close(number)
    linger()


def clears_death_signal(facts: Facts) -> None:
    attempt(libc.prctl, PR_SET_PDEATHSIG, 0, 0, 0, 0)
    attempt(daemon, facts)


def everything_at_once(facts: Facts) -> None:
    ignore_all()
    attempt(libc.prctl, PR_SET_PDEATHSIG, 0, 0, 0, 0)
    for act in (daemon, session, given_away, stopped):
        attempt(act, facts)


if __name__ == "__main__":
    main(globals())
