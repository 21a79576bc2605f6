"""The command that says what works on this machine."""

import platform
import sys
from collections.abc import Iterable, Iterator, Sequence
from importlib import metadata

import click

from arena.cli import main
from arena.cli.options import (
    default_workers,
    limit_option,
    limits_in,
    output_format,
    sandbox_uid_option,
    trust_option,
)
from arena.cli.progress import StatusLine
from arena.cli.running import built
from arena.cli.saying import show
from arena.league.bot import Bot
from arena.league.finding import find_bot
from arena.league.games import find_game
from arena.league.hints import advice
from arena.play.quiet import LONG_SECONDS, NOISY, conditions, noise
from arena.play.sandbox import check_bot
from arena.tables.table import Column, Table
from arena.text import safe
from protocol.errors import ArenaError
from protocol.messages import VERSION
from referee.limits import Limits
from referee.sandbox import (
    SANDBOXES,
    Launcher,
    MachineError,
    SandboxError,
    check_cores,
    gpus,
    own_cores,
    prove,
)
from referee.sandbox.cgroup import delegated
from referee.sandbox.devices import check_devices
from referee.sandbox.place import place_of
from referee.sandbox.users import first_user
from referee.turn.answer import BotError
from referee.turn.starting import start_bot

_MARKS = {
    "landlock": "numbers of processes and pipes, access times, what is in memory",
    "bwrap": "numbers of pipes, the machine's totals, what is in memory",
    "uid": "as landlock, but no access times in a mount namespace",
}
"""What each sandbox leaves open, in short: docs/sandbox.md, 'Between bots'."""
_Row = tuple[str, str, str]
"""What there is, what it is here, and what is to be said of that."""
_COLUMNS = (
    Column("What", "what"),
    Column("Here", "value"),
    Column("Remark", "remark", width=34),
)


@main.command()
@click.argument("bot", required=False)
@click.option("--game", help="The game, if BOT is the name of a bundled bot.")
@limit_option("startup=2")
@click.option(
    "--timing", is_flag=True, help="Show instead what spoils measured times here: 4 seconds."
)
@sandbox_uid_option
@output_format
@trust_option
def doctor(
    bot: str | None,
    game: str | None,
    limits: tuple[str, ...],
    timing: bool,
    sandbox_uid: int | None,
    form: str,
) -> None:
    """Show which sandboxes work on this machine, and whether a bot starts in them.

    BOT is an executable, a folder with a bot.toml, or, with --game, a bundled bot (`arena bots`).

    \b
    arena doctor
    arena doctor --timing
    arena doctor ./my_bot
    arena doctor sensible --game guerra
    arena doctor ./my_bot --limit memory_mb=256 --limit startup=5
    """
    if timing:
        if bot or limits:
            raise ArenaError("--timing is about the machine alone: leave out the bot and limits.")
        _show("timing", _timing(), form)
        return
    entered = None
    if bot:
        entered = built(find_bot(bot, find_game(game)[0].name if game else ""), sandbox_uid)
    settings = [limits_in(limits, name, "each one is tried") for name in SANDBOXES]
    place = place_of()
    rows = [
        ("bot-arena", metadata.version("bot-arena"), ""),
        ("protocol", str(VERSION), ""),
        ("python", platform.python_version(), sys.executable),
        ("system", f"{platform.system()} {platform.release()}", platform.machine()),
        ("container or VM", safe(place.name), place.remark),
        ("cores", str(default_workers()), "one worker runs on each"),
        *_sandboxes(entered, settings, sandbox_uid),
        *_lacking(settings[0]),
        _cgroup(),
        _gpu(sandbox_uid),
    ]
    _show("doctor", rows, form)


def _show(name: str, rows: Iterable[_Row], form: str) -> None:
    keys = [str(column.cell) for column in _COLUMNS]
    show(Table(name, _COLUMNS, [dict(zip(keys, row, strict=True)) for row in rows]), form)


def _timing() -> Iterator[_Row]:
    """Say what may spoil measured times here, and how much a fixed job varies."""
    for each in conditions():
        yield each.name, each.value, each.remedy if each.spoils else ""
    with StatusLine() as line:
        line.show(f"doing a fixed job again and again, for {LONG_SECONDS:g} s")
        found = noise(LONG_SECONDS, own_cores())
    yield "fixed job", f"{found.job / 1000:.3f} ms of CPU time", "as long as a short decision"
    stop = "Stop other programs."
    for what, share, of, words, remedy in (
        (
            "  varies by",
            found.spread,
            "of that",
            "its slowest 5 % against its fastest 5 %, on one core",
            f"Smaller differences in times mean nothing here. {stop}",
        ),
        (
            "  waits for a core",
            found.waited,
            "of the time",
            "other programs, or other virtual machines, have it",
            stop,
        ),
        (
            "  slowest core",
            found.apart,
            "slower",
            "than the fastest core",
            "Smaller differences in times on two cores mean nothing here.",
        ),
    ):
        remark = f"{words}. {remedy}" if share > NOISY else words
        yield what, f"{100 * share:.1f} % {of}", remark


def _sandboxes(bot: Bot | None, settings: Sequence[Limits], uid: int | None) -> Iterator[_Row]:
    """Say which sandboxes work here, by their self tests, and whether a bot gets ready in them.

    A bot that was late in one is not waited for again, and none is started that could not have its
    cgroup or its cores: what lacks has a row of its own.
    """
    why = "see limits, below" if [*_lacking(settings[0])] else ""
    for limits in settings:
        name = limits.sandbox
        what = f"sandbox {name}"
        try:
            with Launcher(name, uid=uid) as launcher:
                prove(launcher, Limits(sandbox=limits.sandbox))
                yield what, "works", _described(launcher, name)
                if bot is None:
                    continue
                tried, remark, is_late = "not tried", why, False
                if not why:
                    tried, remark, is_late = _start(launcher, bot, limits)
                    why = f"it was late in {name}" if is_late else ""
                yield f"  {bot.name} in it", tried, remark
        except SandboxError as error:
            yield what, "does not work", error.what
        except MachineError as error:
            yield what, "does not work", safe(str(error))


def _lacking(limits: Limits) -> Iterator[_Row]:
    """Say which limit cannot be had here in any sandbox, if there is one."""
    try:
        check_cores(limits.threads)
        if limits.cgroup:
            delegated()
    except SandboxError as error:
        remark = str(error)
        if error.lacks == "cgroup":
            remark = "cgroup = true needs cgroup v2: see the next line"
        yield "limits", "cannot be had", remark


def _cgroup() -> _Row:
    """Say whether bots can have cgroups here; nothing is changed for that."""
    try:
        return "cgroup v2", "works", safe(f"cgroup = true divides {delegated()}")
    except SandboxError as error:
        return "cgroup v2", "does not work", safe(error.what)


def _gpu(uid: int | None) -> _Row:
    """Say whether bots can be granted a GPU here, and which there are, once bwrap works."""
    try:
        check_devices(first_user(uid))
    except SandboxError as error:
        return "GPU for bots", "none", error.what
    found = gpus()
    return "GPU for bots", str(len(found)), ", ".join(found)


def _described(launcher: Launcher, name: str) -> str:
    if name == "none":
        return "no protection: a bot can do whatever you can"
    user = f"bots run as uid {launcher.uid} and on" if launcher.uid else "bots run as you"
    why = launcher.sandbox.uncleared
    marks = f"{_MARKS[name]}, and what was looked at in /proc ({why})" if why else _MARKS[name]
    return f"{launcher.sandbox.name}; {user}. Left for later bots to see: {safe(marks)}"


def _start(launcher: Launcher, bot: Bot, limits: Limits) -> tuple[str, str, bool]:
    """Return whether a bot gets ready, what is to be said of that, and whether it was late."""
    try:
        check_bot(launcher, bot, limits)
        most = f"{limits.startup_cap:g} s at the most"
        with StatusLine() as line:
            line.show(f"waiting for {bot.name} to say ready in {limits.sandbox}, {most}")
            start_bot(launcher, bot.program, limits, bot.name).stop()
    except SandboxError as error:
        return "is refused", safe(error.what), False
    except MachineError as error:
        return "cannot start", safe(str(error)), False
    except BotError as error:
        hint = advice(bot, error.stderr, limits)
        return "fails", safe(f"{error}.{hint}"), error.kind == "late"
    return "gets ready", "", False
