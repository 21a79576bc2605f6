"""Authors' machines and matches of remote bots, played by tests over real connections."""

import secrets
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from arena.folders import locked
from arena.handin.database import HANDED_IN, HandIns
from arena.handin.people import Role, by_token
from arena.handin.submissions import note
from arena.league.file import read_asked
from arena.play import calls
from protocol import remote
from tests.arena.handin.conftest import add, receive
from tests.arena.home.league_side import Proxy
from tests.arena.serve.serving import LEAGUE, Serving, serving

DIGESTS = {"sage": "a" * 64, "iris": "b" * 64, "rose": "c" * 64}


def write_remote_league(folder: Path, digests: dict[str, str] = DIGESTS, more: str = "") -> Path:
    """Make a league with bots that are remote, all of which its file enters."""
    folder.mkdir(parents=True, exist_ok=True)
    text = LEAGUE.format(deals=2, hand_in=f"grants = {{ remote = true }}\nbots = 3\n{more}")
    text = text.replace("[limits]\n", '[limits]\npace = "slow"\nmove_time = 5\n')
    for name, digest in digests.items():
        (folder / name).mkdir(exist_ok=True)
        marker = f'command = ["{{remote}}", "{digest}"]\nfiles = []\nneeds = {{ remote = true }}\n'
        (folder / name / "bot.toml").write_text(marker)
        text += f'\n[[bot]]\nname = "{name}"\nfolder = "{name}"\nremote = true\n'
    (folder / "league.toml").write_text(text)
    return folder


def give(folder: Path, token: str, bot: str) -> None:
    """Let a bot of the league's file be one that an author handed in."""
    with HandIns(folder) as db:
        person = by_token(db, token)
        assert person is not None
        taken = receive(db, read_asked(folder), person, f"{bot}-x", b"x", "x.zip")
        with db.transaction():
            db.change("UPDATE submission SET bot = ? WHERE number = ?", (bot, taken.number))
        note(db, taken.number, "playing")
        with db.transaction():
            db.change("UPDATE submission SET accepted = 1 WHERE number = ?", (taken.number,))


class Contest(NamedTuple):
    """A served league in which nothing is played, and the tokens of its people."""

    server: Serving
    folder: Path
    ada: str
    """Whose bots are sage and rose."""
    bob: str
    """Whose bot is iris."""
    organizer: str
    reader: str

    def said(self, words: str) -> list[str]:
        """Return the lines for the organizer that hold some words."""
        return [line for line in list(self.server.said) if words in line]


@contextmanager
def remote_contest(folder: Path, more: str = "") -> Iterator[Contest]:
    """Serve a league that is never played, as a test has it: so no match calls but the test's."""
    write_remote_league(folder, more=more)
    roles: tuple[Role, ...] = ("author", "author", "organizer", "reader")
    with HandIns(folder, create=True) as db:
        names = ("ada", "bob", "org", "eve")
        tokens = [add(db, name, role) for name, role in zip(names, roles, strict=True)]
    for token, bot in ((tokens[0], "sage"), (tokens[0], "rose"), (tokens[1], "iris")):
        give(folder, token, bot)
    with locked(folder), serving(folder) as server:
        yield Contest(server, folder, *tokens)


def dial(
    server: Serving, token: str = "", port: int = 0, path: str = "", **headers: str
) -> ClientConnection:
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    if token:
        sent["Authorization"] = f"Bearer {token}"
    return connect(
        f"ws://127.0.0.1:{port or server.port}{path or f'/api/leagues/{server.name}/remote'}",
        additional_headers=sent,
        compression=None,
        proxy=None,
        max_size=remote.FRAME_LIMIT,
        ping_interval=None,
        open_timeout=20,
        close_timeout=2,
    )


def hello(bot: str = "sage", **changed: Any) -> remote.RemoteHello:
    known = {
        "version": remote.REMOTE_VERSION,
        "bot": bot,
        "digest": DIGESTS.get(bot, "0" * 64),
        "session": secrets.token_hex(16),
        "slots": 2,
        "epoch": "",
        "seen": 0,
    }
    return remote.RemoteHello(**{**known, **changed})


class Home:
    """An author's machine on one connection, which says what a test has it say."""

    def __init__(
        self, socket: ClientConnection, first: remote.FromAuthor | str | bytes | None = None
    ) -> None:
        self.socket = socket
        self.sent = 0
        self.seen = 0
        if first is not None:
            self.say(first)

    def say(self, frame: remote.FromAuthor | str | bytes) -> None:
        self.socket.send(frame if isinstance(frame, str | bytes) else remote.encode_frame(frame))

    def write(self, kind: type[Any], **words: Any) -> None:
        """Send a letter, with its number."""
        self.sent += 1
        self.say(kind(n=self.sent, **words))

    def frame(self, seconds: float = 10.0) -> remote.FromLeague:
        return remote.read_from_league(self.socket.recv(timeout=seconds))

    def next(self, seconds: float = 10.0) -> remote.FromLeague:
        """Return the next frame that is no beat; beats are echoed."""
        deadline = time.monotonic() + seconds
        while True:
            found = self.frame(max(0.01, deadline - time.monotonic()))
            if isinstance(found, remote.Beat):
                with suppress(ConnectionClosed):  # what came before that is still to be read
                    self.say(remote.Echo(at=found.at, seen=self.seen))
                continue
            if isinstance(found, remote.BeginCopy | remote.CopyLine | remote.EndCopy):
                self.seen = found.n
            return found

    def declined(self, seconds: float = 10.0) -> remote.Declined:
        """Return why it is declined, and see the connection end."""
        found = self.next(seconds)
        while not isinstance(found, remote.Declined):
            found = self.next(seconds)
        self.ended(seconds)
        return found

    def ended(self, seconds: float = 10.0) -> int:
        """Return the code by which the connection ends."""
        with suppress(TimeoutError):
            while True:
                try:
                    self.socket.recv(timeout=seconds)
                except ConnectionClosed as error:
                    return error.rcvd.code if error.rcvd is not None else 1006
        raise AssertionError("the connection goes on")

    def ready(self, contest: "Contest") -> "CalledBot":
        """Return the first copy that a match calls, once it is ready."""
        call = CalledBot(contest.folder)
        assert call.taken()
        assert isinstance(self.next(), remote.BeginCopy)
        self.write(remote.CopyLine, copy=1, line="ready")
        assert call.line() == "ready"
        return call


@contextmanager
def at_home(
    contest: Contest, token: str = "", bot: str = "sage", **changed: Any
) -> Iterator[tuple[Home, remote.Welcome]]:
    """Connect a bot, as its author or with another token."""
    with dial(contest.server, token or contest.ada) as socket:
        home = Home(socket, hello(bot, **changed))
        welcome = home.next()
        assert isinstance(welcome, remote.Welcome), welcome
        yield home, welcome


class CalledBot:
    """A match's side of one copy."""

    def __init__(self, folder: Path, bot: str = "sage", digest: str = "", match: str = "0") -> None:
        self.socket = calls.called(folder / HANDED_IN)
        self.socket.settimeout(20)
        self._rest = b""
        self.say_raw(remote.Call(bot=bot, digest=digest or DIGESTS[bot], match=match))

    def say_raw(self, words: object) -> None:
        self.socket.sendall(msgspec.json.encode(words) + b"\n")

    def say(self, line: str, times: int = 1) -> None:
        """Send a line to the bot, perhaps again and again."""
        for _ in range(times):
            self.say_raw(remote.CallLine(line=line))

    def hear(self) -> remote.ToMatch | None:
        """Return what the server says; None at the end."""
        while b"\n" not in self._rest:
            piece = self.socket.recv(65536)
            if not piece:
                return None
            self._rest += piece
        words, _, self._rest = self._rest.partition(b"\n")
        return remote.read_to_match(words)

    def taken(self) -> bool:
        found = self.hear()
        assert isinstance(found, remote.CallTaken | remote.CallAbsent), found
        return isinstance(found, remote.CallTaken)

    def line(self) -> str:
        found = self.hear()
        assert isinstance(found, remote.CallLine), found
        return found.line

    def how(self) -> str:
        found = self.hear()
        while isinstance(found, remote.CallLine):
            found = self.hear()
        assert isinstance(found, remote.CallEnded), found
        with suppress(ConnectionResetError):  # as not all was read that was said to it
            assert self.hear() is None
        return found.how

    def close(self) -> None:
        self.socket.close()

    def __enter__(self) -> "CalledBot":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def proxied(port: int) -> "closing[Proxy]":
    return closing(Proxy(port))


def remotes(contest: Contest, token: str = "") -> dict[str, Any]:
    """Return how the API says that remote bots are connected, by name."""
    answer = contest.server.api("", token=token or contest.organizer).json
    return {row["bot"]: row for row in answer["remotes"]}
