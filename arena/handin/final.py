"""The final of a contest: its sealed seed, its league once bots are taken no more, and its end."""

import secrets
import shutil
import tomllib
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec

from arena.folders import keep, locked, put_in_place, unfinished, unwritten
from arena.handin.calendar import phase
from arena.handin.database import HandIns, now, written
from arena.handin.submissions import queue
from arena.league.bot import Bot
from arena.league.contest import HandIn
from arena.league.entry import entry_for
from arena.league.file import FILE, file_of, read_asked
from arena.league.games import word_in
from arena.league.plan import DATABASE, LeaguePlan
from arena.league.seed import seal
from arena.league.writing import make_league
from arena.organize.copying import copied
from arena.store.opening import open_store, read_played
from protocol.errors import ArenaError

FINAL = "final"
"""The folder in a league's folder in which its final is, as a league of its own."""
_SEED_BYTES = 32
_KEPT = ("build", "environments", "door")
"""Tables of the league that its final has as well."""
_OVER, _SHOWN = "final_over", "final_shown"
TOLD = {"final_begins": "hook_final_begins", "final_ends": "hook_final_ends"}
"""The facts by which hooks are told of it once."""


# --- the seed


def draw(db: HandIns) -> bool:
    """Draw the seed of the final, unless it was; return whether it was drawn now."""
    with db.transaction():
        if _seed(db):
            return False
        seed = secrets.token_hex(_SEED_BYTES).encode()
        db.change("INSERT INTO secret VALUES (?, ?)", (FINAL, seed))
        return True


def sealed(db: HandIns) -> str:
    """Return what is published of the final's seed from the beginning; empty if none is drawn."""
    seed = _seed(db)
    return seal(seed) if seed else ""


def published_seed(db: HandIns, hand_in: HandIn, at: datetime) -> str:
    """Return the final's seed if everybody may know it at a time; empty before.

    That is when the final is over and shown. No bots are taken then, whatever the dates say. That
    its matches are shown is noted, as it cannot be taken back.
    """
    if is_final_held_back(hand_in, at):
        return ""
    if (db.league / FINAL / DATABASE).is_file() and not db.fact(_SHOWN):
        with db.transaction():
            db.note_fact(_SHOWN, written(at))
    return _seed(db) if is_over(db) else ""


def _seed(db: HandIns) -> str:
    rows = db.rows("SELECT value FROM secret WHERE name = ?", (FINAL,))
    return bytes(rows[0]["value"]).decode() if rows else ""


# --- when


def is_final_held_back(hand_in: HandIn, at: datetime) -> bool:
    """Return whether the final's results are for organizers alone at a time."""
    if hand_in.release is not None:
        return at < hand_in.release
    return hand_in.freezes is not None


def is_due(db: HandIns, hand_in: HandIn) -> bool:
    """Return whether the final can be made: all that was handed in before the closing is decided.

    Nothing is being received then, as that is within a transaction too.
    """
    is_closed = phase(hand_in, now()) == "closed"
    if hand_in.final_deals is None or not is_closed or is_made(db.league):
        return False
    with db.transaction():
        return not queue(db)


def is_made(league: Path) -> bool:
    """Return whether the final of the league in a folder has been made."""
    return (league / FINAL / FILE).is_file()


def has_final(plan: LeaguePlan) -> bool:
    """Return whether a league's final has been made; one without a final may have such a folder."""
    return plan.hand_in.final_deals is not None and is_made(plan.folder)


def is_over(db: HandIns) -> bool:
    """Return whether the final was played to its end."""
    return bool(db.fact(_OVER))


def note_over(db: HandIns) -> None:
    """Note that the final was played to its end."""
    with db.transaction():
        if not db.fact(_OVER):
            db.note_fact(_OVER, written(now()))


# --- its league, made and discarded


def final_to_play(league: Path) -> Path | None:
    """Return the folder of a league's final, made now if it is due, until it is over; or None.

    Raises ArenaError if it cannot be made.
    """
    plan = read_asked(league, "read")
    if plan.hand_in.final_deals is None:
        return None
    with HandIns(league, create=True) as db:
        if is_over(db):
            return None
        if is_due(db, plan.hand_in):
            make_final(db)
        return league / FINAL if is_made(league) else None


def make_final(db: HandIns) -> None:
    """Make the league of the final, whole or not at all, of the bots that are in the league now.

    It has copies of them, so that it stays what it is. Raises ArenaError if it cannot be made.
    """
    draw(db)
    target = db.league / FINAL
    try:
        with unfinished(target) as hidden:
            if is_made(db.league):
                return  # another process was faster
            hidden.chmod(0o700)  # the seed is in it
            _fill(hidden, db.league, _seed(db))
            put_in_place(hidden, target)
    except OSError as error:
        raise unwritten(target, error) from None


def discard_final(db: HandIns, hand_in: HandIn) -> int:
    """Remove a final that was made too early, and return how many matches of it were played.

    The seed stays: its hash may have been published. Raises ArenaError if the final would be made
    again at once, if it is being played, and if anybody but an organizer could see its matches: who
    knows them knows cards of the next one.
    """
    target = db.league / FINAL
    if hand_in.final_deals is not None and phase(hand_in, now()) == "closed":
        raise ArenaError(
            f"{db.league} is closed since {hand_in.closes}, so that its final would be made again "
            f"at once: first write when it closes, below [hand_in]."
        )
    try:
        with locked(target), unfinished(target) as hidden:
            matches = _played(target)
            if db.fact(_SHOWN) or (matches and not is_final_held_back(hand_in, now())):
                raise ArenaError(
                    f"the matches of {target} were not held back, and the next final would have "
                    f"the same cards. Make a new league: it draws a seed of its own."
                )
            with db.transaction():  # first, as a final that is noted as over is not made again
                for fact in (_OVER, *TOLD.values()):
                    db.change("DELETE FROM fact WHERE name = ?", (fact,))
            target.rename(hidden / FINAL)
            keep(db.league)
    except OSError as error:
        raise unwritten(target, error) from None
    return matches


def _played(final: Path) -> int:
    """Return how many matches of a final are stored."""
    plan = read_played(final)
    if not plan.database.is_file():
        return 0
    with open_store(plan) as store:
        return store.record_count()


def _fill(folder: Path, league: Path, seed: str) -> None:
    plan = read_asked(league, "play")
    _, text = file_of(league)
    tables = tomllib.loads(text)
    settings = msgspec.structs.replace(
        plan.settings,
        game=word_in(plan.game.source, folder),
        seed=seed,
        deals=plan.hand_in.final_deals or 1,
        tournament="round-robin",
        share=1.0,
        matches=None,
        matches_per_bot=None,
    )
    others = {name: tables[name] for name in _KEPT if name in tables}
    opening = dict(tables.get("opening", {}))
    if "file" in opening:  # a copy, as of the bots
        book = Path(opening["file"])
        shutil.copyfile(league / book, folder / book.name)
        opening["file"] = str(folder / book.name)
    (folder / FILE).touch(0o600)
    bots = list(_entries(plan, folder))
    options, limits = tables.get("options", {}), tables.get("limits", {})
    make_league(
        folder, settings, options, limits, bots, opening=opening, others=others, is_there=True
    )
    (folder / FILE).chmod(0o600)


def _entries(plan: LeaguePlan, folder: Path) -> Iterator[dict[str, Any]]:
    """Yield the tables of the bots: copies of those that play, and who is disqualified and why."""
    for bot in plan.bots:
        yield {**entry_for(copied(bot, folder), folder), **bot.grant.given, **_key(bot)}
    for gone in plan.disqualified:
        key = {} if gone.key == gone.name else {"key": gone.key}
        yield {"name": gone.name, **key, "disqualified": gone.reason}


def _key(bot: Bot) -> dict[str, str]:
    return {} if bot.first_name is None else {"key": bot.first_name}
