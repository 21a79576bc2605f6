"""Shows the lines between referee and bots; feeds a bot those of a match again."""

from collections.abc import Iterator
from functools import partial

import click

from arena.archive.feed import Again, Feed, ask_again, verdict
from arena.archive.show import folded
from arena.cli.saying import warn_unprotected
from arena.league.bot import Bot
from arena.league.hints import advice
from arena.play.sandbox import check_bot
from arena.text import safe, safe_lines
from protocol.errors import RunError
from protocol.lines import encode
from protocol.messages import VERSION, Hello, Ready
from referee.sandbox import Launcher, prove
from referee.turn.answer import BotError, Fault
from referee.turn.bot_process import BotProcess
from referee.turn.starting import end_processes, start_bot

_INDENT = " " * 7


def play_again(feed: Feed, bot: Bot, *, log: bool, sandbox_uid: int | None) -> bool:
    """Feed a bot, print what it answers, and return whether it had a fault.

    With `log`, standard output gets the lines of the wire, and standard error all the rest.
    """
    tell = partial(click.echo, err=log)
    warn_unprotected(feed.limits.sandbox)
    for line in _introduced(feed, bot):
        tell(safe(line))
    with Launcher(feed.limits.sandbox, uid=sandbox_uid) as launcher:
        check_bot(launcher, bot, feed.limits)
        prove(launcher, feed.limits)
        process = _started(launcher, feed, bot)
        if log:
            _echo("→", encode(feed.hello))
            _echo("←", encode(Ready("ready", process.samples)))
            _echo("→", encode(feed.start))
        answers = []
        for again in ask_again(feed, process):
            answers.append(again)
            for line in _logged(again) if log else _told(again):
                click.echo(line)
        if log and process.ended is None:
            _echo("→", encode(feed.end))
        end_processes([process])
    if text := process.stderr_text():
        tell(f"Standard error:\n{safe_lines(text, '  ')}")
    for line in folded(verdict(feed, answers)):
        tell(line)
    return any(again.fault is not None for again in answers)


def _introduced(feed: Feed, bot: Bot) -> Iterator[str]:
    """Yield what is fed to whom, and whether somebody else played then."""
    match = feed.opened.match
    then = match.bots[feed.seat]
    yield f"Match {match.id}: {feed.start.game}, seat {feed.seat}, as {then.name} was asked"
    if bot.name != then.name:
        yield f"{bot.name} answers now."
    elif bot.version != then.version:
        yield f"{bot.name} now has version {bot.version}; version {then.version} played."


def _started(launcher: Launcher, feed: Feed, bot: Bot) -> BotProcess:
    try:
        return start_bot(launcher, bot.program, feed.limits, feed.hello.name)
    except BotError as error:
        hint = advice(bot, error.stderr, feed.limits)
        said = f" It wrote:\n{safe_lines(error.stderr, '  ')}" if error.stderr else ""
        raise RunError(f"bot {bot.name!r}: {safe(str(error) + '.' + hint)}{said}") from None


def _told(again: Again) -> Iterator[str]:
    """Yield the recorded move of a decision, and the answer now where it is another."""
    asked, entry = again.asked, again.asked.entry
    assert entry.move is not None
    then = asked.game.describe(entry.seat, entry.move)
    mark = " " if again.as_recorded else "*"
    by_default = "by default: " if entry.fault else ""
    first, *rest = folded(f"{by_default}{then}", _INDENT)
    yield f"{asked.number:4} {mark} {first.strip()}"
    yield from rest
    if entry.fault is not None and again.fault is not None and again.as_recorded:
        yield from _fault("then and now", again.fault)
    else:
        if entry.fault is not None:
            yield from _fault("then", entry.fault)
        if again.fault is not None:
            yield from _fault("now", again.fault)
        elif not again.as_recorded:
            yield from folded(f"now: {again.words}", _INDENT)
    if again.note:
        yield from folded(f"note: {again.note}", _INDENT)


def _fault(when: str, fault: Fault) -> Iterator[str]:
    yield from folded(f"{when}: FAULT: {fault.kind}: {fault.reason}", _INDENT)
    if fault.line:
        yield f"{_INDENT}its line: {safe(fault.line)}"


def _logged(again: Again) -> Iterator[str]:
    yield _wire_line("→", again.asked.line)
    if again.heard:
        yield _wire_line("←", again.heard)


def _echo(arrow: str, line: bytes) -> None:
    click.echo(_wire_line(arrow, line))


def _wire_line(arrow: str, line: bytes) -> str:
    """Return a line that was sent or heard, safe for a terminal."""
    text = line.rstrip(b"\n").decode(errors="backslashreplace")
    return f"{arrow} {safe(text)}"


def show_wire(process: BotProcess, seat: int, name: str) -> None:
    """Show every line that passes between a bot, just started, and the referee.

    Each begins with the number of the seat; the first two have passed already.
    """

    def show(arrow: str, line: bytes) -> None:
        click.echo(f"{seat} {_wire_line(arrow, line)}")

    show("→", encode(Hello(VERSION, name, process.threads)))
    show("←", encode(Ready("ready", process.samples)))
    process.tap = show
