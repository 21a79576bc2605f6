"""The bot that plays at home: found, built, proved to start, and watched for changes."""

import hashlib
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

import msgspec

from arena.author.candidate import lock_packages
from arena.author.submitting import Parcel, packed
from arena.league.bot import Bot
from arena.league.command import REMOTE
from arena.league.finding import BOT_FILE, find_bot
from arena.play.building import Builder, building
from arena.play.sandbox import check_bot
from arena.text import composed, toml
from protocol.errors import ArenaError, RunError
from referee.limits import Grant, Limits, SandboxName, WorkLimits
from referee.sandbox import Launcher, prove
from referee.turn.answer import BotError
from referee.turn.starting import end_processes, start_bot

_LOOK_SECONDS = 2.0  # between looks at whether the files have changed


@dataclass(frozen=True)
class Prepared:
    """A bot as it plays at home."""

    word: str
    """What means it on the command line."""
    run: Bot
    """The bot as it is run: built, in its environment."""
    digest: str
    """The hash of its command and files, in 64 hexadecimal digits, before it was built."""
    signature: str
    """What is another text once these files are others."""
    limits: Limits
    """What it may use here: what any bot may, and what its bot.toml says that it needs."""

    @property
    def name(self) -> str:
        """What it is called in the league."""
        return self.run.name


def prepare(word: str, name: str, sandbox: SandboxName, tell: Callable[[str], None]) -> Prepared:
    """Return the bot that a word of the command line means, built if need be.

    It is called by `name`, or as its folder says. Raises ArenaError; Refusal if it cannot be built.
    """
    build = WorkLimits()
    with Builder(build).open() as builder:
        if said := lock_packages(Path(word), builder):
            tell(said)
        bot = _found(word, name).checked()
        if bot.remote_digest:
            raise ArenaError(
                f"bot {bot.name!r}: this is what a league has of a remote bot; name the folder of "
                f"the bot itself."
            )
        limits = _allowed(bot, Limits(sandbox=sandbox, pace="slow"))
        bot.check_size(limits.files_mb)
        signature = bot.signature()
        digest = _long(bot.hashed())
        if bot.is_to_be_made:
            tell(building(bot, build))
        run = builder.built(bot).bot
    return Prepared(word, run, digest, signature, limits)


def _long(bot: Bot) -> str:
    """Return a bot's hash in the 64 digits that a league takes."""
    return hashlib.sha256(bot.digest.encode()).hexdigest()


def _found(word: str, name: str) -> Bot:
    return find_bot(word, "", composed(name) if name else None)


def _allowed(bot: Bot, limits: Limits) -> Limits:
    """Return what a bot may use here; raise ArenaError if it needs what nobody gives it here."""
    if bot.needs.door:
        raise ArenaError(
            f"bot {bot.name!r} needs a door for {', '.join(bot.needs.door)}, which only leagues "
            f"open. Here it can ask by itself: take `door` out of needs, and say --sandbox none."
        )
    needs: Grant = msgspec.structs.replace(bot.needs, remote=None)
    return needs.of(limits)


def try_start(launcher: Launcher, bot: Prepared) -> float:
    """Start a copy of a bot, and end it; return after how many seconds it was ready.

    In a sandbox all later copies are run from the files as they are now. Raises SandboxError if the
    sandbox does not hold, RunError if the bot does not get ready.
    """
    prove(launcher, bot.limits)
    check_bot(launcher, bot.run, bot.limits)
    began = monotonic()
    try:
        process = start_bot(launcher, bot.run.program, bot.limits, bot.name)
    except BotError as error:
        found = RunError(f"bot {bot.name!r} cannot play: {error}. Nothing was sent to the league.")
        found.said = error.stderr.splitlines()[-12:]
        raise found from None
    took = monotonic() - began
    end_processes([process])
    if _found(bot.word, bot.name).signature() != bot.signature:
        raise RunError(f"bot {bot.name!r}: its files were changed meanwhile. Try again.")
    return took


class Watch:
    """Looks now and then whether a bot's files are others by now, on a thread of its own."""

    def __init__(self, bot: Prepared) -> None:
        self._bot = bot
        self.has_changed = False
        """Whether they are."""
        self._is_over = threading.Event()
        threading.Thread(target=self._look, daemon=True).start()

    def _look(self) -> None:
        before = self._bot.signature
        while not self._is_over.wait(_LOOK_SECONDS):
            with suppress(ArenaError):  # they may be half written
                found = _found(self._bot.word, self._bot.name)
                now = found.signature()
                if now in ("", before):
                    continue
                before = now
                if _long(found) != self._bot.digest:
                    self.has_changed = True
                    return

    def end(self) -> None:
        """Look no more."""
        self._is_over.set()


@contextmanager
def marker(bot: Prepared, name: str) -> Iterator[Parcel]:
    """Return the folder that is handed in for a bot, packed."""
    text = (
        f"name = {toml(name)}\n"
        f"command = {toml([REMOTE, bot.digest])}\n"
        f"files = []\n\n[needs]\nremote = true\n"
    )
    with tempfile.TemporaryDirectory(prefix="arena-marker-") as folder:
        Path(folder, BOT_FILE).write_text(text, encoding="utf-8")
        with packed(Path(folder)) as parcel:
            yield parcel
