"""The connection to Dask's scheduler, and waiting that has an end."""

import asyncio
import logging
import ssl
import warnings
from collections.abc import Awaitable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from distributed import Client, Security
from distributed.versions import VersionMismatchWarning

from arena.play.cluster.address import scheduler_address
from protocol.errors import ArenaError, RunError

_CONNECT_SECONDS = 10.0
_FAREWELL_SECONDS = 5.0
_ENCRYPTED = ("tls", "wss")
_TLS = "distributed.comm.tls"
_DASKS = ("dask", "distributed", "tornado")


@contextmanager
def dask_kept_quiet() -> Iterator[None]:
    """Keep Dask, and what it is built on, from writing to standard error while it is used.

    What matters of a lost connection a run says in its own words. Which versions of Dask meet does
    not: those of Bot Arena are compared. What others log or warn of is heard as ever.
    """
    names = (name for name in logging.root.manager.loggerDict if name.partition(".")[0] in _DASKS)
    loggers = [logging.getLogger(name) for name in {*_DASKS, *names}]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL + 1)  # also of those below it that are made meanwhile
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", VersionMismatchWarning)
            yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)


async def first_connection(word: str) -> Any:
    """Return Dask's client of a scheduler that the caller has named.

    Raises ArenaError for what is no address, and RunError if there is no scheduler.
    """
    try:
        _check_certificates()
        return await connection(word)
    except ArenaError:
        raise
    except OSError:  # asyncio's TimeoutError too
        scheme = scheduler_address(word).partition(":")[0]
        trust = ", with certificates of the same authority" if scheme in _ENCRYPTED else ""
        raise RunError(
            f"no Dask scheduler answers at {word} within {_CONNECT_SECONDS:.0f} s: is it running, "
            f"can it be reached from here, and does it speak {scheme}://{trust}?"
        ) from None
    except TypeError:  # Dask's for an address that needs certificates
        raise RunError(
            f"Dask has no certificates for {word}: its configuration names them "
            f"({_TLS}: ca-file, client.cert and client.key)."
        ) from None
    except Exception as error:  # noqa: BLE001 - whatever else may answer at that address
        raise RunError(
            f"what answers at {word} is not a Dask scheduler, or one of another version "
            f"({type(error).__name__})."
        ) from None


def _check_certificates() -> None:
    """Raise RunError if a file for TLS that Dask's configuration names is of no use.

    Dask reads them whatever the address is.
    """
    security: Any = Security()  # type: ignore[no-untyped-call] # the library's
    named = security.get_tls_config_for_role("client")
    keys = {"ca_file": "ca-file", "cert": "client.cert", "key": "client.key"}
    files = {key: named[name] for name, key in keys.items() if named[name]}
    for key, file in files.items():
        try:
            if "\n" not in file:  # or it is the certificate itself
                Path(file).open("rb").close()
        except OSError as error:
            raise RunError(
                f"{file}, which Dask's configuration names for TLS ({_TLS}: {key}), cannot be "
                f"read: {error.strerror}."
            ) from None
    try:
        security.get_connection_args("client")
    except ssl.SSLError as error:
        raise RunError(
            f"the files that Dask's configuration names for TLS ({_TLS}: {', '.join(files)}) are "
            f"not certificates with a matching key ({error.reason or error})."
        ) from None


async def connection(word: str) -> Any:
    """Return Dask's client of a scheduler; raise whatever Dask does if there is none."""
    client: Any = Client(  # type: ignore[no-untyped-call] # the library's
        scheduler_address(word), asynchronous=True, timeout=_CONNECT_SECONDS, set_as_default=False
    )
    try:  # its own timeout does not hold where something listens and says nothing
        return await asyncio.wait_for(client, _CONNECT_SECONDS + 1)
    except BaseException:  # raised again once the client holds nothing any more
        await within(client.close(), _FAREWELL_SECONDS)
        raise


async def result_of(future: Any) -> Any:
    """Return what comes of a Dask future, or raise what Dask does.

    If this is cancelled, Dask waits on until its future is: ended in the middle of fetching, it
    would leave a task behind that nobody watches, and asyncio complains of that.
    """
    fetched = asyncio.ensure_future(future.result())
    fetched.add_done_callback(_watched)
    return await asyncio.shield(fetched)


def _watched(task: "asyncio.Future[Any]") -> None:
    if not task.cancelled():
        task.exception()


async def within(work: Awaitable[object], seconds: float) -> None:
    """Wait for something, but not longer than so many seconds."""
    with suppress(TimeoutError):
        await asyncio.wait_for(work, seconds)


async def quietly(work: Awaitable[object]) -> None:
    """Wait for what may fail, as its receivers may have gone."""
    with suppress(Exception):
        await work
