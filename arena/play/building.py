"""Bots that are built before they play: in a sandbox, once for each version, and kept."""

import os
import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from arena.environment.errors import PackagesError
from arena.environment.settings import EnvironmentSettings
from arena.folders import put_in_place
from arena.league.bot import Bot, make_bot
from arena.play.messages import NOWHERE
from arena.schedule.deal import BotIndex
from arena.text import duration, safe
from protocol.errors import ArenaError, Refusal
from referee.limits import WorkLimits
from referee.sandbox import PYTHON, Program, SandboxError, StartError
from referee.sandbox.kept import being_filled, forget_old, kept_folder, use
from referee.sandbox.sources import Sources
from referee.sandbox.workshop import Outcome, Work, Workshop

if TYPE_CHECKING:
    from arena.environment.making import Environments

TOOLS = "ARENA_TOOLS"
"""The environment variable that names folders of compilers, where a league names none."""

_ABSENT = re.compile(
    r"([\w.+-]+): (?:command not found|not found|No such file or directory)$", re.MULTILINE
)
"""What shells and make say of a program that is not there."""
_ERROR = re.compile(r"\berror\b", re.IGNORECASE)
_NAMED = 3  # programs that were not found
_LONG = 160  # characters of an error that are shown in a sentence


def _unbuilt(what: str, output: str = "", remedy: str = "") -> Refusal:
    """Return why a bot cannot be built, as what follows its name; what was printed is `said`.

    The remedy is for those who know this machine, or the league.
    """
    error = Refusal(422, what, remedy)
    error.said = output.splitlines()
    return error


@dataclass(frozen=True)
class Built:
    """A bot that has been built."""

    bot: Bot
    """What is run: what the build left, under the version of its sources."""
    outcome: Outcome | None
    """How it was built, or its packages unpacked; None if that had been done before."""
    remark: str = ""
    """What is to be said of that, in a sentence about the bot."""


class Builder:
    """Builds bots, one after another, in one sandbox, which is had when the first is built."""

    def __init__(
        self,
        limits: WorkLimits,
        uid: int | None = None,
        environments: EnvironmentSettings = EnvironmentSettings(),  # noqa: B008 - it is frozen
    ) -> None:
        """Build within these limits; as root, builds are run as users from `uid` on."""
        self._limits = limits
        self._uid = uid
        self._settings = environments
        self._workshop: Workshop | None = None
        self._environments: Environments | None = None
        self._undo = ExitStack()

        self.where = ""
        """The sandbox that builds are run in; empty before the first."""

    @contextmanager
    def open(self) -> Iterator["Builder"]:
        """Return a context in which bots can be built."""
        try:
            yield self
        finally:
            self._environments = None
            self._undo.close()
            if self._workshop is not None:
                self._workshop.close()
                self._workshop = None

    def proved(self) -> str:
        """Return the sandbox that builds are run in; raise SandboxError if there is none."""
        return self._opened().name

    def built(self, bot: Bot) -> Built:
        """Return a bot as it is run; one that has nothing to build is run as it is.

        Raises Refusal if it cannot be built, which says why as what follows the bot's name;
        SandboxError if nothing can be built here.
        """
        made = self._program_of(bot) if bot.build else Built(bot, None)
        return self._in_environment(bot, made) if bot.has_packages else made

    def _program_of(self, bot: Bot) -> Built:
        """Return a bot as its build leaves it."""
        folder = _kept(bot)
        if use(folder):
            return Built(_ready(bot, folder), None)
        return self._build(bot, folder)

    def _in_environment(self, bot: Bot, made: Built) -> Built:
        """Return a bot, as far as it was made, with the environment that its packages are in."""
        with _with_packages():
            found = self.environments.made(bot.folder)
        run = replace(
            made.bot, has_packages=True, environment=str(found.folder), wheels=found.chosen
        )
        return Built(run.checked(), made.outcome or found.outcome, found.remark)

    def places(self, bot: Bot) -> list[Path]:
        """Return the folders for what is built of a bot, and for its environment.

        Raises as `built` does.
        """
        found = [_kept(bot)] if bot.build else []
        if bot.has_packages:
            with _with_packages():
                found.append(self.environments.place(bot.folder))
        return found

    def forget_fetched(self) -> None:
        """Remove what was fetched for the bots that were built so far."""
        if self._environments is not None:
            self._environments.locks.forget_fetched()

    @property
    def environments(self) -> "Environments":
        """What makes environments here; raise PackagesError where no Python can be run."""
        if self._environments is None:
            from arena.environment.interpreter import interpreter_for  # here, as few bots need it
            from arena.environment.making import Environments

            python = interpreter_for(self._uid)
            fetched = self._undo.enter_context(TemporaryDirectory(prefix="arena-fetched-"))
            self._environments = Environments(
                self._settings, self._limits, python, self._opened, Path(fetched)
            )
        return self._environments

    def _build(self, bot: Bot, folder: Path) -> Built:
        forget_old(folder.parent)
        folder.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        words = ["python3" if word == PYTHON else word for word in bot.build]
        with (
            _explained(),
            Sources(bot.folder, most=self._limits.disk_mb << 20) as sources,
            self._opened().work(words, sources, bot.files, self._limits) as work,
        ):
            outcome = work.outcome
            if bot.look().digest != bot.digest:
                raise _unbuilt("was changed while it was built; try again.")
            if not outcome.is_ok:
                why = f"{outcome.why}{_first_error(outcome.output)}"
                what = f"cannot be built: the build {why}."
                raise _unbuilt(what, outcome.output, _unseen(outcome.output))
            with being_filled(folder) as new:
                _take(work, bot, new / "files")
                with suppress(OSError):  # another process has built it meanwhile
                    put_in_place(new / "files", folder)
        return Built(_ready(bot, folder), outcome)

    def _opened(self) -> Workshop:
        if self._workshop is None:
            tools = self._limits.tools or usual_tools()
            workshop = Workshop(self._limits.sandbox, uid=self._uid, tools=tools)
            try:
                workshop.prove()
            except BaseException:  # Ctrl-C too: raised again once the fork server has ended
                workshop.close()
                raise
            self._workshop, self.where = workshop, workshop.name
        return self._workshop


def usual_tools() -> list[str]:
    """Return the folders of compilers that are used where a league names none."""
    return [*filter(None, os.environ.get(TOOLS, "").split(":"))]


@dataclass(frozen=True)
class AllBuilt:
    """The bots of a run, as far as they could be built."""

    bots: list[Bot]
    """What is run of each; the sources of one that could not be built."""
    failed: dict[BotIndex, str]
    """Why some could not be built, by their place among the bots."""
    remarks: list[str]
    """What is to be said of others, in sentences."""

    @property
    def ready(self) -> list[Bot]:
        """Those that can be run here."""
        return [
            bot
            for number, bot in enumerate(self.bots)
            if number not in self.failed and not bot.remote_digest
        ]

    @property
    def programs(self) -> list[Program]:
        """What is executed for each bot; nothing for one that is not there, or runs elsewhere."""
        return [
            NOWHERE if number in self.failed or bot.remote_digest else bot.program
            for number, bot in enumerate(self.bots)
        ]


def building(bot: Bot, limits: WorkLimits) -> str:
    """Return what to say while a bot is built."""
    return safe(f"building {bot.name}, {duration(limits.seconds)} at the most")


def build_all(
    bots: Sequence[Bot],
    limits: WorkLimits,
    uid: int | None,
    tell: Callable[[str], None],
    environments: EnvironmentSettings = EnvironmentSettings(),  # noqa: B008 - it is frozen
) -> AllBuilt:
    """Return bots as they are run, built if need be; `tell` is called with what is being done."""
    found: list[Bot] = []
    failed: dict[BotIndex, str] = {}
    remarks: list[str] = []
    with Builder(limits, uid, environments).open() as builder:
        for number, bot in enumerate(bots):
            if bot.is_to_be_made:
                tell(building(bot, limits))
            try:
                built = builder.built(bot)
                found.append(built.bot)
                if built.remark:
                    remarks.append(f"Bot {bot.name!r}: {built.remark}")
            except (Refusal, SandboxError) as error:
                why = str(error)
                if isinstance(error, SandboxError):
                    why = f"cannot be built, for which this machine is to blame: {why}"
                found.append(replace(bot, build=(), products=()))
                failed[BotIndex(number)] = why.rstrip(".")
    return AllBuilt(found, failed, remarks)


def _take(work: Work, bot: Bot, folder: Path) -> None:
    """Copy what its bot needs of what a build left into a new folder.

    Raises Refusal if the bot cannot be run there.
    """
    output = work.outcome.output
    try:
        taken = work.take(folder)
    except OSError as error:
        what = f"was built, but what that left cannot be taken: {error.filename}: {error.strerror}."
        raise _unbuilt(what, output) from None
    try:
        needed = _ready(bot, folder).files
    except ArenaError as error:
        raise _unbuilt(_lacking(bot, folder, error), output) from None
    for name in {*taken}.difference(needed):
        (folder / name).unlink()


def _ready(bot: Bot, folder: Path) -> Bot:
    """Return what is run of a bot that was built into a folder.

    Raises OSError if the folder is not there, ArenaError if what the bot needs is not in it.
    """
    folder.stat()
    made = make_bot(bot.name, folder, bot.command, bot.products, listed_in=bot.listed_in)
    made = replace(made, first_name=bot.first_name, plays_as=bot.version, grant=bot.grant)
    return made.checked()


@contextmanager
def _with_packages() -> Iterator[None]:
    """Turn what is wrong with a bot's packages into a refusal of the bot."""
    try:
        yield
    except PackagesError as error:
        what = f"cannot be run: {error.what}"
        raise _unbuilt(what, error.output, error.remedy) from None


@contextmanager
def _explained() -> Iterator[None]:
    """Turn what goes wrong with a bot's sources into a refusal of the bot."""
    try:
        yield
    except OSError as error:
        raise _unbuilt(f"{error.filename} cannot be read: {error.strerror}.") from None
    except StartError as error:
        raise _unbuilt(f"cannot be built: {error}.") from None


def _first_error(output: str) -> str:
    """Return the first error that a compiler printed, in parentheses; empty if none is found."""
    lines = (line.strip() for line in output.splitlines() if _ERROR.search(line))
    found = next(lines, "")
    return f" ({found if len(found) <= _LONG else f'{found[:_LONG]}…'})" if found else ""


def _unseen(output: str) -> str:
    """Return what to do about programs that a build lacked and that are here, but not in /usr."""
    names = [*dict.fromkeys(_ABSENT.findall(output))][:_NAMED]
    found = {name: shutil.which(name) for name in names}
    return " ".join(
        f"{name} is here as {path}, but builds look only in /usr, and in folders that `tools` of "
        f"[build] or {TOOLS} names."
        for name, path in found.items()
        if path is not None
    )


def _lacking(bot: Bot, folder: Path, error: ArenaError) -> str:
    """Return what to say where a build left in a folder what its bot cannot be run from."""
    held_back = [name for name in bot.products if (bot.folder / name).exists()]
    absent = [name for name in bot.products if not (folder / name).exists()]
    if not absent:
        words = str(error).removeprefix(f"bot {bot.name!r}: ").replace(f"{folder}/", "./")
        return f"was built, but cannot be run: {words}"
    said = f"was built, but that left no {' and no '.join(absent)}, which `files` names."
    if not set(absent).intersection(held_back):
        return said
    return (
        f"{said} What `files` names is not given to the build, which is to make it. If the build "
        f"needs it, name all that it needs: sources = [...]."
    )


def _kept(bot: Bot) -> Path:
    """Return the folder for what the build of a bot leaves, on this kind of machine."""
    return kept_folder() / "built" / f"{bot.version}-{os.uname().machine}"
