"""Processes of ours beside this one: fresh interpreters with a connection, and little in them.

The only module that knows multiprocess.
"""

import io
import os
import signal
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple

_FIRST = (
    "import atexit, gc, sys; "
    "sys.modules['dill'] = None; "  # so that an import of it fails
    "atexit.register(gc.freeze); "  # so that it ends without a last look for reference cycles
)


@contextmanager
def _without_dill() -> Iterator[None]:
    """Let multiprocess import pickle instead, which is enough for what we send.

    dill takes longer to import than all the rest of a worker, and tries the temporary folder with
    a file, which a kill can leave behind.
    """
    if "dill" in sys.modules:
        yield
        return
    sys.modules["dill"] = None  # type: ignore[assignment] # so that its import fails
    try:
        yield
    finally:
        del sys.modules["dill"]


with _without_dill():
    from multiprocess import active_children, popen_spawn_posix, reduction, sharedctypes, util
    from multiprocess import connection as connections
    from multiprocess import spawn as interpreters
    from multiprocess.context import SpawnProcess, set_spawning_popen


class _Interpreter(popen_spawn_posix.Popen):  # type: ignore[misc] # the library is untyped
    """The library's, without dill and without a tracker of semaphores: we have none."""

    def _launch(self, process: Any) -> None:
        pickled = io.BytesIO()
        set_spawning_popen(self)  # connections are pickled as descriptors that it inherits
        try:
            reduction.dump(self._prepared(process.name), pickled)
            reduction.dump(process, pickled)
        finally:
            set_spawning_popen(None)
        orders, order = os.pipe()
        self.sentinel, alive = os.pipe()  # it ends with the last who holds `alive`, the child
        self.finalizer = util.Finalize(self, util.close_fds, (self.sentinel, order))
        try:
            *words, code, mark = interpreters.get_command_line(pipe_handle=orders)
            self.pid = util.spawnv_passfds(
                interpreters.get_executable(),
                [words[0], "-P", *words[1:], _FIRST + code, mark],  # nothing lies in our way
                [*self._fds, orders, alive],
            )
        finally:
            os.close(orders)
            os.close(alive)
        with suppress(BrokenPipeError), open(order, "wb", closefd=False) as file:
            file.write(pickled.getbuffer())  # or it was killed, as its sentinel shows

    @staticmethod
    def _prepared(name: str) -> dict[str, Any]:
        """Return what the child is to know first; it has no need to import our main program."""
        data: dict[str, Any] = interpreters.get_preparation_data(name)
        return {key: value for key, value in data.items() if not key.startswith("init_main")}


class _Process(SpawnProcess):  # type: ignore[misc] # the library is untyped
    _start_method = "spawn"

    @staticmethod
    def _Popen(process: Any) -> _Interpreter:  # noqa: N802 - the library's name
        return _Interpreter(process)


class Spawned(NamedTuple):
    """A process and our end of a connection to it, both as multiprocess has them."""

    process: Any
    link: Any


def spawn(
    target: Callable[..., None], *arguments: object, blocked: Iterable[signal.Signals]
) -> Spawned:
    """Start a process that calls `target` with its end of a connection and `arguments`.

    It begins with the signals `blocked` blocked, and ends with this process at the latest, if that
    ends in peace.
    """
    link, theirs = connections.Pipe()
    process = _Process(target=target, args=(theirs, *arguments), daemon=True)
    before = signal.pthread_sigmask(signal.SIG_BLOCK, blocked)
    try:
        process.start()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        theirs.close()
    return Spawned(process, link)


def shared_number(number: int) -> Any:
    """Return a number as its `value`, in memory that processes share to which it is handed on.

    What one of them wrote last stays when it ends.
    """
    return sharedctypes.RawValue("l", number)


def wait(ends: list[Any], patience: float) -> list[Any]:
    """Return which of some connections and sentinels have something to say, within seconds."""
    return list(connections.wait(ends, patience))


def kill_all() -> None:
    """Kill all processes that were spawned, and wait for their ends."""
    children = active_children()
    for child in children:
        child.kill()
    for child in children:
        child.join()
