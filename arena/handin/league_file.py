"""The bots of a league's file that were handed in: which they are, and how one is entered."""

import tomllib
from pathlib import Path

from arena.handin.database import HANDED_IN, HandIns
from arena.league.bot import Bot
from arena.league.edit import add_bot, replace_bot
from arena.league.file import file_of, read_asked
from arena.text import composed
from protocol.errors import ArenaError


def folders(league: Path) -> dict[str, str]:
    """Return the folders of the league's bots that have one, as they are written, by name.

    Raises ArenaError if the league's file cannot be read.
    """
    read_asked(league, "read")
    _, text = file_of(league)
    bots = tomllib.loads(text).get("bot", [])
    return {bot["name"]: bot["folder"] for bot in bots if "folder" in bot}


def bots_of(db: HandIns, author: str) -> list[str]:
    """Return the bots of an author that the league's file has, by their names there.

    Raises ArenaError if the file cannot be read.
    """
    rows = db.rows(
        "SELECT folder FROM submission JOIN person ON person.number = submission.person "
        "WHERE person.name = ? AND folder != ''",
        (composed(author),),
    )
    theirs = {row["folder"] for row in rows}
    return [name for name, folder in folders(db.league).items() if folder in theirs]


def enter(league: Path, name: str, folder: str, bot: Bot, *, is_own: bool) -> None:
    """Let the bot of a name be run from a folder in the league's, whether it was there or not.

    It gets the grant and the entry of `bot`. `is_own` says that one of this name was handed in
    before by the same author, whatever it is called by now. Raises ArenaError if the name is taken
    by another, or disqualified.
    """
    plan = read_asked(league, "read")
    for gone in plan.disqualified:
        if name in (gone.name, gone.key):
            raise ArenaError(gone.remark)
    present = plan.names.get(name, name)
    own = {**bot.grant.given, **({"entry": bot.entry} if bot.entry > 1 else {})}
    if present not in plan.names.values():
        add_bot(league, {"name": name, "folder": folder, **own})
    elif is_own and folders(league).get(present, "").startswith(f"{HANDED_IN}/"):
        replace_bot(league, present, {"name": present, "folder": folder, **own})
    else:
        raise ArenaError(f"the organizer has entered another bot called {name!r} meanwhile.")
