"""What organizers do on their page: each does what a command does, by the same function."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from arena.handin.database import HandIns
from arena.handin.invitations import MOST, invite, revoke
from arena.handin.people import remove
from arena.handin.stale import disqualify, take_out
from arena.text import counted
from protocol.errors import ArenaError

_DAYS = 366  # that an invitation lasts at the most


@dataclass(frozen=True)
class Deed:
    """Something that an organizer may do, once it was confirmed."""

    name: str
    title: str
    """What is done, before whose name stands whom it is done to."""
    what: str
    """What becomes of it, in sentences."""
    command: str
    """The command that does the same, but for the names."""
    do: Callable[[HandIns, str, Mapping[str, str]], str]
    """Does it, with the fields of the form, and returns what was done in a sentence."""
    fields: tuple[tuple[str, str, str], ...] = ()
    """What is asked for: by its name, its label, and what stands there at first."""


def _disqualify(db: HandIns, of: str, said: Mapping[str, str]) -> str:
    disqualify(db.league, of, said.get("reason", "").strip())
    return f"{of} is disqualified."


def _readmit(db: HandIns, of: str, _said: Mapping[str, str]) -> str:
    disqualify(db.league, of, None)
    return f"{of} plays and counts again."


def _take_out(db: HandIns, of: str, _said: Mapping[str, str]) -> str:
    left = take_out(db.league, [of])
    few = f" A match needs {left.seats} bots, and the league has {len(left.bots)}."
    return f"{of} is not in the league any more.{few * (len(left.bots) < left.seats)}"


def _remove(db: HandIns, of: str, _said: Mapping[str, str]) -> str:
    remove(db, of)
    return f"{of} may not hand in any more."


def _revoke(db: HandIns, of: str, _said: Mapping[str, str]) -> str:
    made = revoke(db, _number(of, "An invitation", 2**31))
    return f"Invitation {of} makes nobody any more; it made {counted(made.used, 'author')}."


def _invite(db: HandIns, _of: str, said: Mapping[str, str]) -> str:
    """Make an invitation; return its secret."""
    days = _number(said.get("days", ""), "How many days it lasts", _DAYS)
    most = _number(said.get("most", ""), "How many authors it makes", MOST)
    return invite(db, most, datetime.now(UTC) + timedelta(days=days))[1]


def _number(word: str, what: str, most: int) -> int:
    word = word.strip()
    if not (word.isascii() and word.isdecimal() and len(word) < 11 and 1 <= int(word) <= most):
        raise ArenaError(f"{what} is a number from 1 to {most}.")
    return int(word)


DEEDS = {
    each.name: each
    for each in (
        Deed(
            "disqualify",
            "Disqualify",
            "It plays no more. Its matches are kept, and do not count; every table says why. Its "
            "name stays taken.",
            "remove --because",
            _disqualify,
            (("reason", "Why; every table says it", ""),),
        ),
        Deed(
            "readmit",
            "No longer disqualify",
            "It plays and counts again, with the matches that it had.",
            "remove --undo",
            _readmit,
        ),
        Deed(
            "remove",
            "Take out",
            "Its matches are kept, and count no more. Its author may hand it in again, and has "
            "its results back then.",
            "remove",
            _take_out,
        ),
        Deed(
            "remove-author",
            "Remove",
            "The token and all sessions end at once, and what waits is refused. Bots that play go "
            "on playing; take them out one by one.",
            "author remove",
            _remove,
        ),
        Deed(
            "revoke",
            "Revoke invitation",
            "It makes nobody any more. Whom it made stays.",
            "author revoke",
            _revoke,
        ),
        Deed(
            "invite",
            "Invite authors",
            "Whoever has the link makes an author, under a name of their own, and may pass it on.",
            "author invite",
            _invite,
            (("most", "How many authors it may make", "30"), ("days", "For how many days", "7")),
        ),
    )
}
"""All deeds, by name."""
