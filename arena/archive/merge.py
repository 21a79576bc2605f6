"""Brings the matches of exported leagues into a league, all or none."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from arena.archive.export import MatchLine
from arena.archive.reader import Archive, open_archive
from arena.folders import keep, locked, unfinished
from arena.league.file import FILE, with_game
from arena.league.finding import bundled_bot
from arena.league.plan import LeaguePlan
from arena.league.settings import Settings
from arena.league.writing import make_league
from arena.schedule.deal import BotIndex, Entrant, rotation_count
from arena.store.opening import read_played
from arena.store.result import PlayedMatch
from arena.store.rounds import StoredRound
from arena.store.rows import BotVersion, EnteredBot, FixedSettings, WholeMatch
from arena.store.store import Store
from arena.store.tournament import missed, wrong_rounds
from arena.store.unchanged import check_unchanged, difference
from protocol.errors import ArenaError, RunError
from referee.games import GAMES
from referee.match.replay import Replay
from referee.match.scoring import Counted

Watch = Callable[[int], None]
"""Called after each match that was read, with how many they are."""


@dataclass
class Merged:
    """What an import did."""

    added: int = 0
    known: int = 0
    """Matches that were there already."""
    deals: int = 0
    """The least number of deals that covers all that was read."""
    strangers: tuple[BotVersion, ...] = ()
    """The bots of the files that the league's file does not name in this version."""
    made: bool = False
    """Whether the league was made."""
    other_code: bool = False
    """Whether not all matches were played by one code of the game."""


def import_files(folder: Path, files: Sequence[Path], watch: Watch) -> Merged:
    """Bring exported leagues into the league of a folder, which is made if it is not there.

    Raises ArenaError if one of them is damaged or of another league; then all is as it was.
    """
    with ExitStack() as stack:
        archives = [stack.enter_context(open_archive(path)) for path in files]
        if not folder.exists():
            return _make(folder, archives, watch)
        league = read_played(folder)
        if not league.game.seat_counts:  # nothing is stored yet that says what its game is
            league = with_game(league)
        with locked(folder):
            return _merge(league, folder, archives, watch)


def _merge(league: LeaguePlan, named: Path, archives: Sequence[Archive], watch: Watch) -> Merged:
    """Bring matches into a league that errors are to call `named`."""
    present = {BotVersion(bot.key, bot.version) for bot in league.bots}
    is_new = not league.database.exists()
    merged = Merged()
    try:
        with Store(league.database, create=True) as store:
            has_matches = store.db.has_matches()
            if has_matches:
                check_unchanged(league, store)
            bots = _bots(league, named, archives, store)
            index = {bot: BotIndex(number) for number, bot in enumerate(bots)}
            new = _new_matches(archives, store, index, merged, watch)
            settings = store.settings.all() if has_matches else archives[0].header.fixed
            rounds = _rounds(named, archives, store.rounds.all() if has_matches else [])
            already = _wrong_rounds(archives[0], store) if has_matches else ""
            several = has_matches or len(archives) > 1
            merged.added = store.merge(
                settings,
                bots,
                rounds,
                new,
                lambda: _check_rounds(archives, store, already, are_merged=several),
            )
            facts = store.settings.facts()
            if facts is not None and facts.source.kind != "bundled":
                codes = {archive.header.settings.code for archive in archives}
                if codes != {settings.get("code", "")}:
                    store.settings.keep_game(facts, "")  # so that the next run plays all anew first
                    merged.other_code = True
    except BaseException:  # Ctrl-C too: raised again once nothing is left of it
        if is_new:
            league.database.unlink(missing_ok=True)
        raise
    known = {bot.key for bot in league.lost} | {bot.key for bot in league.disqualified}
    merged.strangers = tuple(  # any version may be one of a lost or disqualified bot
        bot for bot in bots if bot not in present and bot.name not in known
    )
    return merged


def _bots(
    league: LeaguePlan, named: Path, archives: Sequence[Archive], store: Store
) -> dict[BotVersion, EnteredBot]:
    """Return the bots of all headers; raise ArenaError for a header of another league."""
    fixed = league.fixed()
    if league.unread_book:
        raise ArenaError(league.unread_book)
    shipped = (bot for bot in league.bots if bot.is_bundled)
    known = {BotVersion(bot.key, bot.version): EnteredBot(bot.command, True) for bot in shipped}
    known |= store.bots.stored()
    found: dict[BotVersion, EnteredBot] = {}
    for archive in archives:
        change = difference(fixed, archive.header.fixed, league.game.options)
        if change:
            raise _of_another_league(archive, str(named), change)
        for bot, entered in archive.header.versions.items():
            if known.setdefault(bot, entered) != entered:
                raise archive.error(
                    f"bot {bot.name!r} is another one in {named}, but of the same version; "
                    f"the line was edited or damaged."
                )
            found[bot] = entered
    _check_one_league(archives)  # what is known of a game from elsewhere, only these say
    return found


def _rounds(
    named: Path, archives: Sequence[Archive], stored: Sequence[StoredRound]
) -> list[StoredRound]:
    """Return the rounds of a league and of archives together; raise ArenaError if they differ.

    Whoever has more rounds was the last to say who is out of those that both have.
    """
    found = list(stored)
    for archive in archives:
        others = archive.header.drawn
        for number, (one, other) in enumerate(zip(found, others, strict=False)):
            lasts = number + 1 == len(found), number + 1 == len(others)
            if one.drawn != other.drawn or (not any(lasts) and one.out != other.out):
                raise archive.error(
                    f"round {number + 1} is another one than in {named}: other bots could play "
                    f"when it was drawn, or their files asked for other things. Only leagues whose "
                    f"rounds begin alike can be merged."
                )
            if all(lasts):
                found[number] = StoredRound(drawn=one.drawn, out=sorted({*one.out, *other.out}))
            elif lasts[0]:
                found[number] = other
        found += others[len(found) :]
    return found


def _check_rounds(
    archives: Sequence[Archive], store: Store, already: str, *, are_merged: bool
) -> None:
    """Raise ArenaError unless all that is stored now is what its rounds drew, one from another.

    `already` is what was wrong before: matches that were lost may come back in several files. If
    several leagues are merged, who is out of the last round of one may have played in another.
    """
    rounds = store.rounds.all() if are_merged else []
    if rounds:
        settings, last = archives[0].header.settings, rounds[-1]
        rotations = rotation_count(settings.rotations, settings.seats)
        still = missed(store, last.drawn, rotations)
        out = [at for at in last.out if Entrant(*last.drawn.field[at]) in still]
        store.rounds.write(len(rounds) - 1, [StoredRound(drawn=last.drawn, out=out)])
    longest = _longest(archives)
    wrong = _wrong_rounds(longest, store)
    if wrong and wrong != already:
        raise longest.error(f"rounds: {wrong} The file was edited or damaged.", line=1)


def _wrong_rounds(archive: Archive, store: Store) -> str:
    """Return what of the stored rounds is not what the results say, in a sentence, or nothing."""
    try:
        return next(wrong_rounds(store, archive.header.settings), "")
    except ArenaError as error:  # of the format: such rounds are never drawn
        return str(error)


def _of_another_league(archive: Archive, named: str, change: str) -> ArenaError:
    return archive.error(
        f"matches of another league: in {named} {change}. Only leagues that differ in nothing but "
        f"bots and how much is played can be merged."
    )


def _check_one_league(archives: Sequence[Archive]) -> None:
    """Raise ArenaError if the headers are not all of leagues that can be merged."""
    first, *others = archives
    for archive in others:
        change = difference(first.header.fixed, archive.header.fixed, first.header.usual_options)
        if change:
            raise _of_another_league(archive, first.name, change)


def _new_matches(
    archives: Iterable[Archive],
    store: Store,
    index: Mapping[BotVersion, BotIndex],
    merged: Merged,
    watch: Watch,
) -> Iterator[tuple[PlayedMatch, str]]:
    """Yield the matches that are not in the store, and when they were played; count them all.

    Their bots are by `index`.
    """
    read = 0
    for archive in archives:
        for line, played in archive.matches(index):
            read += 1
            watch(read)
            merged.deals = max(merged.deals, line.deal + 1)
            if store.is_mirrored(line.deal, line.bots) == (line.order is None):
                raise archive.error(
                    f"the deal of match {line.match} is mirrored in one of the two leagues and not "
                    f"in the other, so that its cards differ. Nothing was imported: `mirror` was "
                    f"not the same in both when it began, and only one of them can be kept."
                )
            known = store.lookup(line.match, line.deal, line.bots)
            if known is None:
                where = line.circumstances
                new = PlayedMatch(played.result, played.record, where.machine, where.sandbox)
                yield new, where.played_at
                continue
            merged.known += 1
            other = _other(line, played, known)
            if other:
                raise archive.error(
                    f"match {line.match} is in the league already, and {other!r} differs. One of "
                    f"the two was edited, or a bot does not play the same way twice. Nothing was "
                    f"imported. To keep the match in the league, take this line out of the file, "
                    f'and lower "matches" in its first line by one.'
                )


def _other(line: MatchLine, played: PlayedMatch, known: WholeMatch) -> str:
    """Return what of a match is not as it is stored, or nothing; what was measured may differ."""
    result = played.result
    for name in ("places", "reason", "decisions", "faults", "forfeits", "moves", *Counted._fields):
        if getattr(result, name) != getattr(known.match, name):
            return name
    same = known.record.replay == played.record.replay
    return "" if same or _bare(line.replay) == _bare(known.replay) else "replay"


def _bare(replay: Replay) -> Replay:
    """Return a replay without what may differ: words, which may hold times."""
    entries = [
        msgspec.structs.replace(
            entry,
            note=None,
            fault=entry.fault and msgspec.structs.replace(entry.fault, reason="", line=""),
        )
        for entry in replay.entries
    ]
    return msgspec.structs.replace(replay, entries=entries)


def _make(folder: Path, archives: Sequence[Archive], watch: Watch) -> Merged:
    """Make a league of exported ones: elsewhere first, so that it is there whole or not at all."""
    _check_one_league(archives)
    if why := _unmakeable(archives[0].header.settings):
        raise ArenaError(
            f"there is no league {str(folder)!r}, and it cannot be made, as {why} in that folder, "
            f"then import again."
        )
    longest = _longest(archives)
    bots = _entries(folder, archives, longest.header.drawn[-1:])
    made = folder
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with unfinished(folder) as hidden:
            made = hidden / folder.name
            league = _write(made, longest, 1, bots)
            merged = _merge(league, folder, archives, watch)
            whole = _write(made, longest, max(1, merged.deals), bots, is_there=True)
            merged.deals = whole.deals
            for path in (made / FILE, made):
                keep(path)
            made.rename(folder)
            keep(folder.parent)
    except OSError as error:
        raise RunError(f"{folder} cannot be made: {error.strerror}.") from None
    except RunError as error:
        raise RunError(str(error).replace(str(made), str(folder))) from None
    merged.made = True
    return merged


def _unmakeable(settings: FixedSettings) -> str:
    """Return why a league cannot be made of exported ones, and what to put there; or nothing."""
    if settings.game not in GAMES:
        need = f"put a {FILE} with the same settings, that names the game,"
        return f"{settings.game} is not bundled: {need}"
    if settings.tournament == "gauntlet":
        return f"results do not say who the challengers of a gauntlet are: put its {FILE}"
    if settings.opening is not None and settings.opening.book:
        return f"results do not hold the book of its openings: put its {FILE} and the book"
    return ""


def _longest(archives: Sequence[Archive]) -> Archive:
    """Return the one of archives that has most rounds."""
    return max(archives, key=lambda archive: len(archive.header.drawn))


def _write(
    folder: Path,
    archive: Archive,
    deals: int,
    bots: list[dict[str, Any]],
    *,
    is_there: bool = False,
) -> LeaguePlan:
    """Write the file of a new league, that asks for what was played."""
    settings = archive.header.fixed
    options, limits = settings.pop("options"), settings.pop("limits")
    opening = settings.pop("opening") or {}
    for key in ("facts", "code"):  # which the database says
        settings.pop(key, None)
    of_format = {}
    if archive.header.drawn:
        last = archive.header.drawn[-1].drawn
        deals, of_format = last.deals_each, last.options
    given = {key: value for key, value in of_format.items() if value is not None}
    asked = Settings(**settings, deals=deals)
    try:
        return make_league(folder, asked, options, limits, bots, given, opening, is_there=is_there)
    except RunError:
        raise
    except ArenaError as error:  # of settings that no league can have
        raise archive.error(str(error), line=1) from None


def _entries(
    folder: Path, archives: Sequence[Archive], last: Sequence[StoredRound]
) -> list[dict[str, Any]]:
    """Return the `[[bot]]` tables of a new league; raise ArenaError for a bot not known here.

    Those of the last round, if there is one, are in the order of the file that it was drawn by.
    """
    listed = [key for each in last for key, _ in each.drawn.field]
    entries: dict[str, dict[str, Any] | None] = dict.fromkeys(listed)
    for archive in archives:
        game = archive.header.settings.game
        for bot, entered in archive.header.versions.items():
            program = Path(entered.command[-1]).stem if entered.command else ""
            here = bundled_bot(game, program, bot.name)
            is_here = here is not None and here.version == bot.version
            if is_here or not entries.get(bot.name):
                entries[bot.name] = {"name": bot.name, "shipped": program} if is_here else None
    unknown = [name for name, entry in entries.items() if entry is None]
    if unknown:
        raise ArenaError(
            f"there is no league {str(folder)!r}, and it cannot be made: {', '.join(unknown)} "
            f"are not bundled with this arena, or not in that version. Put a {FILE} with the "
            f"same settings and your bots in that folder, then import again."
        )
    return [entry for entry in entries.values() if entry is not None]
