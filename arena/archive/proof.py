"""Whether what is stored of a match is what its replay, played again, says; pure."""

import json
from collections.abc import Collection, Mapping
from functools import lru_cache
from itertools import takewhile
from typing import Any

import msgspec

from arena.schedule.deal import Deal, Entrant, Schedule, first_bots
from arena.store.result import Record, result_of
from arena.store.rows import BotVersion, FixedSettings, deal_name, open_record, read_lineup
from arena.store.schema import lineup_text, match_row
from arena.store.sqlite_file import Damage
from protocol.errors import ArenaError
from referee.catalog.loading import GAME_ERRORS
from referee.limits import MatchLimits
from referee.match.evidence import Evidence, Played
from referee.match.judging import Forfeits
from referee.match.opening import OpeningTerms, opening_of
from referee.match.replay import Entry, Replay, steps
from referee.match.scoring import Counted, ending
from referee.rules.game import Game
from referee.rules.options import read_options

_PARTS = {"number": "deal", "lineup": "lineup", "bots": "result", "replay": "record"}
"""A column that cannot be empty of each table that a match's row points to."""


def prove(
    row: Mapping[str, Any],
    numbers: Mapping[BotVersion, int],
    bundled: Collection[BotVersion],
    conditions: FixedSettings,
    key: str,
    kind: type[Game] | None,
    openings: OpeningTerms | None = None,
) -> str:
    """Raise ArenaError unless a match is what it should be, down to each digit of its results.

    The error says the first thing that is not so. Returns nothing; or, if nothing is wrong but that
    the match cannot be played again here, by which rules it was played. Of faults, what was wrong
    with an answer is taken on trust, as are times and what a bot wrote.

    `row` is as `RawStore.matches` returns it, `numbers` are those of the bots in the database,
    `bundled` are the bots that are dealt to by their keys, `key` is that of the conditions, `kind`
    is the game, None where it is not known here, and `openings` is what its openings are made from;
    None if it has none, or their book is not here.
    """
    for column, table in _PARTS.items():
        if row[column] is None:
            raise ArenaError(f"its row of the table {table} is missing.")
    replay, evidence = _opened(row)
    _check_conditions(replay, conditions)
    _check_schedule(row, replay, numbers, bundled, conditions, key)
    _check_columns(row, replay, evidence)
    _check("whether it has an opening", replay.opening is not None, conditions.opening is not None)
    if kind is None or kind.name != replay.game or kind.rules_version != replay.rules:
        return f"version {replay.rules} of the rules of {replay.game}"
    _check_rules(replay, conditions.limits, kind)
    if openings is not None:
        _check_opening(replay, kind, openings, key, row["number"])
    return ""


def _check_opening(
    replay: Replay, kind: type[Game], terms: OpeningTerms, key: str, number: int
) -> None:
    """Raise ArenaError unless a replay begins as the deal of that number does."""
    options = read_options(kind, replay.options)
    try:
        true = opening_of(
            kind, replay.seats, options, terms, key=key, number=number, seed=replay.seed
        ).opening
    except GAME_ERRORS as error:
        raise ArenaError(f"its opening cannot be found again: {error}") from None
    stored, wanted = (msgspec.json.encode(each).decode() for each in (replay.opening, true))
    _check("its opening", stored, wanted)


def _opened(row: Mapping[str, Any]) -> tuple[Replay, Evidence]:
    try:
        return open_record(Record(row["replay"], row["evidence"], 0.0))
    except Damage as damage:
        raise ArenaError(f"{damage}.") from None


def _check(what: str, stored: object, true: object) -> None:
    if stored != true:
        found, wanted = ("nothing" if each is None else each for each in (stored, true))
        raise ArenaError(f"{what}: {found} is stored, and it should be {wanted}.")


def _check_conditions(replay: Replay, conditions: FixedSettings) -> None:
    for name in ("game", "seats", "options"):
        found, asked = getattr(replay, name), getattr(conditions, name)
        if found != asked:
            raise ArenaError(f"the {name} of its replay: {found}, and the league's: {asked}.")


def _check_schedule(
    row: Mapping[str, Any],
    replay: Replay,
    numbers: Mapping[BotVersion, int],
    bundled: Collection[BotVersion],
    conditions: FixedSettings,
    key: str,
) -> None:
    """Raise ArenaError unless the schedule seats these bots so, at this deal."""
    schedule = _schedule(row["lineup"], bundled, conditions, key)
    deal = Deal(first_bots(conditions.seats), row["number"], row["rotations"] is not None)
    order = schedule.order(deal)
    _check("the order of its deal", row["rotations"], None if order is None else json.dumps(order))
    _check("its deal", deal_name(row["name"]), schedule.deal_id(deal))
    _check("its seed", replay.seed, schedule.seed(deal, row["rotation"]))
    count = schedule.rotation_count
    if not 0 <= row["rotation"] < count:
        raise ArenaError(f"it is rotation {row['rotation']} of a deal that has {count} rotations.")
    seating = [schedule.entrants[index] for index in schedule.seating(deal, row["rotation"])]
    seated = [numbers.get(BotVersion(bot.key, bot.version)) for bot in seating]
    _check("its bots by number", row["bots"], json.dumps(seated))


@lru_cache(maxsize=1000)
def _lineup(lineup: str) -> tuple[tuple[str, str], ...]:
    """Return the bots of a line-up as it is stored, which may have left the league."""
    try:
        bots = read_lineup(lineup)
    except Damage:
        raise ArenaError("its line-up cannot be read.") from None
    _check("its line-up", lineup, lineup_text(bots))
    return tuple(bots)


def _schedule(
    lineup: str, bundled: Collection[BotVersion], conditions: FixedSettings, key: str
) -> Schedule:
    entrants = tuple(Entrant(*bot, BotVersion(*bot) in bundled) for bot in _lineup(lineup))
    if len(entrants) != conditions.seats:
        raise ArenaError(f"its line-up has {len(entrants)} bots for {conditions.seats} seats.")
    return Schedule(conditions.game, key, conditions.seats, conditions.rotations, entrants)


def _check_columns(row: Mapping[str, Any], replay: Replay, evidence: Evidence) -> None:
    """Raise ArenaError unless the row holds, to the letter, what follows from the record."""
    result = result_of(
        Played(replay, evidence),
        deal="",
        number=row["number"],
        order=None,
        rotation=row["rotation"],
        bots=first_bots(replay.seats),
    )
    _check("its places", row["places"], json.dumps(result.places))
    true = match_row(result, row["deal"], row["result"], row["record"])
    for name, value in msgspec.structs.asdict(true).items():
        _check(f"its {name}", row[name], value)


def _check_rules(replay: Replay, limits: MatchLimits, kind: type[Game]) -> None:
    """Play the replay again; raise ArenaError where the rules say otherwise."""
    forfeits = Forfeits(
        replay.seats, limits.faults_allowed, illegal_is_sanctioned=kind.illegal_is_sanctioned
    )
    try:
        places, reason, found = _ending(replay, kind, forfeits)
    except ArenaError:
        raise
    except GAME_ERRORS as error:  # whatever the rules make of a damaged record
        raise ArenaError(f"the rules cannot play its replay: {error!r}.") from None
    _check("its replay's places", replay.places, places)
    _check("its replay's reason", replay.reason, reason)
    for name, true in found._asdict().items():
        _check(f"its replay's {name}", getattr(replay, name), true)


def _ending(replay: Replay, kind: type[Game], forfeits: Forfeits) -> tuple[list[int], str, Counted]:
    """Play a replay to its end; return the places, the reason and what was counted."""
    for entry in takewhile(lambda entry: entry.move is None, replay.entries):
        _take(forfeits, entry, 0)
    for number, (game, step) in enumerate(steps(replay, kind), 1):  # noqa: B007 - used at the end
        if step and forfeits.end_the_match:
            raise ArenaError("its replay goes on when all but one have forfeited.")
        for entry in step:
            _take(forfeits, entry, number)
    if game.deciders() and not forfeits.end_the_match:
        raise ArenaError("its replay ends before the game does.")
    return ending(game, forfeits.steps)


def _take(forfeits: Forfeits, entry: Entry, step: int) -> None:
    """Take in an entry; raise ArenaError if its fault is not judged by the rule."""
    seat, fault = entry.seat, entry.fault
    if fault is None:
        if entry.move is None:
            raise ArenaError(f"seat {seat} was withdrawn without a fault.")
        return
    if seat in forfeits.steps:
        raise ArenaError(f"seat {seat} has a fault after its forfeit.")
    forfeit = forfeits.judge(seat, fault.kind, step)
    _check(f"the forfeit of seat {seat} by {fault.kind}", fault.forfeit, forfeit)
