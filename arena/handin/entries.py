"""Submissions as entries of their league: whether they play, as which entry, in whose place."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import msgspec

from arena.author.verdict import Step
from arena.handin import submissions
from arena.handin.database import HANDED_IN, HandIns
from arena.handin.people import people
from arena.handin.stale import put_back, remember, tables
from arena.handin.submissions import Submission
from arena.league.bot import Bot
from arena.league.edit import add_bot, replace_bot
from arena.league.file import read_asked
from arena.league.plan import LeaguePlan
from arena.text import composed
from protocol.errors import ArenaError, Refusal, RunError

_ASK = "Ask the organizer, who sees more of it."


def is_entered(db: HandIns, one: Submission) -> bool:
    """Return whether the league's file names it, though it may not be noted that it plays."""
    return one.step == "enter" and one.folder in folders(db.league).values()


def check_author(db: HandIns, one: Submission) -> None:
    """Raise Refusal if the author of a submission was removed."""
    if one.author not in {person.name for person in people(db)}:
        raise Refusal(422, "its author was removed.", _ASK)


def as_another_entry(db: HandIns, one: Submission, bot: Bot) -> Bot:
    """Return a bot that plays anew if the same files have played, and others after them.

    Else its author could hand in ten versions and put the luckiest back. What plays now stays.
    """
    known = submissions.accepted_versions(db, one.bot)
    known -= {twin.version for twin in submissions.playing(db) if twin.bot == one.bot}
    while bot.version in known:
        bot = replace(bot, entry=bot.entry + 1)
    return bot


def twins(db: HandIns, one: Submission, bot: Bot) -> Iterator[Step]:
    """Yield a step if the very same files play already: somebody may expect a change."""
    for twin in submissions.playing(db):
        if (twin.bot, twin.version) == (one.bot, bot.version):
            same = f"the same files as submission {twin.number}, which plays"
            yield Step("its files", "advice", same)


def enter(db: HandIns, one: Submission, folder: str, bot: Bot) -> None:
    """Let it play from now on, in place of what played of this bot; raise Refusal if not."""
    check_author(db, one)  # again, as a build takes its time
    put_back(db)  # or what was lost from the file would count as taken out
    before = submissions.last_accepted(db, one.bot)
    if before is not None:
        _check_not_taken_out(db, one, before)
    try:
        _write_entry(db, one, folder, bot, is_own=before is not None)
    except RunError:
        raise
    except ArenaError as error:
        raise Refusal(422, str(error), _ASK) from None
    submissions.accept(db, one.number)


def _check_not_taken_out(db: HandIns, one: Submission, before: Submission) -> None:
    """Raise Refusal if what played of a bot was taken out after this was handed in."""
    is_out = (
        before.changed_at > one.received_at
        if before.state == "replaced"
        else before.folder not in folders(db.league).values()
    )
    if is_out:
        raise Refusal(
            422,
            "the organizer has taken this bot out of the league, or replaced it, after you "
            "handed this in.",
            "Ask the organizer; what you hand in from now on is a bot of your own again.",
        )


def folders(league: Path) -> dict[str, str]:
    """Return the folders of the league's bots that have one, as they are written, by name.

    Raises ArenaError if the league's file cannot be read.
    """
    read_asked(league, "read")
    return {bot["name"]: bot["folder"] for bot in tables(league) if "folder" in bot}


def authors_of(db: HandIns) -> dict[str, str]:
    """Return the authors of the bots that were handed in and play, by the bots' names in the file.

    Raises ArenaError if the file cannot be read.
    """
    theirs = {one.folder: one.author for one in submissions.playing(db)}
    return {name: theirs[each] for name, each in folders(db.league).items() if each in theirs}


def bots_of(db: HandIns, author: str) -> list[str]:
    """Return the bots of an author that the league's file has, by their names there.

    Raises ArenaError if the file cannot be read.
    """
    theirs = {one.folder for one in submissions.of_author(db, composed(author))}
    return [name for name, folder in folders(db.league).items() if folder in theirs]


def _write_entry(db: HandIns, one: Submission, folder: str, bot: Bot, *, is_own: bool) -> None:
    """Let the bot of a name be run from a folder in the league's, whether it was there or not.

    It gets the grant and the entry of `bot`. `is_own` says that one of this name was handed in
    before by the same author, whatever it is called by now. Raises ArenaError if the name is taken
    by another, or disqualified.
    """
    league, name = db.league, one.bot
    plan = read_asked(league, "read")
    for gone in plan.disqualified:
        if name in (gone.name, gone.key):
            raise ArenaError(gone.remark)
    present = plan.names.get(name, name)
    own = {**bot.grant.given, **({"entry": bot.entry} if bot.entry > 1 else {})}
    before = next((table for table in tables(league) if table["name"] == present), {})
    kept = {"key": before["key"]} if "key" in before else {}
    entry = {"name": present, **kept, "folder": folder, **own}
    remember(db, one.number, entry)  # first, as an editor may save the file at once
    if present not in plan.names.values():
        add_bot(league, {"name": name, "folder": folder, **own})
    elif is_own and folders(league).get(present, "").startswith(f"{HANDED_IN}/"):
        replace_bot(league, present, {"name": present, "folder": folder, **own})
    else:
        raise ArenaError(f"the organizer has entered another bot called {name!r} meanwhile.")


def granted(plan: LeaguePlan, bot: Bot, entered_as: str) -> Bot:
    """Return a bot with what the one before it was granted, and what any bot may have.

    Whether it is remote is its own: the one before it may have been another kind.

    `entered_as` is the name under which the one before it entered, whatever it is called by now.
    """
    before = plan.grant_of(plan.names.get(entered_as, entered_as))
    more = bot.needs.beyond(before.of(plan.limits)).within(plan.hand_in.most)
    try:
        grant = before.plus(more)
        grant.of(plan.limits)
    except ArenaError:  # they do not go together: `unmet` says what it needs and has not
        grant = before
    may = plan.hand_in.most.remote or before.remote
    remote = True if bot.remote_digest and bot.needs.remote and may else None
    return replace(bot, grant=msgspec.structs.replace(grant, remote=remote))
