"""The command that plays a league: run."""

import re
from collections import Counter
from collections.abc import Sequence
from math import inf
from pathlib import Path

import click

from arena.cli import main
from arena.cli.foreseen import tell_plan, warn_guessable
from arena.cli.options import (
    grouped,
    league_argument,
    output_format,
    sandbox_uid_option,
    trust_option,
)
from arena.cli.progress import ProgressLine
from arena.cli.rating import rated
from arena.cli.running import (
    check_pace,
    cluster_option,
    collected_rarely,
    for_option,
    opened_run,
    run_terms,
    stopped_by_signals,
    stopped_by_time,
    workers_option,
)
from arena.cli.saying import say, show_all, warn_unprotected
from arena.cli.verify import agree
from arena.handin.stale import settle
from arena.league.doors import idle_keys
from arena.league.hints import advice, wishes
from arena.league.plan import LeaguePlan
from arena.play.events import (
    Forfeiting,
    Problem,
    RoundBegan,
    RunEvent,
    Started,
    Stored,
    Suspended,
)
from arena.play.forfeits import FORFEITING
from arena.play.memory import available
from arena.play.messages import News, Underway
from arena.play.missing import WHOLE, Part
from arena.play.pace import Pace
from arena.play.run import Run
from arena.play.staffing import RunTerms
from arena.store.opening import open_store, read_league
from arena.store.suspensions import suspended
from arena.store.under_way import under_way
from arena.tables.standings import ranking
from arena.text import counted, duration, safe, safe_lines
from protocol.errors import ArenaError, RunError

_MOST_PARTS = 10_000
_LARGE_PART = 0.25  # of the memory that is free: it is said beforehand when bots need more


@main.command()
@league_argument
@workers_option
@for_option("; run again to go on")
@click.option(
    "--part",
    metavar="K/N",
    help="Play only part K of N of the deals.",
    callback=lambda _context, _param, word: _part(word),
)
@cluster_option
@click.option(
    "--final",
    is_flag=True,
    help="Do the next step of a contest's final: draw its seed; after the closing, make and play "
    "it; publish the seed.",
)
@click.option("--discard-final", is_flag=True, help="Remove a final that was made too early.")
@sandbox_uid_option
@output_format
@trust_option
@grouped(terms=run_terms)
def run(league: Path, terms: RunTerms, final: bool, discard_final: bool, form: str) -> None:
    """Play whatever is missing, then show the table.

    Ctrl-C finishes the matches being played and stores them, or leaves those of a slow league on
    their way; a second Ctrl-C stops at once. Run the command again to go on. Several machines can
    share a league: each plays a --part of a copy of it, and `arena import` puts the parts together.

    `arena serve` plays the final of a contest by itself; --final is for contests without a server.
    Given first, it draws a seed, keeps it, and prints its SHA-256, which is to be published. After
    the closing, it makes the final, a league in the folder `final` of the league's, of copies of
    the bots that are in the league then, and plays it. Given when that is done, it prints the
    seed. A final that was made too early, as `closes` was wrong, is removed by --discard-final,
    once `closes` lies ahead, and unless others than organizers could see its matches; the seed
    stays as it was published.

    \b
    arena run cup
    arena run cup --workers 1
    arena run cup --for 2h
    arena run cup --part 1/2
    arena run cup --cluster tcp://scheduler:8786
    arena run cup --final
    """
    if final and discard_final:
        raise ArenaError("--final and --discard-final do not go together; choose one.")
    if lost := settle(league):
        say(lost.words(league))
    folder: Path | None = league
    if final or discard_final:
        from arena.cli import final as steps  # here, as it costs other runs a while

        if discard_final:
            steps.discard(league)
            return
        folder = steps.next_step(league)
    if folder is None:
        return
    found = read_league(folder, "play" if terms.cluster is None else "send")
    check_pace(found, terms)
    play_and_show(found, terms, form)
    if final:
        steps.tell_end(league)


def _part(word: str | None) -> Part:
    if word is None:
        return WHOLE
    match = re.fullmatch("([0-9]{1,5})/([0-9]{1,5})", word)
    number, of = map(int, match.groups()) if match else (0, 0)
    if not 1 <= number <= of <= _MOST_PARTS:
        raise ArenaError(f"--part takes K/N, such as 1/2 and 2/2 for two machines, not {word!r}.")
    return Part(number, of)


def play_and_show(league: LeaguePlan, terms: RunTerms, form: str, title: str = "") -> None:
    """Play what is missing, then show the table; raise RunError if that did not go well.

    A title is printed once it can be played; such a league may be gone soon, and no command of the
    next step is named.
    """
    _play_missing(league, terms, title)
    others = "they belong to the other parts, which `arena import` puts together with this one"
    with open_store(league) as store:
        remedy = None if terms.part == WHOLE else others
        tables = ranking(league, store, rated, remedy, is_for_readers=bool(title))
    show_all(tables, form)


def _play_missing(league: LeaguePlan, terms: RunTerms, title: str) -> None:
    """Play and store what is missing, or what of it can be in time."""
    if league.database.is_file() and not league.database.stat().st_size:
        say(
            f"{league.database} is empty, so all is played from the beginning. If there were "
            f"results in it, stop, and put back a copy."
        )
    agree(league, terms.workers)
    with opened_run(league, terms) as run:
        if title:
            click.echo(title)
        for hint in (*run.hints, *wishes(league), *idle_keys(league)):
            say(hint)
        tell_plan(league, run.missing, run.workers)
        if not run.missing:
            return
        warn_unprotected(league.limits.sandbox, league.bots)
        warn_guessable(league)
        asking = [bot for bot, each in enumerate(run.bots) if league.limits_of(each).door]
        rate = inf if league.door is None else league.door.requests_per_minute
        pace = Pace([bot.name for bot in run.bots], league.seats, asking, rate)
        with (
            collected_rarely(),
            stopped_by_signals(run) as heard,
            stopped_by_time(run, terms.seconds) as is_over,
            ProgressLine(run.missing, pace) as line,
        ):
            seen = _followed(run, league, line)
        missing = f"{counted(run.missing, 'match is', 'matches are')} missing"
        if begun := sum(map(bool, under_way(league.folder).values())):
            missing += f" ({begun:,} {'has' if begun == 1 else 'have'} begun and will go on)"
        if problems := seen[Problem]:
            rest = f"{missing}. Run again to go on." if run.missing else "no match is missing."
            raise RunError(f"{counted(problems, 'problem')}, above; {rest}")
        if is_over() and run.missing and not heard:
            assert terms.seconds is not None
            say(f"Stopped after {duration(terms.seconds)}: {missing}.")
            return
        if heard and run.missing:
            left = pace.left(run.missing)
            rest = f", about {duration(left)} of play" if left else ""
            raise RunError(f"stopped; {missing}{rest}. Run again to go on.")
        if run.missing and not seen[Suspended]:
            raise RunError(f"{missing}, and no reason is known.")


def _followed(run: Run, league: LeaguePlan, line: ProgressLine) -> Counter[type[RunEvent]]:
    """Play, and show what happens; return how often each kind of thing has happened."""
    seen: Counter[type[RunEvent]] = Counter()
    sizes: dict[str, int] = {}
    for event in run.play():
        match event:
            case Stored():
                line.advance(event.matches)
                if sizes:  # and so all have been started
                    _tell_memory(list(sizes.values()), run, line)
                    sizes.clear()
            case RoundBegan():
                line.expect(event.missing)
            case Started():
                sizes[event.bot] = event.memory
            case Underway():
                line.underway(event.matches, event.answers)
            case _:
                line.say(_words(event, league))
        seen[type(event)] += 1
    return seen


def _tell_memory(sizes: Sequence[int], run: Run, line: ProgressLine) -> None:
    """Say how much memory the bots need, in bytes when they were ready, if that is a good part."""
    if run.workers is None:
        return
    needed = run.workers * run.processes * sum(sizes) / len(sizes)
    free = available()
    if needed > _LARGE_PART * free:
        line.say(
            f"The bots' processes need about {_size(needed)}: "
            f"{counted(run.workers, 'worker')} with up to {run.processes} each. "
            f"{_size(free)} are free; if that is not enough, fewer processes are kept."
        )


def _size(count: float) -> str:
    """Return a number of bytes in words."""
    return f"{count / 1e9:.1f} GB" if count >= 1e9 else f"{count / 1e6:.0f} MB"


def _words(event: Suspended | Forfeiting | News | Problem, league: LeaguePlan) -> str:
    """Return what to say of what happened."""
    bots = {bot.name: bot for bot in league.bots}
    match event:
        case Suspended():
            bot = bots[event.bot]
            why = suspended(bot, event.reason, league.limits_of(bot))
            return safe(f"{event.bot} is suspended for this run: {why}")
        case Forfeiting():
            bot = bots[event.bot]
            hint = advice(bot, event.stderr, league.limits_of(bot))
            where = f"see `arena show {league.folder} {event.match}`."
            return safe(f"{event.bot} has {FORFEITING}: {where}{hint}")
        case News():
            return safe(event.text)
        case Problem():
            return safe_lines(event.text)
