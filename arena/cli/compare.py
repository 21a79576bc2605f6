"""The command that compares two bots: compare."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, count
from pathlib import Path
from typing import Any

import click
import msgspec

from arena.cli import completion, main
from arena.cli.files import spare_folder
from arena.cli.options import (
    PATH,
    game_option,
    grouped,
    limit_option,
    limits_beside,
    opening_options,
    opening_words,
    options_option,
    output_format,
    sandbox_option,
    sandbox_uid_option,
)
from arena.cli.plain import keep_made, made_of_plain
from arena.cli.progress import StatusLine
from arena.cli.rates import rates_of, rates_options
from arena.cli.running import (
    GO_ON,
    cluster_option,
    for_option,
    run_terms,
    stopped_by_signals,
    stopped_by_time,
    workers_option,
)
from arena.cli.saying import say, show, tell_unmet, warn_unprotected
from arena.cli.verify import agree
from arena.compare import Comparison
from arena.league.bot import NAME_LIMIT, check_name
from arena.league.entry import entry_of
from arena.league.file import FILE
from arena.league.finding import bots_for
from arena.league.games import find_game, word_in
from arena.league.hints import advice
from arena.league.plan import LeaguePlan
from arena.league.settings import Settings
from arena.league.writing import make_league, seed_of
from arena.play.events import Problem, Stored, Suspended
from arena.play.messages import News
from arena.play.run import Run, open_run
from arena.play.staffing import RunTerms
from arena.stats.sequential import Bounds, Rates
from arena.store.opening import open_store, read_league, settled
from arena.text import counted, safe, safe_lines
from protocol.errors import ArenaError, RunError
from referee.catalog.finding import Source
from referee.rules.game import Game
from referee.rules.options import check_seats


@dataclass(frozen=True, kw_only=True)
class _Asked:
    """What is to be compared, as it was typed; A and B are `one` and `other`."""

    one: str
    other: str
    game: str
    others: tuple[str, ...]
    deals: int
    seats: int | None
    seed: str | None
    options: Mapping[str, Any]
    limits: Mapping[str, Any]
    keep: Path | None
    opening: Mapping[str, Any]

    @cached_property
    def plain(self) -> Mapping[str, str]:
        """Other words for those that mean programs without a bot.toml."""
        return made_of_plain((self.one, self.other, *self.others), named=True)

    @cached_property
    def kept(self) -> LeaguePlan | None:
        """The league that is gone on with; None for a new one."""
        keep = self.keep
        if keep is None:
            return None
        if (keep / FILE).exists():
            return read_league(keep)
        if keep.is_file() or (keep.is_dir() and any(keep.iterdir())):
            raise ArenaError(f"{keep} is no league and not empty; give --keep a new folder.")
        return None

    @cached_property
    def found(self) -> tuple[type[Game], Source]:
        """The game, and where it was found."""
        return find_game(self.game)

    @cached_property
    def settings(self) -> Settings:
        """Those of the league that is played, but for the word of its game."""
        kind, kept = self.found[0], self.kept
        seats = kind.seat_counts[0] if self.seats is None else self.seats
        check_seats(kind, seats)
        return Settings(
            game=kind.name,
            seats=seats,
            deals=self.deals,
            seed=kept.settings.seed if kept and self.seed is None else seed_of(self.seed),
            anchor=kept.settings.anchor if kept else {},
        )

    def make(self, folder: Path, *, is_there: bool = False) -> LeaguePlan:
        """Make a league of it, with paths relative to its folder, or write the file of one anew."""
        fresh = self.kept.limits.fresh if self.kept else True  # or what is learnt would be counted
        made = make_league(
            folder,
            msgspec.structs.replace(self.settings, game=word_in(self.found[1], folder)),
            self.options,
            {"fresh": fresh, **self.limits},
            self._entries(folder),
            opening=self.opening,
            is_there=is_there,
        )
        if is_there or folder == self.keep:
            keep_made(made, self.plain.values(), is_new=not is_there)
        return made

    def names(self) -> tuple[str, str]:
        """Return the names of A and B."""
        one, other, *_ = self._entries(Path())
        return one["name"], other["name"]

    def _entries(self, folder: Path) -> list[dict[str, Any]]:
        """Return the `[[bot]]` tables of all bots, each with a name of its own."""
        kind = self.found[0]
        assert self.settings.seats is not None
        words = (self.one, self.other, *_filled(kind, self.settings.seats, self.others))
        entries = [entry_of(self.plain.get(word, word), kind, folder) for word in words]
        names = [str(entry["name"]) for entry in entries]
        names[:2] = _two_names(names[:2], words[:2])
        for number, name in enumerate(names[2:], 2):
            names[number] = _free_name(name, names[:number])
        return [{**entry, "name": name} for entry, name in zip(entries, names, strict=True)]


@main.command()
@click.argument("one", metavar="A", shell_complete=completion.bots)
@click.argument("other", metavar="B", shell_complete=completion.bots)
@game_option
@click.option(
    "--with",
    "others",
    multiple=True,
    metavar="BOT",
    help="A bot for another seat; one --with for each.",
)
@rates_options
@click.option(
    "--deals", type=int, default=10_000, show_default=True, help="Stop after this many deals."
)
@click.option("--seats", type=int, help="Bots in a match.  [default: the game's least]")
@click.option("--seed", help="All chance comes from it.  [default: a new one, shown]")
@options_option
@limit_option()
@for_option()
@workers_option
@cluster_option
@click.option("--keep", type=PATH, help="Store the matches in this folder, to go on later.")
@opening_options
@sandbox_option
@sandbox_uid_option
@output_format
@grouped(limits=limits_beside, opening=opening_words, asked=_Asked, rates=rates_of, terms=run_terms)
def compare(asked: _Asked, rates: Rates | Bounds, terms: RunTerms, form: str) -> None:
    """Play until it is clear whether bot A is better than bot B.

    Play ends as soon as the deals show that one bot is better, or that neither is better by
    --margin (0.05: 55 % of the points against 45 %). --alpha and --beta bound how often this
    verdict is wrong. A, B and the bots of --with are written as in `arena init`. Every match gets
    new processes, so that a bot learns nothing from one match for the next; for bots that learn
    nothing anyway, --limit fresh=false is faster.

    \b
    arena compare ./new/bot ./old/bot --game guerra
    arena compare mine=./bot sensible --game cold_war \\
        --with echo --with loyal
    arena compare maestro sensible --game duel --elo0 -10 --elo1 0
    arena compare ./new/bot ./old/bot --game guerra \\
        --cluster tcp://scheduler:8786
    """
    kept = asked.kept
    with spare_folder() as spare:
        league = _made_in(spare, asked)
        _check_different(league, asked.names())
        if kept:
            _check_same_bots(kept, league)
            league = settled(replace(league, folder=kept.folder))
        elif asked.keep:
            league = asked.make(asked.keep)
        league = league.dealt_by_name()
        comparison = Comparison(league, *asked.names(), rates)
        agree(league, terms.workers)
        with open_run(league, terms) as run:
            if kept and (kept.settings, kept.bots) != (league.settings, league.bots):
                asked.make(kept.folder, is_there=True)
            stopped = _play(run, league, comparison, terms.seconds, is_kept=asked.keep is not None)
    show(comparison.table(), form)
    if stopped:
        raise click.exceptions.Exit(1)


def _filled(game: type[Game], seats: int, others: Sequence[str]) -> Sequence[str]:
    """Return the bots of the seats that A and B leave free."""
    free = seats - 2
    if not others:
        return ["sensible" if "sensible" in bots_for(game) else "random"] * free
    if not free:
        raise ArenaError(f"{game.name} with 2 seats has no other bots: leave out --with.")
    if len(others) != free:
        raise ArenaError(
            f"{game.name} with {seats} seats has {counted(free, 'other bot')}, not {len(others)}: "
            f"give --with {counted(free, 'time')}, or leave it out."
        )
    return others


def _made_in(spare: Path, asked: _Asked) -> LeaguePlan:
    """Make a league among the temporary files; raise RunError if there is no room for it."""
    try:
        return asked.make(spare)
    except RunError as error:
        raise RunError(f"{error} Or set TMPDIR to another folder.") from None


def _two_names(names: Sequence[str], words: Sequence[str]) -> Sequence[str]:
    """Return names of A and B that differ: their own, or the words as typed, or numbered ones."""
    if names[0] != names[1]:
        return names
    if words[0] != words[1] and all(_can_be_a_name(word) for word in words):
        return words
    return [f"{names[0][: NAME_LIMIT - 2]}#{number}" for number in (1, 2)]


def _can_be_a_name(word: str) -> bool:
    try:
        check_name(word)
    except ArenaError:
        return False
    return True


def _free_name(name: str, taken: Sequence[str]) -> str:
    """Return a name nobody has: `sensible`, then `sensible 2`."""
    longer = (f"{name[: NAME_LIMIT - 4]} {number}" for number in count(2))
    return next(each for each in chain([name], longer) if each not in taken)


def _check_different(league: LeaguePlan, names: Sequence[str]) -> None:
    """Raise ArenaError if A and B have the same command and the same files."""
    if len({bot.version for bot in league.bots if bot.name in names}) == 1:
        raise ArenaError("both are the same program, file by file; did you save your change?")


def _check_same_bots(kept: LeaguePlan, asked: LeaguePlan) -> None:
    """Raise ArenaError where a league of other bots would be written over."""
    before, now = ([bot.name for bot in league.bots] for league in (kept, asked))
    if before != now:
        raise ArenaError(
            f"{kept.folder} is a league of {', '.join(before)}, not of {', '.join(now)}: choose "
            f"another folder for --keep."
        )


def _play(
    run: Run, league: LeaguePlan, comparison: Comparison, seconds: float | None, *, is_kept: bool
) -> bool:
    """Play until the comparison is over, or for so many seconds; return whether it was stopped."""
    one, other = comparison.bots
    with open_store(league) as store:
        comparison.take_stored(store)
    if comparison.ending is not None:
        return False
    say(
        f"{one} against {other} at {league.game.name}, seed {league.settings.seed}: at most "
        f"{counted(league.deals, 'deal')} of "
        f"{counted(league.rotation_count, 'match', 'matches')}."
    )
    warn_unprotected(league.limits.sandbox, league.bots)
    tell_unmet(league.bots, league.limits)
    rest = GO_ON if is_kept else "nothing is kept."
    with (
        stopped_by_signals(run, rest) as heard,
        stopped_by_time(run, seconds),
        StatusLine() as line,
    ):
        problems = _follow(run, league, comparison, line)
    if problems:
        raise RunError(f"no verdict, because of {counted(problems, 'problem')}, shown above.")
    comparison.finish(stopped=bool(heard))
    return comparison.ending == "stopped"


def _follow(run: Run, league: LeaguePlan, comparison: Comparison, line: StatusLine) -> int:
    """Take in what is played, until the run is over; return how many problems there were."""
    problems = 0
    suspended: dict[str, str] = {}
    bots = {bot.name: bot for bot in league.bots}
    for event in run.play():
        match event:
            case Stored():
                comparison.take(event.matches)
            case Suspended(name, reason):
                suspended[name] = reason
                entered = bots[name]
                if entered.listed_in == FILE:  # which nobody wrote
                    entered = replace(entered, listed_in="")
                if hint := advice(entered, reason, league.limits_of(entered)):
                    line.say(safe(f"{name}:{hint}"))
            case News():
                line.say(safe(event.text))
            case Problem():
                problems += 1
                line.say(safe_lines(event.text))
        if comparison.ending is not None or problems:
            run.stop()
        line.show(lambda: safe(comparison.status()))
    for name, reason in sorted(suspended.items()):
        if not comparison.has_begun:
            raise ArenaError(f"bot {name!r} {reason}; there is nothing to compare.")
        comparison.suspend(name, safe(reason))
    return problems
