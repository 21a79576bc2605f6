"""A worker: one process on cores of its own that plays deals with its bots beside it."""

import ctypes
import os
import signal
import sys
import time
from collections.abc import Collection, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from arena.play.executor import SERVICE_SIGNALS, STOP_SIGNALS, Executor
from arena.play.messages import Broken, Finish, Setup, Up, decode_order, encode
from arena.play.watchdog import LOOK_SECONDS
from protocol.errors import ArenaError
from referee.catalog.identity import code_of
from referee.catalog.loading import load
from referee.process.procfs import signal_name
from referee.program.file import Confinement
from referee.rules.game import Game
from referee.sandbox import Launcher
from referee.sandbox.fork_server import end_all
from referee.sandbox.users import USERS

SERVER_GONE = 3
"""The exit code of a worker whose fork server was killed."""

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36


def main(link: Any, setup: Setup, cores: Collection[int], parent: int) -> None:
    """Carry out orders from `link`, a connection, until the last one or the end of the runner.

    It and its bots are pinned to `cores`, if there are any.

    SIGUSR1 means: finish the match that is being played, and leave the rest. Signals to end are
    the runner's to heed; a match during which one comes that bots may get too is not reported.
    """
    with played_for(parent):
        if cores:
            os.sched_setaffinity(0, cores)
        _serve(link, setup)


@contextmanager
def played_for(parent: int) -> Iterator[None]:
    """Make this process one that plays for a runner, and ends with it."""
    _die_with(parent)
    for number in STOP_SIGNALS:
        signal.signal(number, signal.SIG_IGN)  # the runner hears them too and decides
    signal.pthread_sigmask(signal.SIG_SETMASK, ())  # the runner started us with these blocked
    os.dup2(2, 1)  # or what a game writes, in C too, would stand amid our own output
    sys.stdout = sys.stderr  # which shows it at once
    try:
        yield
    except EOFError:
        pass  # the runner is gone, and its store with it
    except ConnectionError:
        end_without_server()


def end_without_server() -> None:
    """End this process at once, as what starts its bots was killed: another plays on."""
    end_all()  # whatever the fork server did not outlive, such as a daemon, is ours now
    os._exit(SERVER_GONE)


def _serve(link: Any, setup: Setup) -> None:
    with ExitStack() as stack:
        try:
            game = game_of(setup)
            launchers = launchers_of(setup, stack)
        except ArenaError as error:
            link.send_bytes(encode(Broken(str(error))))
            return
        executor = Executor(setup, game, launchers)
        signal.signal(signal.SIGUSR1, lambda *_: executor.leave())
        signal.signal(signal.SIGVTALRM, lambda *_: executor.watchdog.look())
        signal.setitimer(signal.ITIMER_VIRTUAL, LOOK_SECONDS, LOOK_SECONDS)
        for number in SERVICE_SIGNALS:
            signal.signal(number, lambda *_: executor.interrupt())
        try:
            link.send_bytes(encode(Up()))
            while not isinstance(order := decode_order(link.recv_bytes()), Finish):
                for word in executor.carry_out(order):
                    link.send_bytes(encode(word))
        finally:
            executor.close()


def game_of(setup: Setup) -> type[Game]:
    """Return the game of a run; raise ArenaError if it is not here, or not as the run began."""
    game = load(setup.game, Confinement(setup.limits.sandbox, setup.sandbox_uid))
    if setup.code and code_of(game) != setup.code:
        raise ArenaError(f"the code of {game.name} was changed after the run began; run again.")
    return game


def launchers_of(setup: Setup, stack: ExitStack, programs: int = USERS) -> dict[str, Launcher]:
    """Return a launcher for each sandbox of a run's bots, by its name; the stack closes them.

    `programs` is how many bots run at a time at most.
    """
    names = dict.fromkeys(limits.sandbox for limits in setup.sandboxes)
    return {
        name: stack.enter_context(Launcher(name, uid=setup.sandbox_uid, programs=programs))
        for name in names
    }


def how_ended(process: Any) -> str:
    """Wait for the end of a process that plays, which is near; say how it came.

    In words that follow «a worker».
    """
    process.join()
    while (code := process.exitcode) is None:
        time.sleep(0.001)  # another thread has seen the end, and is about to note it
    if code == SERVER_GONE:
        return "lost the process that starts its bots, which was killed"
    if code == -signal.SIGKILL:
        return "was killed by SIGKILL, which the kernel sends where memory is short"
    if code < 0:
        return f"was killed by {signal_name(-code)}"
    return f"ended with code {code}"


def _die_with(parent: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    for option, value in ((_PR_SET_PDEATHSIG, signal.SIGKILL), (_PR_SET_CHILD_SUBREAPER, 1)):
        if libc.prctl(option, value, 0, 0, 0) != 0:
            raise OSError(ctypes.get_errno(), f"prctl({option})")
    if os.getppid() != parent:
        raise SystemExit("the runner is gone")
