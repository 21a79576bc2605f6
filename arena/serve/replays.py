"""Matches as the pages show them: lists, newest first, and one as the viewer takes it."""

from collections.abc import Callable, Collection, Mapping
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import msgspec

from arena.archive.show import fault_row
from arena.league.file import with_game
from arena.league.plan import LeaguePlan
from arena.report.choice import viewed
from arena.report.frames import frames_of, packed
from arena.serve.views import league_name, reading
from arena.store.rows import BotVersion, StoredMatch, WholeMatch
from arena.store.suspensions import suspended
from protocol.errors import ArenaError, Refusal, RunError

MOST = 100
"""The matches of one page of a list."""
_LOOKED_AT = 10  # of an author's matches with faults, the newest
_OPENED = 10  # of all of them
_STDERR = 4000  # characters of a standard error, from its end
_UNSEEN = "its author can read why"

Own: TypeAlias = Collection[tuple[str, str]] | None
"""Bots, each with a version, whose secrets may be seen; None for all."""


class SeatRow(msgspec.Struct, frozen=True, kw_only=True):
    """Who sat in a seat of a match, and what came of it."""

    bot: str
    version: str
    present: bool
    """Whether this version of the bot is in the league now."""
    place: int
    score: float | None
    faults: dict[str, int]
    """How many of each kind."""
    forfeited: bool


class ListedMatch(msgspec.Struct, frozen=True, kw_only=True):
    """A match in a list."""

    id: str
    at: str
    """When it was stored, in ISO 8601."""
    deal: int
    seats: list[SeatRow]
    reason: str
    """How it ended."""
    decisions: int


class MatchesView(msgspec.Struct, frozen=True, kw_only=True):
    """Matches of a league, the newest first."""

    league: str
    rows: list[ListedMatch]
    bot: str = ""
    """The bot whose matches these are; empty for those of all."""
    against: str = ""
    """The bot that sat in them too; empty for any."""
    faulty: bool = False
    """Whether these are only matches with faults."""
    older: int = 0
    """What `before` is to be for the next ones; 0 if these are the oldest."""


class ReplayView(msgspec.Struct, frozen=True, kw_only=True):
    """A match that can be stepped through."""

    league: str
    row: ListedMatch
    payload: str
    """JSON, as the viewer of the report takes it."""


class Said(msgspec.Struct, frozen=True, kw_only=True):
    """What a bot did wrong in a match, or said: for its author's eyes."""

    match: str
    at: str
    faults: list[dict[str, Any]]
    """Each with its number among the decisions, kind, reason, line and forfeit."""
    notes: list[str]
    """What it wrote beside its moves, the last ones."""
    last_lines: list[str]
    """What it and the referee exchanged before its first fault."""
    stderr: str
    """The end of its standard error."""


class OwnView(msgspec.Struct, frozen=True, kw_only=True):
    """What the author of a bot sees on its page, and others do not."""

    bot: str
    suspended: str
    """Why it was suspended, and what to do; empty if it was not."""
    said: list[Said]
    """Of the newest matches with faults, and of some others; the newest first."""


def matches_view(
    folder: Path,
    *,
    bot: str = "",
    against: str = "",
    own: Own = None,
    faulty: bool = False,
    before: int = 0,
    limit: int = MOST,
    since: str = "",
) -> MatchesView:
    """Return stored matches, newest first: all, or those of a bot, of two, or with faults.

    With `own`, only those in which one of these sat; with `since`, only those of before. Raises
    ArenaError if they cannot be read.
    """
    with reading(folder, since) as (league, store):
        none = MatchesView(
            league=league_name(league), rows=[], bot=bot, against=against, faulty=faulty
        )
        if store is None:
            return none
        sat = [] if own is None else [_is_one_of(own)]
        sat += [partial(_is_called, name) for name in (bot, against) if name]
        found = list(store.newest(sat=sat, faulty=faulty, before=before, limit=limit + 1))
        rows = [_row(league, at, match) for _, at, match in found[:limit]]
        older = found[limit - 1][0] if len(found) > limit else 0
        return msgspec.structs.replace(none, rows=rows, older=older)


def replay_view(
    folder: Path, match: str, *, own: Own = None, only_own: bool = False, since: str = ""
) -> ReplayView:
    """Return a match, by its id or the beginning of that, as the viewer takes it.

    With `own`, notes, lines and standard errors of other bots than these are left out, and with
    `only_own`, the beginning means a match of these; with `since`, later matches are not there.
    Raises Refusal if there is no such match, ArenaError if its game cannot be loaded.
    """
    with reading(folder, since) as (league, store):
        if store is None:
            raise Refusal(404, f"there is no match {match!r}: nothing was played yet.")
        rules = with_game(league).rules
        assert rules is not None
        try:
            is_own = _is_one_of(own if only_own else None)
            found = store.find(match, lambda each: bool(_seats(each, is_own)))
        except RunError:
            raise
        except ArenaError as error:
            raise Refusal(404, str(error)) from None
        opened = store.whole(found)
        frames = frames_of(opened, rules)
        if own is not None:
            _hush(frames, set(range(len(found.bots))) - _seats(found, _is_one_of(own)))
        payload = {"game": league.game.name, "matches": [viewed(opened, packed(frames))]}
        return ReplayView(
            league=league_name(league),
            row=_row(league, opened.circumstances.played_at, found),
            payload=msgspec.json.encode(payload).decode(),
        )


def own_view(folder: Path, bot: str, *, own: Own = None, since: str = "") -> OwnView:
    """Return what the author of a bot may see of it, in the versions that are `own`.

    Raises ArenaError if it cannot be read.
    """
    is_own = _is_one_of(own)

    def is_it(each: BotVersion) -> bool:
        return each.name == bot and is_own(each)

    with reading(folder, since) as (league, store):
        if store is None:
            return OwnView(bot=bot, suspended="", said=[])
        faulty = [
            each
            for each in store.newest(sat=[is_it], faulty=True, limit=5 * _LOOKED_AT)
            if any(each[2].faults[seat] for seat in _seats(each[2], is_it))
        ]
        some = {at: match for at, _, match in faulty[:_LOOKED_AT]}
        some |= {at: match for at, _, match in store.newest(sat=[is_it], limit=_OPENED)}
        newest = [some[at] for at in sorted(some, reverse=True)]
        said = [_said(store.whole(match), _seats(match, is_it)) for match in newest]
        why = {each: why for each, why in store.bots.suspensions().items() if is_it(each)}
        now = next((each for each in league.bots if each.name == bot), None)
        ended = why.get(BotVersion(now.name, now.version), "") if now else ""
        return OwnView(
            bot=bot,
            suspended=suspended(now, ended, league.limits_of(now)) if now and ended else "",
            said=said,
        )


def _row(league: LeaguePlan, at: str, match: StoredMatch) -> ListedMatch:
    present = {(bot.name, bot.version) for bot in league.bots}
    scores = match.scores or [None] * len(match.bots)
    seats = [
        SeatRow(
            bot=bot.name,
            version=bot.version,
            present=(bot.name, bot.version) in present,
            place=place,
            score=score,
            faults=dict(faults),
            forfeited=seat in match.forfeits,
        )
        for seat, (bot, place, faults, score) in enumerate(
            zip(match.bots, match.places, match.faults, scores, strict=True)
        )
    ]
    return ListedMatch(
        id=match.id,
        at=at,
        deal=match.number,
        seats=seats,
        reason=match.reason,
        decisions=match.decisions,
    )


def _hush(frames: Mapping[str, Any], seats: Collection[int]) -> None:
    """Take out of a match what the bots in some seats said, which is for their authors."""
    for row in frames["seats"]:
        if row["seat"] in seats:
            row |= {"last_lines": [], "stderr": ""}
    for frame in frames["frames"]:
        for entry in frame["entries"]:
            if entry["seat"] in seats:
                entry["note"] = None
                if entry["fault"]:
                    entry["fault"] |= {"line": None, "reason": _UNSEEN}


def _is_called(name: str, each: BotVersion) -> bool:
    return each.name == name


def _seats(match: StoredMatch, holds: Callable[[BotVersion], bool]) -> set[int]:
    return {seat for seat, bot in enumerate(match.bots) if holds(bot)}


def _is_one_of(own: Own) -> Callable[[BotVersion], bool]:
    return lambda bot: own is None or (bot.name, bot.version) in own


def _said(opened: WholeMatch, seats: Collection[int]) -> Said:
    """Return what a bot did wrong and said in a match, in the seats in which it sat."""
    entries = [
        (number, entry)
        for number, entry in enumerate(opened.replay.entries, 1)
        if entry.seat in seats
    ]
    evidence = opened.evidence
    return Said(
        match=opened.match.id,
        at=opened.circumstances.played_at,
        faults=[
            {"number": number, **fault_row(entry.fault)}
            for number, entry in entries
            if entry.fault is not None
        ],
        notes=[entry.note for _, entry in entries if entry.note][-5:],
        last_lines=[line for seat in sorted(seats) for line in evidence.conversations[seat]],
        stderr="".join(evidence.stderr[seat] for seat in sorted(seats))[-_STDERR:],
    )
