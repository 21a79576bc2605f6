"""Commands about single matches of a league: matches, show."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import NamedTuple

import click

from arena.archive.feed import Feed, feed_of, seat_of
from arena.archive.saved import read_match
from arena.archive.show import LoadGame, as_table, open_match, told
from arena.cli import completion, main
from arena.cli.feed import play_again
from arena.cli.left_out import LeagueArgument, is_file
from arena.cli.options import (
    grouped,
    league_argument,
    most_option,
    output_format,
    sandbox_uid_option,
    trust_option,
)
from arena.cli.running import built
from arena.cli.saying import say, screen_width, show
from arena.league.bot import Bot, LostBot
from arena.league.file import with_game
from arena.league.finding import find_bot
from arena.league.hints import advice
from arena.league.plan import LeaguePlan
from arena.store.choosing import Ending, MatchChoice
from arena.store.opening import open_store, read_played
from arena.store.rows import StoredMatch, WholeMatch
from arena.store.store import Store
from arena.store.suspensions import not_playing
from arena.tables.circumstances import Kinds, kinds_of
from arena.tables.match_list import MatchList
from arena.tables.table import Table
from arena.text import composed, quoted, safe
from protocol.errors import ArenaError
from referee.rules.options import suggestion


def _choice(
    bot: str | None,
    against: str | None,
    *,
    lost: bool,
    won: bool,
    faulty: bool,
    closest: bool,
) -> MatchChoice:
    """Return the matches that are asked for; raise ArenaError for options that need another."""
    if bot is None:
        given = {"--against": against, "--lost": lost, "--won": won}
        for name in (each for each, is_given in given.items() if is_given):
            raise ArenaError(f"{name} is about one bot: say which by --bot.")
    if lost and won:
        raise ArenaError("--lost and --won: no match is both; choose one.")
    bot, against = (name if name is None else composed(name) for name in (bot, against))
    if bot is not None and bot == against:
        raise ArenaError(f"--against {bot}: name another bot than that of --bot.")
    ending: Ending | None = "lost" if lost else "won" if won else None
    return MatchChoice(bot, against, ending, faulty, closest)


@main.command()
@league_argument
@click.option(
    "--bot", metavar="NAME", help="Only matches of this bot.", shell_complete=completion.entered
)
@click.option(
    "--against",
    metavar="BOT",
    help="Of these, only those in which this other bot sat, too.",
    shell_complete=completion.entered,
)
@click.option("--lost", is_flag=True, help="Of these, only those that the bot of --bot lost.")
@click.option("--won", is_flag=True, help="Of these, only those that the bot of --bot won.")
@click.option("--faulty", is_flag=True, help="Only matches with faults; with --bot, of that bot.")
@click.option("--closest", is_flag=True, help="The narrowest first, and not by deal.")
@most_option(100)
@click.option("--columns", metavar="NAMES", help="Show just these, with commas between them.")
@output_format
@grouped(choice=_choice)
def matches(league: Path, choice: MatchChoice, most: int, columns: str | None, form: str) -> None:
    """List the matches that were played, by deal.

    A bot has lost a match if another was better, and won it if nobody was; with --against, that
    one alone is compared. With --closest, scores are compared where the game counts something: of
    the bot and the best other one, or that of --against; without --bot, of the best two. Where
    scores are equal, or there are none, places are, and the longer match is the closer one.

    NAMES of columns are match, deal, rotation, seats, reason, decisions, faults and sandbox; where
    the game counts something, also scores, numbers, and each of these numbers by its own name. The
    sandbox has a column, unasked for, where these matches differ in it.

    \b
    arena matches cup
    arena matches cup --bot mine --faulty
    arena matches cup --bot mine --lost --closest --most 3
    arena matches cup --bot mine --against sensible --won
    arena matches cup --columns match,seats,decisions
    arena matches cup --most 0 --format csv > matches.csv
    """
    asked = read_played(league)
    with open_store(asked) as store:
        listed = MatchList(asked.game, store.sandbox_of, columns)
        known = {*store.bots.names(), *asked.names.values()}
        for name in filter(None, (choice.bot, choice.against)):
            _check_known(name, known)
        count = store.count(choice)
        found = partial(store.matches, choice, limit=most or None)
        shown = min(count, most or count)
        listed.tell_sandboxes(_sandboxes(store, found, shown))
        notes = listed.notes
        notes += [safe(why) for _, why in not_playing(asked, store)]
        if not count:
            notes.append(_none_found(choice))
        if shown < count:
            notes.append(f"The first {shown} of {count} matches; --most 0 lists all.")
            if form in ("csv", "json"):
                say(notes[-1])
        facts = {"count": count, **listed.facts}
        table = Table("matches", listed.columns, (), facts, notes, keys=listed.keys)
        present = {(each.name, each.version) for each in asked.bots}
        show(table, form, listed.rows(found(), present))


def _check_known(bot: str, known: Collection[str]) -> None:
    if bot not in known:
        raise ArenaError(f"there is no bot {bot!r} in this league. {suggestion(bot, known)}")


def _none_found(choice: MatchChoice) -> str:
    """Return in a sentence that there is no match of those that were asked for."""
    bot, other, ending, *_ = choice
    against = f" against {other}" if other else ""
    fault = " in which it had a fault" if choice.faulty else ""
    if bot is None:
        return (
            "No match was played in which a bot had a fault." if fault else "No match was played."
        )
    if ending:
        return f"{bot} {ending} no match{against}{fault}."
    return f"{bot} has played no match{against}{fault}."


def _sandboxes(
    store: Store, matches: Callable[[], Iterable[StoredMatch]], count: int
) -> Mapping[Kinds, int]:
    """Return how many of so many matches were played in each kind of sandbox.

    They are looked at only if the league's differ.
    """
    kinds = {kinds_of(name) for name in store.tallies.sandbox_names()}
    if len(kinds) == 1 or not count:
        return dict.fromkeys(kinds, count) if count else {}
    found = Counter(kinds_of(store.sandbox_of(match)) for match in matches())
    return dict(sorted(found.items()))


@main.command("show")
@click.argument("source", cls=LeagueArgument, also=is_file, metavar="[LEAGUE|FILE]")
@click.argument("match", required=False)
@click.option("--tables", is_flag=True, help="Draw the table before each step.")
@click.option("--seat", type=int, metavar="N", help="Show only this seat; the first is 0.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "csv"]),
    default="text",
    metavar="NAME",
    help="json: all that is kept of the match; csv: its decisions.  [default: text]",
)
@click.option("--messages", is_flag=True, help="Print only the lines sent to the bot of --seat.")
@click.option("--feed", metavar="BOT", help="Send a bot these lines and compare its answers.")
@click.option(
    "--log", is_flag=True, help="With --feed: print only the lines, → sent and ← received."
)
@sandbox_uid_option
@trust_option
def show_match(
    source: Path,
    match: str | None,
    tables: bool,
    seat: int | None,
    form: str,
    messages: bool,
    feed: str | None,
    log: bool,
    sandbox_uid: int | None,
) -> None:
    """Show a match move by move, with times, faults and notes.

    Name a LEAGUE and a MATCH by its id, which `arena matches` lists, or by its first characters, as
    far as no other begins so. Or name a FILE that `arena play --save FILE` wrote. Three times are
    shown: the bot's CPU time, the wall time until its answer, and the lag, which the referee took
    before it asked.

    With --feed, a bot gets the messages of the match again; whatever it answers, the match goes on
    as it was played. BOT is a bot of the league, or any bot as in `arena init`. A bot that played
    gets its own seat, unless --seat names another. The exit code is 1 if the bot made a fault.

    \b
    arena show cup 3f9a-0
    arena show cup 3f9a-0 --tables --seat 1 | less
    arena show cup 3f9a-0 --format json
    arena show cup 3f9a-0 --feed mine
    arena show cup 3f9a-0 --feed ./my_bot --seat 1
    arena show cup 3f9a-0 --messages --seat 1 | ./my_bot
    arena show match.json --feed ./my_bot
    """
    found = _of_league(source, match) if source.is_dir() else _of_file(source, match)
    opened = found.opened
    opened.check_seat(seat)
    _check_together(tables, seat, form, messages, feed, log)
    if feed is not None:
        bot, fed = found.again(feed, seat)
        ready = built(bot, sandbox_uid).checked()
        if play_again(fed, ready, log=log, sandbox_uid=sandbox_uid):
            raise click.exceptions.Exit(1)
    elif messages and seat is not None:
        for message in found.feed(seat).lines():
            click.echo(message, nl=False)
    elif form != "text":
        show(as_table(opened, found.game, seat), form)
    else:
        for line in told(opened, found.game, seat=seat, tables=tables, width=screen_width()):
            click.echo(line)
        for number in range(len(opened.names)) if seat is None else [seat]:
            for line in found.hints(number):
                click.echo(safe(line))


class _Found(NamedTuple):
    """A match to be shown, and how its messages are sent once more."""

    opened: WholeMatch
    feed: Callable[[int], Feed]
    """Returns what a seat was sent."""
    again: Callable[[str, int | None], tuple[Bot, Feed]]
    """Returns the bot of a word, and what it is to be sent, in its seat or the one given."""
    game: LoadGame
    """Loads the game of the match."""
    hints: Callable[[int], list[str]] = lambda _seat: []
    """Returns what is to be said of the bot of a seat: why it plays no more, and hints."""


def _of_league(folder: Path, match: str | None) -> _Found:
    league = read_played(folder)
    if match is None:
        raise ArenaError(
            f"say which match of {folder}; `arena matches {quoted(folder)}` lists them."
        )
    with open_store(league) as store:
        opened = open_match(store, match)
        out = dict(not_playing(league, store))
    feed = partial(feed_of, league, opened)

    def again(word: str, seat: int | None) -> tuple[Bot, Feed]:
        bot = league.bot_named(composed(word)) or find_bot(word, league.game.name)
        return bot, feed(seat_of(opened, composed(word), seat))

    hints = partial(_hints, league, opened, out)
    return _Found(opened, feed, again, lambda: with_game(league).loaded, hints)


def _hints(league: LeaguePlan, opened: WholeMatch, out: Mapping[str, str], seat: int) -> list[str]:
    """Return why the bot of a seat plays no more, and what the sandbox hid from it at a fault.

    The latter is said if it is still as it played.
    """
    played, stderr = opened.match.bots[seat], opened.evidence.stderr[seat]
    said = [out[played.name]] if played.name in out else []
    if not opened.match.faults[seat]:
        return said
    return said + [
        f"{bot.name}:{hint}"
        for bot in league.bots
        if (bot.name, bot.version) == (played.name, played.version)
        if not isinstance(bot, LostBot) and (hint := advice(bot, stderr, league.limits_of(bot)))
    ]


def _of_file(file: Path, match: str | None) -> _Found:
    if match is not None and not file.exists():
        read_played(file)  # says it better if this was to be a league
    if match is not None:
        raise ArenaError(f"{file} is a single match; leave out {match!r}.")
    saved = read_match(file)
    opened = saved.opened()

    def again(word: str, seat: int | None) -> tuple[Bot, Feed]:
        bot = find_bot(word, saved.replay.game)
        return bot, saved.feed(seat_of(opened, bot.name, seat))

    return _Found(opened, saved.feed, again, saved.game)


def _check_together(
    tables: bool, seat: int | None, form: str, messages: bool, feed: str | None, log: bool
) -> None:
    """Raise ArenaError for options that do not go together."""
    chosen = {
        "--tables": tables,
        "--format": form != "text",
        "--messages": messages,
        "--feed": feed is not None,
    }
    given = [name for name, is_given in chosen.items() if is_given]
    if len(given) > 1:
        raise ArenaError(f"{' and '.join(given)} do not go together; choose one.")
    if log and feed is None:
        raise ArenaError("--log is for --feed: without a bot there is nothing to log.")
    if messages and seat is None:
        raise ArenaError("--messages needs a --seat: each seat was sent lines of its own.")
