"""What is sent back to the author of a bot: its verdict, its results, and its own matches.

Nothing in it is another's: no standard error, no hidden cards, no seed of a deal.
"""

import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from arena.archive.feed import feed_of
from arena.archive.show import told
from arena.author.verdict import Step
from arena.folders import unwritten
from arena.league.plan import LeaguePlan
from arena.organize.copying import folder_name
from arena.organize.entering import BotVerdict
from arena.stats.ratings import Ratings
from arena.store.choosing import MatchChoice
from arena.store.opening import open_store
from arena.store.rows import StoredMatch
from arena.store.store import Store
from arena.store.suspensions import not_playing
from arena.tables.field import Field
from arena.tables.leaderboard import RANKS, leaderboard
from arena.tables.sources import field_of
from arena.tables.table import Row, Table, render
from arena.tables.why import Subject, why_table
from arena.text import counted, fold, quoted, safe
from protocol.errors import ArenaError
from referee.sandbox import PYTHON

_WIDTH = 80  # columns of the texts


def write_verdict(
    target: Path, verdict: BotVerdict, game: str, number: int = 1, made: Path | None = None
) -> None:
    """Write a verdict into the folder of a bot in a folder; raise ArenaError if that fails.

    The `number` is that of the bot among those of this name, and `made` its folder, if its author
    does not know that.
    """
    name = f"{verdict.name or '_'} {number}" if number > 1 else verdict.name or "_"
    steps = [_without_place(step, verdict.place, made) for step in verdict.steps]
    shown = replace(verdict, steps=steps)
    _write(target / folder_name(name), _VERDICT, shown.text(game, _WIDTH))


def _without_place(step: Step, place: str, made: Path | None) -> Step:
    """Return a step without the folders in which the organizer has the bot."""
    folders = [f"{Path(place).resolve()}", place]
    folders += [] if made is None else [f"{made.resolve()}", f"{made}"]

    def shown(text: str) -> str:
        for folder in folders:
            text = text.replace(f"--fetch {quoted(folder)}", "--fetch .")
            here = rf"(?<![\w./-]){re.escape(folder)}"
            text = re.sub(f"{here}/", "", text)
            if "/" in folder:  # else it may be any word, as late
                text = re.sub(rf"{here}(?![\w/-])", "the folder", text)
        return text

    return replace(step, detail=shown(step.detail), evidence=[*map(shown, step.evidence)])


def _write(folder: Path, name: str, lines: Iterable[str]) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / name).open("w", encoding="utf-8") as output:
            output.writelines(f"{line}\n" for line in lines)
    except OSError as error:
        raise unwritten(folder / name, error) from None


def write_feedback(
    league: LeaguePlan,
    target: Path,
    names: Sequence[str],
    most: int | None,
    rate: Callable[[Field], Ratings],
    tell: Callable[[str], None],
) -> None:
    """Write a folder for each bot of a league that was played, and was read with its game.

    In it are its place, its results against each other bot, a list of its matches, and at `most`
    so many of them as it saw them: first those in which it had faults, then those that it lost.
    `tell` is called with the name of each bot. Raises ArenaError if nothing was played, if
    anything cannot be written, or a bot's results lie there already.
    """
    for name in names:
        if (target / folder_name(name) / _RESULTS).exists():
            raise ArenaError(
                f"{target / folder_name(name) / _RESULTS} exists; name a new folder, so that "
                f"nothing old is sent."
            )
    with open_store(league) as store:
        field = field_of(league, store)
        ratings = rate(field)
        standings = leaderboard(field, ratings)
        for name in names:
            tell(name)
            rows = [_own(match, name) for match in _matches(league, store, name)]
            logged = sorted(rows, key=lambda row: (not row["faults"], row["place"] == 1))[:most]
            folder = target / folder_name(name)
            program = _program(league, name)
            said = [why for bot, why in not_playing(league, store) if bot == name]
            notes = [*said, *_files(len(logged), len(rows), program)]
            _write(folder, _RESULTS, _results(field, name, standings, notes))
            (folder / _VERDICT).unlink(missing_ok=True)  # of a check before it was entered
            _write(folder, "matches.csv", [render(Table("matches", (), rows, keys=_KEYS), "csv")])
            for row in logged:
                _write_match(league, store, folder / "matches", row)


_RESULTS = "results.txt"
_VERDICT = "verdict.txt"
_KEYS = (
    *("match", "deal", "seat", "place", "score", "others", "reason", "decisions", "faults"),
    "forfeited",
)
"""Those of `_own`, for a list of no matches."""


def _matches(league: LeaguePlan, store: Store, name: str) -> Iterator[StoredMatch]:
    """Yield the matches of a bot: those of its present version, unless it is disqualified."""
    versions = {bot.name: bot.version for bot in league.bots}
    for match in store.matches(MatchChoice(bot=name)):
        version = next(bot.version for bot in match.bots if bot.name == name)
        if versions.get(name, version) == version:
            yield match


def _own(match: StoredMatch, name: str) -> dict[str, Any]:
    """Return what a match says of one of its bots."""
    seat = next(seat for seat, bot in enumerate(match.bots) if bot.name == name)
    return {
        "match": match.id,
        "deal": match.number,
        "seat": seat,
        "place": match.places[seat],
        "score": None if match.scores is None else match.scores[seat],
        "others": [bot.name for bot in match.bots if bot.name != name],
        "reason": match.reason,
        "decisions": match.decisions,
        "faults": dict(match.faults[seat]),
        "forfeited": seat in match.forfeits,
    }


def _program(league: LeaguePlan, name: str) -> str:
    """Return the words with which the author of a bot runs it, as far as they are known."""
    bot = league.bot_named(name)
    if bot is None or not bot.command or Path(bot.command[0]).is_absolute():  # on our own machine
        return "./my_bot"
    return shlex.join("python3" if word == PYTHON else word for word in bot.command)


def _files(logged: int, matches: int, program: str) -> Iterator[str]:
    """Yield what the files beside the results are."""
    if not matches:
        yield "No match of this bot was played."
        return
    yield (
        f"matches.csv lists {counted(matches, 'match', 'matches')}. The folder matches shows "
        f"{logged} of them as the bot saw them, first those with faults and those that it lost: "
        f"ID.txt is to be read, with its standard error, and ID.jsonl holds the lines that it was "
        f"sent."
    )
    yield f"To send them again: {program} < matches/ID.jsonl"


def _results(field: Field, name: str, standings: Table, notes: Iterable[str]) -> Iterator[str]:
    """Yield the lines of a bot's place and of its results against each other."""
    yield from fold(safe(f"{name} in {field.name}. {field.extent}. {RANKS}"), _WIDTH)
    row = [row for row in standings.rows if row["bot"] == name]
    own = why_table(field, Subject(bot=name, name=name))
    for table in (replace(standings, rows=row, notes=()), replace(own, notes=())):
        if table.rows:
            yield ""
            yield render(table, "simple", width=_WIDTH)
    for note in notes:
        yield ""
        yield from fold(safe(note), _WIDTH)


def _write_match(league: LeaguePlan, store: Store, folder: Path, row: Row) -> None:
    """Write a match as a bot saw it, to be read, and the lines that it was sent."""
    opened = store.whole(store.find(row["match"]))
    lines = told(opened, lambda: league.loaded, seat=row["seat"], tables=True, width=_WIDTH)
    _write(folder, f"{row['match']}.txt", lines)
    sent = feed_of(league, opened, row["seat"]).lines()
    _write(folder, f"{row['match']}.jsonl", (line.decode().removesuffix("\n") for line in sent))
