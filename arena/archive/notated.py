"""A league in a format that programs elsewhere read, such as PGN, where its game has one."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

import msgspec

from arena.league.file import with_game
from arena.league.plan import LeaguePlan
from arena.store.opening import read_played
from arena.store.rows import BotVersion, StoredMatch, WholeMatch
from arena.store.store import Store
from arena.tables.sources import title_of
from arena.text import quoted
from protocol.errors import ArenaError
from referee.catalog.loading import GAME_ERRORS, told
from referee.match.replay import Entry, steps, withdrawn
from referee.rules.game import Game
from referee.rules.notation import FORMATS, Decided, Heading, Notation
from referee.rules.options import suggestion

USUAL = "jsonl"
"""The format that every league has: the lines that can be imported."""


def notated(folder: Path, form: str) -> Iterator[bytes]:
    """Yield every match of a league in a format of its game, by deal, line-up and rotation.

    They are those of one moment, and a run may go on meanwhile. Raises ArenaError if the game has
    no such format, nothing was played, or a record is damaged or was played by other rules.
    """
    league = with_game(read_played(folder))
    rules = league.rules
    assert rules is not None
    notation = _notation(rules, form)
    if not league.database.exists():
        raise ArenaError(f"{folder} has no results yet; `arena run {quoted(folder)}` plays them.")
    present = {BotVersion(bot.key, bot.version) for bot in league.bots}
    with Store(league.database) as store:
        rounds = _rounds(store)
        _, matches = store.everything()
        for found in matches:
            with store.db.explained():
                entries = found.replay.entries
                heading = _heading(
                    league, present, found, _place(found.match, rounds, league.rotation_count)
                )
                by_cpu = heading.control.judge == "cpu"
                taken = [_decided(found, at, by_cpu=by_cpu) for at in range(len(entries))]
            try:
                text = notation(heading, _steps(found, rules, taken))
            except GAME_ERRORS as error:  # whatever a game's code makes of a record
                why = str(error) if isinstance(error, ArenaError) else f"{told(error)}"
                raise ArenaError(f"match {found.match.id} cannot be written: {why}") from error
            yield text.encode()


def _notation(rules: type[Game], form: str) -> Notation:
    """Return what writes a match of a game in a format; raise ArenaError if nothing does."""
    found = rules.formats.get(form)
    if found is None:
        if form in FORMATS:
            raise ArenaError(f"{rules.name} cannot be written as {form}: {FORMATS[form]}.")
        known = [USUAL, *FORMATS, *rules.formats]
        raise ArenaError(f"there is no format {form!r}. {suggestion(form, {*known})}")
    if isinstance(found, str):
        raise ArenaError(f"{rules.name} cannot be written as {form}: {found}.")
    return found


def _heading(
    league: LeaguePlan, present: set[BotVersion], found: WholeMatch, place: str
) -> Heading:
    match, past = found.match, found.circumstances
    control = league.limits.time_control
    if past.sandbox.startswith("bwrap"):
        control = msgspec.structs.replace(control, judge="wall")
    return Heading(
        match=match.id,
        event=league.folder.resolve().name,
        site=past.machine,
        date=past.played_at[:10],
        round=place,
        bots=[_title(league, bot, is_present=bot in present) for bot in match.bots],
        places=match.places,
        seconds=past.seconds,
        control=control,
    )


def _title(league: LeaguePlan, bot: BotVersion, *, is_present: bool) -> str:
    """Return what a bot, by its key, is called now; one that plays no more, with its version."""
    named = replace(bot, name=league.names.get(bot.name, bot.name))
    return named.name if is_present else title_of(named)


def _decided(found: WholeMatch, at: int, *, by_cpu: bool) -> Decided:
    """Return an entry of the replay with the time that counted."""
    entry, evidence = found.replay.entries[at], found.evidence
    seconds = None
    if evidence.wall[at]:
        waited = evidence.waited.get(at, 0)
        seconds = (evidence.cpu[at] if by_cpu else evidence.wall[at] - waited) / 1e6
    fault = entry.fault
    if fault is None:
        return Decided(entry.seat, seconds)
    return Decided(entry.seat, seconds, fault.kind, fault.forfeit)


def _steps(
    found: WholeMatch, rules: type[Game], taken: list[Decided]
) -> Iterator[tuple[Any, list[Decided]]]:
    """Yield the steps of a match as notations take them."""
    done = withdrawn(found.replay)
    step: list[Entry]
    for number, (game, step) in enumerate(steps(found.replay, rules)):
        if done and not number:
            yield game, taken[:done]
        yield game, taken[done : done + len(step)]
        done += len(step)


_Dealt: TypeAlias = tuple[frozenset[BotVersion], int]
"""A line-up, and the number of a deal of it."""


def _rounds(store: Store) -> dict[_Dealt, tuple[int, int]]:
    """Return the round of each deal, and how many of the same bots come before it there.

    There are none but in a format that goes by results.
    """
    found: dict[_Dealt, tuple[int, int]] = {}
    for number, each in enumerate(store.rounds.all(), 1):
        seen: Counter[frozenset[BotVersion]] = Counter()
        field = [BotVersion(*bot) for bot in each.drawn.field]
        for lineup, deal in each.drawn.deals:
            bots = frozenset(field[bot] for bot in lineup)
            found[bots, deal] = number, seen[bots]
            seen[bots] += 1
    return found


def _place(match: StoredMatch, rounds: Mapping[_Dealt, tuple[int, int]], rotations: int) -> str:
    """Return which place a match has in its league, in two numbers, such as 3.2.

    They are its round, and its number among the matches of the same bots there; where there are no
    rounds, the deal of the line-up and its rotation.
    """
    dealt = frozenset(match.bots), match.number
    number, before = rounds.get(dealt, (match.number + 1, 0))
    return f"{number}.{before * rotations + match.rotation + 1}"
