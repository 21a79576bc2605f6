"""Handing in a bot to a league that is served: what is sent, what is left out, what comes back."""

import http.client
import json
import os
import ssl
import stat
import tarfile
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep
from typing import IO, Any, Literal
from urllib.parse import quote, urlencode, urlsplit

import msgspec

from arena.text import safe
from protocol.errors import ArenaError, Refusal

LEFT_OUT = frozenset(
    {".git", ".hg", ".svn", "__pycache__", "node_modules", ".venv", "target", ".DS_Store"}
)
"""Names of files and folders that no bot needs."""

_PIECE = 1 << 16
_PATIENCE = 30.0  # seconds for the server to answer
_LONG_PATIENCE = 300.0  # ... after all was sent
_LOOK_SECONDS = 0.5  # between questions of what has become of it ...
_SLOW_LOOK_SECONDS = 3.0  # ... after a while
_UNREACHABLE_SECONDS = 60.0  # for which a server may be away while its verdict is waited for
_MOST_ANSWER = 64 << 20  # bytes
_DECIDED = ("playing", "checked", "refused", "replaced")
_PASSING = frozenset({429, 502, 503, 504})
"""Statuses of answers that another try may not get."""


EXAMPLE_ADDRESS = "https://bots.example.org/cup"
"""The league that messages and starters name where no other is known."""

_PAGES = (
    *("hand-in", "enter", "submissions", "queue", "bots", "matches", "calendar", "final"),
    *("game", "begin", "cross-table"),
)
"""What follows the name of a league in the addresses of its pages."""
_LOOK = "Look at the address, and whether the server runs."


@dataclass(frozen=True)
class Address:
    """Where a league is served."""

    scheme: str
    host: str
    port: int | None
    path: str
    """What stands before the paths of the server; empty for nearly all."""
    league: str

    @property
    def shown(self) -> str:
        """The address of the league's pages."""
        return f"{self.home}{quote(self.league, safe='')}"

    @property
    def home(self) -> str:
        """The address of the server, whose page lists its leagues; with a slash at its end."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        port = f":{self.port}" if self.port else ""
        return f"{self.scheme}://{host}{port}{self.path}/"

    @property
    def api(self) -> str:
        """The path under which the server's API has the league."""
        return f"{self.path}/api/leagues/{quote(self.league, safe='')}"


def address_of(word: str) -> Address:
    """Return the address of a league; raise ArenaError for one that cannot be meant.

    Any page of the league will do.
    """
    try:
        parts = urlsplit(word)
        port = parts.port
    except ValueError as error:
        raise ArenaError(f"{safe(word)} is no address: {error}.") from None
    steps = [step for step in parts.path.split("/") if step]
    if parts.scheme not in ("http", "https") or not parts.hostname or not steps:
        raise ArenaError(
            f"{safe(word)} is no address of a league; write it as your browser shows it, such as "
            f"{EXAMPLE_ADDRESS}."
        )
    if parts.username or parts.password:
        raise ArenaError(
            "a name or password in the address is not used: the token is in ARENA_TOKEN."
        )
    for page in _PAGES:
        if page in steps[1:]:
            steps = steps[: steps.index(page, 1)]
    *before, league = steps
    path = "".join(f"/{step}" for step in before)
    return Address(parts.scheme, parts.hostname, port, path, league)


@dataclass(frozen=True)
class Parcel:
    """What is sent."""

    file: IO[bytes]
    name: str
    size: int
    files: int
    left_out: tuple[str, ...]
    """The names that were left out, each once."""


@contextmanager
def packed(source: Path) -> Iterator[Parcel]:
    """Return a folder as a tar, or a file as it is; raise ArenaError if it cannot be read."""
    try:
        if source.is_dir():
            with tempfile.TemporaryFile() as file:
                files, left_out = _pack(source, file)
                size = file.tell()
                file.seek(0)
                yield Parcel(file, "bot.tar.gz", size, files, left_out)
            return
        with source.open("rb") as file:
            found = os.fstat(file.fileno())
            if not stat.S_ISREG(found.st_mode):
                raise ArenaError(f"{safe(str(source))} is no file and no folder.")
            yield Parcel(file, source.name, found.st_size, 1, ())
    except OSError as error:
        path = error.filename or source
        raise ArenaError(f"{safe(str(path))} cannot be read: {error.strerror}.") from None


def _pack(folder: Path, file: IO[bytes]) -> tuple[int, tuple[str, ...]]:
    """Write a folder as tar.gz; return how many files are in it, and what was left out."""
    left_out: dict[str, None] = {}
    count = 0
    with tarfile.open(fileobj=file, mode="w:gz", compresslevel=6) as archive:
        for home, folders, names in os.walk(folder):
            left_out |= dict.fromkeys(name for name in (*folders, *names) if name in LEFT_OUT)
            linked = [name for name in folders if (Path(home) / name).is_symlink()]
            left_out |= {str((Path(home) / name).relative_to(folder)): None for name in linked}
            folders[:] = sorted({*folders}.difference(LEFT_OUT, linked))
            for name in sorted(name for name in names if name not in LEFT_OUT):
                path = Path(home) / name
                if not path.is_file():  # a link is followed, as the bot may need what is there
                    left_out[str(path.relative_to(folder))] = None
                    continue
                info = archive.gettarinfo(path.resolve(), str(path.relative_to(folder)))
                info.uid = info.gid = 0
                info.uname = info.gname = ""
                with path.open("rb") as content:
                    archive.addfile(info, content)
                count += 1
    if not count:
        raise ArenaError(f"{safe(str(folder))} has no file in it.")
    return count, tuple(sorted(left_out))


class ShownStep(msgspec.Struct):
    """A step of a check, as far as it is shown."""

    title: str
    state: str
    detail: str = ""
    evidence: list[str] = []


class ShownSubmission(msgspec.Struct):
    """What is shown of a submission: what a server answers may be anything."""

    number: int
    bot: str
    state: Literal["received", "building", "checking", "playing", "checked", "refused", "replaced"]
    step: str = ""
    reason: str = ""
    remedy: str = ""
    can_retry: bool = False
    output: str = ""
    progress: str = ""
    steps: list[ShownStep] = []


class Client:
    """Talks to a server with an author's token. All methods raise Refusal.

    Only the standard library is used: it is to run wherever bots are written.
    """

    def __init__(self, address: Address, token: str) -> None:
        self._address = address
        self._headers = {
            "Authorization": f"Bearer {token}",
            "Accept": "application/json",
            "User-Agent": "bot-arena",
        }

    def league(self) -> dict[str, Any]:
        """Return what the server says of the league, and of whose token it is."""
        return self._get("")

    def submission(self, number: int) -> ShownSubmission:
        """Return a submission as it is now."""
        return self._checked(self._get(f"/submissions/{number}"))

    def hand_in(
        self, parcel: Parcel, bot: str, watch: Callable[[int], None], *, only_check: bool = False
    ) -> ShownSubmission:
        """Send a parcel and return the submission; `watch` is called with the bytes sent.

        With `only_check`, it is checked and does not enter the league.
        """
        query = {"filename": parcel.name, **({"bot": bot} if bot else {})}
        query |= {"check": "1"} if only_check else {}
        headers = {
            **self._headers,
            "Content-Type": "application/octet-stream",
            "Content-Length": str(parcel.size),
        }
        with self._connected(_LONG_PATIENCE) as connection:
            connection.putrequest("POST", self._path(f"/submissions?{urlencode(query)}"))
            for name, value in headers.items():
                connection.putheader(name, value)
            connection.endheaders()
            sent = 0
            with suppress(BrokenPipeError, ConnectionResetError):  # the answer says why
                while piece := parcel.file.read(_PIECE):
                    connection.send(piece)
                    sent += len(piece)
                    watch(sent)
            return self._checked(self._answer(connection))

    def _checked(self, answer: Mapping[str, Any]) -> ShownSubmission:
        """Return the submission of an answer; raise Refusal unless it is one."""
        try:
            return msgspec.convert(answer.get("submission"), ShownSubmission)
        except msgspec.ValidationError:
            raise self._odd() from None

    def _odd(self) -> Refusal:
        return Refusal(
            0, f"{self._address.shown} does not answer as an arena does. Look at the address."
        )

    def _get(self, path: str) -> dict[str, Any]:
        with self._connected(_PATIENCE) as connection:
            connection.request("GET", self._path(path), headers=self._headers)
            return self._answer(connection)

    def _path(self, path: str) -> str:
        return f"{self._address.api}{path}"

    @contextmanager
    def _connected(self, patience: float) -> Iterator[http.client.HTTPConnection]:
        kind = (
            http.client.HTTPSConnection
            if self._address.scheme == "https"
            else http.client.HTTPConnection
        )
        connection = kind(self._address.host, self._address.port, timeout=patience)
        with explained(self._address, patience):
            try:
                yield connection
            finally:
                connection.close()

    def _answer(self, connection: http.client.HTTPConnection) -> dict[str, Any]:
        answer = connection.getresponse()
        data = answer.read(_MOST_ANSWER)
        found = _json_of(data)
        if answer.status >= 300:
            raise refused(self._address, answer.status, answer.getheader("location", ""), data)
        if not isinstance(found, dict):
            raise self._odd()
        return found


@contextmanager
def explained(address: Address, patience: float) -> Iterator[None]:
    """Turn what goes wrong on the way to a server, within so many seconds, to a Refusal."""
    try:
        yield
    except ssl.SSLCertVerificationError as error:
        raise Refusal(
            0,
            f"the certificate of {address.host} is not trusted: {error.verify_message}. "
            f"Nothing was sent to it.",
        ) from None
    except ssl.SSLError as error:
        raise Refusal(
            0, f"{address.shown} does not speak TLS: {error.reason}. Is it http://?"
        ) from None
    except TimeoutError:
        raise Refusal(
            0, f"{address.shown} did not answer within {patience:g} s. {_LOOK}", can_retry=True
        ) from None
    except http.client.HTTPException as error:
        raise Refusal(
            0,
            f"{address.shown} gave no answer of HTTP ({type(error).__name__}). Is this "
            f"the address of an arena?",
            can_retry=isinstance(error, OSError),  # the connection ended, and nothing odd came
        ) from None
    except OSError as error:
        raise Refusal(
            0,
            f"{address.shown} cannot be reached: {error.strerror or error}. {_LOOK}",
            can_retry=True,
        ) from None


def refused(address: Address, status: int, location: str, body: bytes) -> Refusal:
    """Return what a server says that has answered something else than was asked for.

    Its status is 0 where something else than an arena has answered. `location` is the header of
    that name, or empty.
    """
    error = found.get("error") if isinstance(found := _json_of(body), Mapping) else None
    if isinstance(error, Mapping):
        what, remedy = (safe(str(error.get(key, ""))) for key in ("what", "remedy"))
        if remedy.endswith(": /"):  # a link on a page; in a shell nobody knows of which server
            remedy = remedy.removesuffix("/") + address.home
        return Refusal(status, what, remedy, can_retry=status in _PASSING)
    if 300 <= status < 400:
        to = safe(location or "elsewhere")
        return Refusal(0, f"{address.shown} leads to {to}. Use that address.")
    return Refusal(
        0,
        f"{address.shown} answered {status}, and not as an arena does. Look at the address; or a "
        f"proxy before the server stands in the way.",
        can_retry=status in _PASSING,
    )


def _json_of(data: bytes) -> Any:
    """Return what JSON says; None if it is none."""
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None


def awaited(
    client: Client, number: int, watch: Callable[[ShownSubmission], None]
) -> ShownSubmission:
    """Return a submission once it is decided; `watch` is called with how it is now and then.

    A server that is away for a while is waited for. Raises Refusal.
    """
    began = reached = monotonic()
    while True:
        try:
            found = client.submission(number)
            reached = monotonic()
            watch(found)
            if found.state in _DECIDED:
                return found
        except Refusal as error:
            if not error.can_retry or monotonic() - reached > _UNREACHABLE_SECONDS:
                raise
        sleep(_LOOK_SECONDS if monotonic() - began < 60 else _SLOW_LOOK_SECONDS)
