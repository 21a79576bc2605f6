"""Commands of a league: init, run."""

import re
from collections.abc import Sequence
from dataclasses import replace
from math import inf
from pathlib import Path
from typing import Any

import click

from arena.cli import completion, main
from arena.cli.building import opened_run
from arena.cli.common import (
    check_pace,
    check_workers,
    cluster_option,
    collected_rarely,
    default_workers,
    game_option,
    key_values,
    league_argument,
    limit_option,
    limits_beside,
    opening_options,
    opening_words,
    output_format,
    sandbox_option,
    sandbox_uid_option,
    seconds_of,
    show,
    trust_option,
    warn_unprotected,
)
from arena.cli.foreseen import foreseen, tell_idle, tell_plan, tell_unplayable, warn_guessable
from arena.cli.progress import ProgressLine
from arena.cli.rating import rated
from arena.cli.saying import say
from arena.cli.settings import asked_settings, settings_options
from arena.cli.stopping import stopped_by_signals, stopped_by_time
from arena.cli.verify import agree
from arena.league.bot import Bot
from arena.league.doors import idle_keys
from arena.league.entry import entries_of
from arena.league.file import FILE
from arena.league.games import find_game, word_in
from arena.league.hints import advice, wishes
from arena.league.plan import LeaguePlan
from arena.league.writing import make_league
from arena.play.events import Forfeiting, Problem, RoundBegan, Started, Stored, Suspended
from arena.play.memory import available
from arena.play.messages import News, Underway
from arena.play.missing import WHOLE, Part
from arena.play.pace import Pace
from arena.play.run import Run
from arena.play.staffing import RunTerms
from arena.store.opening import open_store, read_league
from arena.store.suspensions import FORFEITING, suspended
from arena.store.tournament import Tournament, asked_deals
from arena.store.under_way import under_way
from arena.store.versions import disqualified, twins
from arena.tables.leaderboard import leaderboard
from arena.tables.sources import field_of
from arena.text import counted, duration, quoted, safe, safe_lines
from protocol.errors import ArenaError, RunError

_MOST_PARTS = 10_000
_LARGE_PART = 0.25  # of the memory that is free: it is said beforehand when bots need more


@main.command()
@click.argument("league", type=click.Path(path_type=Path))
@click.argument("bots", nargs=-1, metavar="[BOT...]", shell_complete=completion.bots)
@game_option
@settings_options
@click.option(
    "--challenger",
    "challengers",
    multiple=True,
    metavar="NAME",
    help="In a gauntlet, a bot that plays all others.  [default: the first one]",
)
@click.option(
    "--format-option",
    "format_options",
    multiple=True,
    metavar="KEY=VALUE",
    help="An option of the format, such as rounds=7 of swiss.",
)
@click.option(
    "--option", "options", multiple=True, metavar="KEY=VALUE", help="An option of the game."
)
@limit_option()
@opening_options
@sandbox_option
def init(
    league: Path,
    bots: tuple[str, ...],
    game: str,
    challengers: tuple[str, ...],
    format_options: tuple[str, ...],
    options: tuple[str, ...],
    limits: tuple[str, ...],
    opening_plies: int | None,
    opening_file: str | None,
    sandbox: str,
    **words: Any,
) -> None:
    """Make a league: a folder whose league.toml says what to play.

    BOT is a bundled bot (`arena bots`), an executable, or a folder with a bot.toml;
    NAME=BOT calls it NAME. Bots are not tried, as they are by `arena add`, which can also
    enter all of them later.

    \b
    arena init cup --game guerra sensible mine=./my_bot
    arena init cup --game guerra
    arena init cup --game guerra sensible random \\
        --deals 200 --limit move_time=0.2
    arena init cup --game guerra mine=./my_bot sensible random --format gauntlet
    arena init cup --game guerra mine=./my_bot sensible random rusher \\
        --format swiss --format-option rounds=4
    """
    kind, source = find_game(game)
    if challengers and words["format"] != "gauntlet":
        raise ArenaError("--challenger goes with --format gauntlet.")
    if words["seats"] is None:
        words["seats"] = kind.seat_counts[0]
    settings = asked_settings(word_in(source, league), **words)
    limited = limits_beside(sandbox, limits)
    entries = entries_of(bots, kind, league)
    of_format = key_values(format_options)
    if challengers:
        of_format["challengers"] = [*challengers]
    opening = opening_words(opening_plies, opening_file)
    made = make_league(
        league, settings, key_values(options), limited, entries, of_format, opening=opening
    )
    click.echo(f"{made.folder / FILE} is written.")
    is_playable = len(made.bots) >= made.seats
    if is_playable:
        missing = asked_deals(made, None).match_count
        if made.goes_by_results and not missing:
            say(safe(Tournament(made, None).progress))
        else:
            is_slow = made.limits.pace == "slow"
            at_once = min(made.limits.slots, missing) if is_slow else default_workers(made.cores)
            tell_plan(made, missing, at_once)
        for said in foreseen(made):
            say(said)
    tell_idle(limited, sandbox)
    tell_unplayable(made.cores, made.limits)
    warn_guessable(made)
    for hint in (*twins(made), *wishes(made)):
        say(safe(hint))
    word = quoted(league)
    click.echo(safe(f"Next: arena run {word}" if is_playable else f"Next: arena add {word} BOT..."))


@main.command()
@league_argument
@click.option("--workers", type=int, help="Processes that play.  [default: as cores allow]")
@click.option(
    "--for",
    "seconds",
    type=seconds_of,
    metavar="TIME",
    help="Stop after 90s, 30m, 2h or 1h30m; run again to go on.",
)
@click.option("--part", metavar="K/N", help="Play only part K of N of the deals.")
@cluster_option
@sandbox_uid_option
@output_format
@trust_option
def run(
    league: Path,
    workers: int | None,
    seconds: float | None,
    part: str | None,
    cluster: str | None,
    sandbox_uid: int | None,
    form: str,
) -> None:
    """Play whatever is missing, then show the table.

    Ctrl-C finishes the matches being played and stores them, or leaves those of a slow league on
    their way; a second Ctrl-C stops at once. Run the command again to go on. Several machines can
    share a league: each plays a --part of a copy of it, and `arena import` puts the parts together.

    \b
    arena run cup
    arena run cup --workers 1
    arena run cup --for 2h
    arena run cup --part 1/2
    arena run cup --cluster tcp://scheduler:8786
    """
    check_workers(workers, cluster)
    found = read_league(league, "play" if cluster is None else "send")
    check_pace(found, workers, cluster)
    play_and_show(found, RunTerms(workers, sandbox_uid, _part(part), cluster, seconds), form)


def _part(word: str | None) -> Part:
    if word is None:
        return WHOLE
    match = re.fullmatch("([0-9]{1,5})/([0-9]{1,5})", word)
    number, of = map(int, match.groups()) if match else (0, 0)
    if not 1 <= number <= of <= _MOST_PARTS:
        raise ArenaError(f"--part takes K/N, such as 1/2 and 2/2 for two machines, not {word!r}.")
    return Part(number, of)


def play_and_show(
    league: LeaguePlan,
    terms: RunTerms,
    form: str,
    title: str = "",
) -> None:
    """Play what is missing, then show the table; raise RunError if that did not go well.

    A title is printed once it can be played.
    """
    _play_missing(league, terms, title)
    with open_store(league) as store:
        said = tuple(map(safe, disqualified(league, store)))
        field = replace(field_of(league, store), asides=said)
    if terms.part != WHOLE and not field.suspended:
        others = "they belong to the other parts, which `arena import` puts together with this one"
        field = replace(field, remedy=others)
    show(leaderboard(field, rated(field)), form)


def _play_missing(league: LeaguePlan, terms: RunTerms, title: str) -> None:
    """Play and store what is missing, or what of it can be in time."""
    problems = 0
    is_any_suspended = False
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
            say(safe(hint))
        tell_plan(league, run.missing, run.workers)
        if not run.missing:
            return
        warn_unprotected(league.limits.sandbox, league.bots)
        warn_guessable(league)
        sizes: dict[str, int] = {}
        asking = [bot for bot, each in enumerate(run.bots) if league.limits_of(each).door]
        rate = inf if league.door is None else league.door.requests_per_minute
        pace = Pace([bot.name for bot in run.bots], league.seats, asking, rate)
        with (
            collected_rarely(),
            stopped_by_signals(run) as heard,
            stopped_by_time(run, terms.seconds) as is_over,
            ProgressLine(run.missing, pace) as line,
        ):
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
                is_any_suspended |= isinstance(event, Suspended)
                problems += isinstance(event, Problem)
        missing = f"{counted(run.missing, 'match is', 'matches are')} missing"
        if begun := sum(map(bool, under_way(league.folder).values())):
            missing += f" ({begun:,} {'has' if begun == 1 else 'have'} begun and will go on)"
        if problems:
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
        if run.missing and not is_any_suspended:
            raise RunError(f"{missing}, and no reason is known.")


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
    match event:
        case Suspended():
            bot = _bot(league, event.bot)
            why = suspended(bot, event.reason, league.limits_of(bot))
            return safe(f"{event.bot} is suspended for this run: {why}")
        case Forfeiting():
            bot = _bot(league, event.bot)
            hint = advice(bot, event.stderr, league.limits_of(bot))
            where = f"see `arena show {league.folder} {event.match}`."
            return safe(f"{event.bot} has {FORFEITING}: {where}{hint}")
        case News():
            return safe(event.text)
        case Problem():
            return safe_lines(event.text)


def _bot(league: LeaguePlan, name: str) -> Bot:
    return next(bot for bot in league.bots if bot.name == name)
