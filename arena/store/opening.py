"""Leagues together with their results: each bot is the version under which these are stored."""

from dataclasses import replace
from pathlib import Path

from arena.league.entry import Purpose
from arena.league.file import read_asked
from arena.league.plan import LeaguePlan
from arena.store.continuity import continued, unread
from arena.store.store import Store


def open_store(league: LeaguePlan, *, create: bool = False) -> Store:
    """Open the results of a league, which call every bot by its present name."""
    return Store(league.database, create=create, names=league.names)


def read_league(folder: Path, purpose: Purpose = "play") -> LeaguePlan:
    """Read a league that is to be played.

    Raises ArenaError with the line and the remedy if anything is wrong with the file, or with one
    of the bots, or if they are too few.
    """
    return settled(read_asked(folder, purpose), trusting=purpose == "read")


def read_played(folder: Path) -> LeaguePlan:
    """Read a league for what was played in it; bots need not be there any more.

    One that cannot be found is the version of it that played last. Files that look as they did
    are not read again. Raises ArenaError if anything is wrong with the league's file itself.
    """
    return read_league(folder, "read")


def settled(league: LeaguePlan, *, trusting: bool = False) -> LeaguePlan:
    """Return a league with the versions under which its results are stored.

    See `continued`. A game that was not loaded is what is stored of it.
    """
    if not league.database.is_file() or not league.database.stat().st_size:
        return replace(league, bots=unread(league.bots))
    with open_store(league) as store:
        bots = continued(league.bots, store, trusting=trusting)
        facts = store.settings.facts() if league.rules is None else None
        if facts is not None:
            league = replace(league, game=facts, options={**facts.options, **league.options})
        return replace(league, bots=bots)
