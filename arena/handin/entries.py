"""Submissions as entries of their league: whether they play, as which entry, in whose place."""

from collections.abc import Iterator
from dataclasses import replace

from arena.author.step import Step
from arena.handin import league_file, submissions
from arena.handin.database import HandIns
from arena.handin.people import people
from arena.handin.submissions import Submission
from arena.league.bot import Bot
from protocol.errors import ArenaError, Refusal, RunError

_ASK = "Ask the organizer, who sees more of it."


def is_entered(db: HandIns, one: Submission) -> bool:
    """Return whether the league's file names it, though it may not be noted that it plays."""
    return one.step == "enter" and one.folder in league_file.folders(db.league).values()


def retire_absent(db: HandIns) -> list[int]:
    """Let be replaced what the organizer has taken out of the league; return the numbers."""
    entered = {*league_file.folders(db.league).values()}
    absent = [one.number for one in submissions.playing(db) if one.folder not in entered]
    for number in absent:
        reason = "the organizer has taken it out of the league, or replaced it."
        submissions.retire(db, number, reason)
    return absent


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
    before = submissions.last_accepted(db, one.bot)
    if before is not None:
        _check_not_taken_out(db, one, before)
    try:
        league_file.enter(db.league, one.bot, folder, bot, is_own=before is not None)
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
        else before.folder not in league_file.folders(db.league).values()
    )
    if is_out:
        raise Refusal(
            422,
            "the organizer has taken this bot out of the league, or replaced it, after you "
            "handed this in.",
            "Ask the organizer; what you hand in from now on is a bot of your own again.",
        )
