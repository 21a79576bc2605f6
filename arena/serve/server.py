"""A server of leagues: its sockets, its processes, and how all of it begins and ends."""

import asyncio
import contextlib
import errno
import logging
import os
import re
import resource
import signal
import socket
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import monotonic
from types import FrameType

import uvicorn

from arena.folders import SERVED, locked
from arena.handin.database import HANDED_IN
from arena.league.file import read_asked
from arena.serve.app import application
from arena.serve.connections import Connection, Upgraded
from arena.serve.served import Served
from protocol.errors import ArenaError, RunError
from protocol.remote import FRAME_LIMIT

_THREADS = 8
_HEAD_BYTES = 32 << 10
_FILES = 1 << 16  # descriptors that are asked for, one for each open page
_ECHO_SECONDS = 0.5  # in which a second signal is no second wish
_LAST_SECONDS = 5.0  # in which what is open may end by itself before it is told that we stop
_TAKEN = ("api", "static")
"""First parts of addresses that are no league's."""


class _Server(uvicorn.Server):
    """uvicorn's, whose signals are ours."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave signals to us."""
        yield


class Hosting:
    """Serves leagues until a signal ends it.

    Args:
        folders: of the leagues.
        host: the address to listen on.
        port: 0 for any that is free.
        workers: how many matches of a league are played at once; None for as many as have cores.
        uid: as root, the first user that bots are run as; None for an unused one.
        behind_proxy: whether a proxy says whose request it is.
        log: called with a line for each request.
        say: called with sentences for the organizer.

    Raises ArenaError if there is anything wrong with a league, or it cannot listen there.

    """

    def __init__(
        self,
        folders: Sequence[Path],
        host: str,
        port: int,
        *,
        workers: int | None,
        uid: int | None,
        behind_proxy: bool,
        log: Callable[[str], None],
        say: Callable[[str], None],
    ) -> None:
        self._folders = names_of(folders)
        for folder in self._folders.values():
            read_asked(folder)
        self._socket = _listening(host, port)
        self.host, self.port = self._socket.getsockname()[:2]
        self._workers = workers
        self._uid = uid
        self._behind_proxy = behind_proxy
        self._log = log
        self._say = say
        self._kept: list[str] | None = []  # what is said before the server listens, until it does
        self._signalled = 0.0  # when it was told to end
        self._is_hard = False

    @property
    def leagues(self) -> Sequence[str]:
        """The names of its leagues."""
        return [*self._folders]

    def serve(self, ready: Callable[[], None]) -> None:
        """Serve until a signal; `ready` is called once requests are answered.

        The first signal lets matches in play be the last, a second one ends everything at once and
        raises RunError. Raises ArenaError if another server has one of the leagues.
        """
        _raise_files()
        with contextlib.ExitStack() as stack:
            for folder in self._folders.values():
                (folder / HANDED_IN).mkdir(0o700, exist_ok=True)
                _keep_from_others(folder, stack)
            pool = stack.enter_context(ThreadPoolExecutor(_THREADS, "files"))
            stack.callback(self._say_what_was_kept)
            asyncio.run(self._serve(pool, ready))

    def _say_in_time(self, text: str) -> None:
        """Say something, but not before it was said that the server listens."""
        if self._kept is None:
            self._say(text)
        else:
            self._kept.append(text)

    def _say_what_was_kept(self) -> None:
        kept, self._kept = self._kept or (), None
        for text in kept:
            self._say(text)

    async def _serve(self, pool: ThreadPoolExecutor, ready: Callable[[], None]) -> None:
        leagues = {
            name: Served(folder, name, self._workers, self._uid, pool, self._say_in_time)
            for name, folder in self._folders.items()
        }
        log = logging.getLogger("uvicorn.error")
        log.setLevel(logging.ERROR)  # no word on each odd request ...
        log.addFilter(_is_ours)
        app = application(leagues, behind_proxy=self._behind_proxy, log=self._log, say=self._say)
        Connection.is_behind_proxy = self._behind_proxy
        server = _Server(
            uvicorn.Config(
                app,
                http=Connection,
                ws=Upgraded,
                ws_max_size=FRAME_LIMIT,
                ws_ping_interval=None,
                ws_per_message_deflate=False,
                lifespan="off",
                log_config=None,
                access_log=False,
                server_header=False,
                proxy_headers=False,
                h11_max_incomplete_event_size=_HEAD_BYTES,
                timeout_graceful_shutdown=round(3 * _LAST_SECONDS),
            )
        )
        _heed_signals(lambda: self._end(leagues.values(), server))
        async with asyncio.TaskGroup() as tasks:
            playing = [tasks.create_task(each.run()) for each in leagues.values()]
            serving = tasks.create_task(server.serve([self._socket]))
            while not server.started and not serving.done():
                await asyncio.sleep(0.01)
            ready()
            self._say_what_was_kept()
            await asyncio.wait(playing)
            for each in leagues.values():
                each.broadcast.close()  # or those who came meanwhile would be waited for
            server.should_exit = True
            asyncio.get_running_loop().call_later(_LAST_SECONDS, app.end)
            await serving
        if self._is_hard:
            raise RunError("stopped at once; what was stored is safe.")

    def _end(self, leagues: Collection[Served], server: uvicorn.Server) -> None:
        """End softly at the first signal, hard at the second."""
        before, now = self._signalled, monotonic()
        if before and now - before < _ECHO_SECONDS:
            return
        self._signalled = now
        if before:
            self._is_hard = True
            for each in leagues:
                each.kill()
            server.force_exit = True
            return
        self._say(
            "Finishing the matches being played, but for slow ones, which go on later; Ctrl-C once "
            "more stops at once."
        )
        for each in leagues:
            each.stop()


def _heed_signals(end: Callable[[], None]) -> None:
    """Heed signals until the process ends, also those that come after the loop's end."""
    loop = asyncio.get_running_loop()

    def hear(_number: int, _frame: FrameType | None) -> None:
        with contextlib.suppress(RuntimeError):  # the loop has ended
            loop.call_soon_threadsafe(end)

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, hear)


def _is_ours(record: logging.LogRecord) -> bool:
    """Return whether uvicorn logs a mistake of ours.

    Text of others that is none is not, nor is a websocket that was refused, which is logged anyway.
    """
    is_text = record.exc_info is not None and record.exc_info[0] is UnicodeDecodeError
    return not is_text and "without completing handshake" not in record.getMessage()


def names_of(folders: Sequence[Path]) -> dict[str, Path]:
    """Return folders by the names of their leagues in addresses; raise ArenaError for a bad one."""
    found: dict[str, Path] = {}
    for folder in folders:
        name = folder.resolve().name
        if not re.fullmatch(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,59}", name) or name in _TAKEN:
            raise ArenaError(
                f"the folder {name!r} cannot be a part of an address: call it by letters, digits, "
                f"- and _, and not {' or '.join(_TAKEN)}."
            )
        if name in found:
            raise ArenaError(
                f"{found[name]} and {folder} would have the same address: rename one, or name it "
                f"once."
            )
        found[name] = folder
    return found


def _keep_from_others(folder: Path, stack: contextlib.ExitStack) -> None:
    """Keep other servers away from a league, from whichever folder they come to it."""
    descriptor = folder / SERVED
    descriptor.mkdir(exist_ok=True)
    try:
        stack.enter_context(locked(descriptor, "server"))
    except ArenaError as error:
        raise ArenaError(str(error).replace(str(descriptor), str(folder), 1)) from None


def _listening(host: str, port: int) -> socket.socket:
    """Return a socket that listens; raise ArenaError if it cannot."""
    try:
        [(family, *_, address), *_] = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
        found = socket.create_server(address[:2], family=family, backlog=512)
        # Inherited by connections, on which asyncio sets it only where a socket is its own.
        found.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return found
    except OSError as error:
        number = error.errno or 0  # below 0 if the name of the host is not known
        remedy = {
            errno.EADDRINUSE: "Another program listens there: choose another --port.",
            errno.EACCES: "Ports below 1024 are root's: choose another --port.",
        }.get(number, "Look at --host and --port.")
        why = os.strerror(number) if number > 0 else error.strerror  # which says the address again
        raise ArenaError(f"{host} port {port}: {why}. {remedy}") from None


def _raise_files() -> None:
    """Allow as many open files as there may be pages."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _FILES if hard == resource.RLIM_INFINITY else min(_FILES, hard)
    if soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
