"""Commands on the bots of a league: add, remove, feedback."""

import dataclasses
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import click

from arena.cli import completion, main
from arena.cli.changing import called_bots, is_served, tell_run
from arena.cli.options import (
    Seconds,
    WholeNumber,
    grouped,
    league_argument,
    most_option,
    output_format,
    sandbox_uid_option,
    trust_option,
)
from arena.cli.progress import StatusLine
from arena.cli.rating import rated
from arena.cli.saying import say, show, warn_unprotected
from arena.handin.filenames import bot_name
from arena.handin.gather import Workplace, gathered
from arena.handin.stale import disqualify, settle, take_out
from arena.league.bot import Bot
from arena.league.entry import check_reason
from arena.league.file import with_game
from arena.league.hints import unmet, wishes
from arena.league.plan import LeaguePlan
from arena.organize.bundle import write_feedback, write_verdict
from arena.organize.entering import BotVerdict, Brought, State, Terms, entered, played_versions
from arena.store.choosing import MatchChoice
from arena.store.opening import open_store, read_played
from arena.store.versions import twins
from arena.tables.table import NAME_WIDTH, Column, Row, Table
from arena.text import composed, counted, first_few, league_words, quoted, safe
from protocol.errors import ArenaError

_SAID: dict[State, str] = {
    "entered": "entered",
    "replaced": "replaced",
    "unchanged": "is there",
    "changed": "CHANGED",
    "refused": "REFUSED",
}
"""The states of verdicts, in their order."""
_COUNTED: dict[State, str] = {
    **_SAID,
    "unchanged": "there already",
    "changed": "changed, and not entered",
    "refused": "refused",
}
_LEFT: tuple[State, ...] = "changed", "refused"  # those that were not entered
_WHY = "Why, and what to do"


@main.command()
@league_argument
@click.argument("bots", nargs=-1, required=True, metavar="BOT...", shell_complete=completion.bots)
@click.option(
    "--replace", is_flag=True, help="Put a fit bot in the place of the one that has its name."
)
@click.option(
    "--copy", is_flag=True, help="Copy the bot's files into LEAGUE/bots, and enter the copy."
)
@click.option("--grant", is_flag=True, help="Grant bots what their bot.toml says they need.")
@click.option(
    "--seconds",
    type=Seconds(0.1, 86_400),
    default=5.0,
    show_default=True,
    help="Start no more matches of a check after this time.",
)
@click.option(
    "--feedback",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Write each verdict as DIR/BOT/verdict.txt, to be sent to its author.",
)
@click.option("--workers", type=WholeNumber(1, 1024), help="Checks at once.  [default: cores]")
@sandbox_uid_option
@output_format
@trust_option
@grouped(terms=Terms)
def add(
    league: Path,
    bots: tuple[str, ...],
    terms: Terms,
    feedback: Path | None,
    form: str,
) -> None:
    """Check bots for a league, and enter those that are fit; exit with 1 if any is not.

    BOT is what it is in `arena init`, a single program, an archive, or a folder of all of these, as
    authors have sent them. Each is checked as `arena check` does, with the league's own game,
    seats, options and limits. A folder with a bot.toml stays where it is, so it must be kept,
    unless --copy is given. Works while a run plays: the next run plays the new bots, and a server
    takes them by itself.

    With --replace, a bot that is fit takes over the name of another; if it is not fit, the old one
    stays. Results of the old files are kept under their version, as if the files had been changed;
    the new one plays everything anew, or, in a league of rounds, on from the next one. Files
    that have played under this name have their results back.

    \b
    arena add cup ./my_bot other=./mine.py
    arena add cup mine=./better --replace
    arena add cup hand-ins --feedback feedback
    arena add cup hand-ins --replace --copy
    """
    plan = with_game(read_played(league))
    with Workplace(plan.folder, terms.sandbox_uid) as room:
        with StatusLine() as line:
            found, passed_over, people = gathered(bots, plan.loaded, room, line.show)
        verdicts = _enter(plan, found, terms, feedback)
    lacking = [] if terms.grant else found
    notes = [*_of_replaced(plan, verdicts), *_summary(league, verdicts)]
    notes += _unmet(league, lacking, verdicts)
    notes += [*_of_people(plan, people), *_passed_over(passed_over)]
    has_refused = any(verdict.state in _LEFT for verdict in verdicts)
    if has_refused and feedback is None:
        notes.append("`--feedback DIR` writes each verdict whole; `arena check` shows one.")
    show(_table(verdicts, plan.game.name, notes), form)
    _tell_changes(league, verdicts)
    if has_refused:
        raise click.exceptions.Exit(1)


def _enter(
    plan: LeaguePlan, found: Sequence[Brought], terms: Terms, feedback: Path | None
) -> list[BotVerdict]:
    """Check and enter bots; say how that is getting on, and write the verdicts down."""
    names = [composed(each.name) for each in found]
    warn_unprotected(plan.limits.sandbox, [bot for bot in plan.bots if bot.name in names])
    verdicts: list[BotVerdict] = []
    called: Counter[str] = Counter()
    with StatusLine() as line:
        for each, verdict in zip(found, entered(plan, found, terms, line.show), strict=True):
            verdicts.append(verdict)
            has_author = not (isinstance(each.bot, Bot) and each.bot.is_bundled)
            if feedback is not None and has_author:
                called[verdict.name] += 1
                made = each.bot.folder if isinstance(each.bot, Bot) and each.is_made else None
                write_verdict(feedback, verdict, plan.game.name, called[verdict.name], made)
    return verdicts


def _summary(league: Path, verdicts: Sequence[BotVerdict]) -> Iterator[str]:
    """Yield how many bots came to what, and what can be done next."""
    states = Counter(verdict.state for verdict in verdicts)
    counts = [f"{states[state]} {word}" for state, word in _COUNTED.items() if states[state]]
    yield f"{counted(len(verdicts), 'bot')}: {', '.join(counts)}."
    if changed := [verdict.name for verdict in verdicts if verdict.state == "changed"]:
        have = "has" if len(changed) == 1 else "have"
        yield (
            f"{counted(len(changed), 'bot')} {have} changed ({first_few(changed)}): give --replace "
            f"to check the new files and put them in the place of the old ones; NAME=BOT enters "
            f"one under another name."
        )
    left = read_played(league)
    if len(left.bots) < left.seats:
        yield f"A match needs {left.seats} bots, and the league has {len(left.bots)}."
    elif (states["entered"] or states["replaced"]) and not is_served(league):
        yield f"Next: arena run {quoted(league)}"


def _of_replaced(plan: LeaguePlan, verdicts: Sequence[BotVerdict]) -> Iterator[str]:
    """Yield what becomes of bots in the places of others; `plan` is the league before."""
    new = {bot.name: bot for bot in read_played(plan.folder).bots}
    said: dict[str, list[str]] = {}
    names = [each.name for each in verdicts if each.state == "replaced"]
    for bot in (new[name] for name in names if name in new):
        what = "everything is played anew"
        if plan.goes_by_results:
            what = "in the next round"
        elif bot.version in played_versions(plan, bot):
            what = "played before, so that its results are back, and what is missing is played"
        said.setdefault(what, []).append(bot.name)
    for what, which in said.items():
        yield f"{', '.join(which)}: {what}."
    for gone in plan.disqualified:
        if gone.name in names:
            yield f"{gone.remark} That holds for the new one too."


def _unmet(league: Path, found: Sequence[Brought], verdicts: Sequence[BotVerdict]) -> Iterator[str]:
    """Yield what bots need and have not, those that were found among them, and how they get it."""
    plan = read_played(league)
    new = [verdict.name for verdict in verdicts if verdict.state not in _LEFT]
    yield from wishes(plan, new)
    for each in found:
        if isinstance(each.bot, Bot) and (name := composed(each.name)) not in new:
            bot = dataclasses.replace(each.bot, grant=plan.grant_of(name))
            if why := unmet(bot, plan.limits, "`arena add --grant` lets it have that."):
                yield why


def _of_people(plan: LeaguePlan, people: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Yield who has several bots: those that came now, and those that were there before."""
    came = {name for names in people.values() for name in names}
    for who, names in people.items():
        if len(names) > 1:
            yield (
                f"{len(names)} programs came from {who}, or from people of that name: "
                f"{', '.join(names)}."
            )
        form = re.compile(rf"{re.escape(bot_name(who))}(_[0-9]+)?")
        there = [bot.name for bot in plan.bots if form.fullmatch(bot.name)]
        if old := [name for name in there if name not in came]:
            are = "is" if len(old) == 1 else "are"
            yield (
                f"{', '.join(names)} came from {who}, and {', '.join(old)} {are} there from "
                f"before: `arena remove` takes out what is to play no more."
            )


def _passed_over(names: Sequence[str]) -> Iterator[str]:
    if names:
        yield f"Passed over: {first_few(names)}."


def _tell_changes(league: Path, verdicts: Sequence[BotVerdict]) -> None:
    """Say which of the new bots are one program, and that a run goes on without them."""
    new = {verdict.name for verdict in verdicts if verdict.state in ("entered", "replaced")}
    for hint in twins(read_played(league), new):
        say(hint)
    if new:
        tell_run(league)


def _mended(row: Row) -> str:
    """Return what its author is to do, and what the organizer, if there is anything."""
    told = row["for_author"] if row["verdict"] in ("refused", "changed") else ""
    said = told or row["why"] or ""
    return f"{said} (Step: {row['step']}.)" if row["step"] and not told else said


def _table(verdicts: Sequence[BotVerdict], game: str, notes: Sequence[str]) -> Table:
    rows = [
        {
            "bot": verdict.name,
            "place": verdict.place,
            "verdict": verdict.state,
            "step": verdict.step or None,
            "why": verdict.why or None,
            "for_author": verdict.for_author(game) or None,
        }
        for verdict in verdicts
    ]
    columns = (
        Column("Bot", lambda row: safe(row["bot"]), width=NAME_WIDTH),
        Column(
            "Verdict",
            lambda row: _SAID[row["verdict"]],
            style=lambda row: "bad" if row["verdict"] in _LEFT else None,
        ),
        Column(_WHY, lambda row: safe(_mended(row)), width=40),
    )
    return Table("bots", columns, rows, {"game": game}, [*map(safe, notes)])


@main.command()
@league_argument
@click.argument(
    "names", nargs=-1, required=True, metavar="NAME...", shell_complete=completion.entered
)
@click.option("--because", metavar="TEXT", help="Disqualify them; every table says why.")
@click.option("--undo", is_flag=True, help="Let bots that are disqualified play and count again.")
def remove(league: Path, names: tuple[str, ...], because: str | None, undo: bool) -> None:
    """Take bots out of a league; their matches are kept, and count no more.

    Entered again with the same files, under the same name, a bot has its results back. So it has
    if its author hands it in again, or connects it if it is remote.

    With --because, they are disqualified: they play no more, their matches do not count, and tables
    say why. Their names stay taken, and they cannot be taken out, as what says so would be lost
    with them. The matches of the other bots stay the same. A remote bot cannot be connected then;
    the matches that it is playing are left as they are.

    \b
    arena remove cup mine
    arena remove cup mine --because "it copied the code of yours"
    arena remove cup mine --undo
    """
    if undo and because is not None:
        raise ArenaError("give either --because, which every table shows, or --undo.")
    settle(league)  # a bot that the file has lost can be taken out too
    plan = read_played(league)
    called = called_bots(plan, names)
    kept = {} if undo else {name: _kept(plan, name) for name in called}  # or nothing is changed
    if undo:
        said, left = _let_back(plan, called), plan
    elif because is None:
        left = take_out(league, called)
        said = _taken_out(plan, kept)
    else:
        check_reason(because)
        for name in called:
            left = disqualify(league, name, because)
        said = _disqualified(plan, kept)
    for line in said:
        click.echo(safe(line))
    if not undo and len(left.bots) < left.seats:
        say(f"A match needs {left.seats} bots, and the league has {len(left.bots)}.")
    tell_run(league)


_CLOSED = "It is remote: its connection, if it has one, is closed"
"""What is said of a remote bot that plays no more, as the beginning of a sentence."""


def _taken_out(plan: LeaguePlan, kept: Mapping[str, str]) -> Iterator[str]:
    for name, matches in kept.items():
        is_remote = plan.grant_of(name).remote
        closed = f" {_CLOSED}; its author may connect it again." if is_remote else ""
        yield f"{name} is not in {league_words(plan.folder)} any more{matches}.{closed}"


def _disqualified(plan: LeaguePlan, kept: Mapping[str, str]) -> Iterator[str]:
    for name, matches in kept.items():
        closed = f" {_CLOSED}, and nobody can connect it." if plan.grant_of(name).remote else ""
        yield f"{name} is disqualified{matches}.{closed}"


def _let_back(plan: LeaguePlan, names: Sequence[str]) -> Iterator[str]:
    """Let disqualified bots play again, all of them or none; yield what becomes of them."""
    excluded = {bot.name for bot in plan.disqualified}
    for name in names:
        if name not in excluded:
            raise ArenaError(f"{name} is not disqualified; nothing was changed.")
    for name in names:
        is_remote = disqualify(plan.folder, name, None).grant_of(name).remote
        if is_remote:
            yield f"{name} counts again, and plays when its author connects it."
        else:
            yield f"{name} plays and counts again."


def _kept(plan: LeaguePlan, name: str) -> str:
    """Return what becomes of the matches of a bot, as the end of a sentence."""
    if not plan.database.is_file():
        return ""
    with open_store(plan) as store:
        count = store.count(MatchChoice(bot=name))
    if not count:
        return ""
    verb, its = ("is", "counts") if count == 1 else ("are", "count")
    return f"; its {counted(count, 'match', 'matches')} {verb} kept, and {its} no more"


@main.command()
@league_argument
@click.argument("target", metavar="DIR", type=click.Path(path_type=Path, file_okay=False))
@click.option(
    "--bot",
    "bots",
    multiple=True,
    metavar="NAME",
    help="Only of this bot; repeatable.",
    shell_complete=completion.entered,
)
@most_option(20)
@trust_option
def feedback(league: Path, target: Path, bots: tuple[str, ...], most: int) -> None:
    """Write a folder for each bot, for its author: its results and its own matches.

    In DIR/BOT are its place, its results against each other bot, a list of its matches, and some of
    them as it saw them, with its faults and its standard error. Nothing there is another bot's, and
    no seed of the league. Bundled bots have none, unless --bot names them.

    \b
    arena feedback cup feedback
    arena feedback cup for-mine --bot mine --most 0
    """
    plan = with_game(read_played(league))
    bundled = {bot.name for bot in plan.bots if bot.is_bundled}
    names = called_bots(plan, bots) or sorted({*plan.names.values()} - bundled)
    if not names:
        raise ArenaError(
            f"{league_words(league)} has none but bundled bots, which have no author; "
            "name one: --bot."
        )
    with StatusLine() as line:
        write_feedback(plan, target, names, most or None, rated, line.show)
    click.echo(safe(f"{target} is written: feedback on {counted(len(names), 'bot')}."))
