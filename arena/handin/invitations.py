"""Invitations: links by which people make themselves authors of a league, under a name they choose.

Each makes so many authors at the most, until a time, unless it is revoked before.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from arena.handin.database import HandIns, Row, now, written
from arena.handin.people import (
    PERSON,
    Person,
    added,
    by_token,
    hashed,
    new_secret,
    row_of,
)
from arena.handin.submissions import first_of
from arena.league.bot import check_strangers_name
from arena.league.plan import LeaguePlan
from arena.text import composed, league_words, likeness, quoted
from protocol.errors import ArenaError, Refusal

MOST = 1000
"""The most authors that an invitation may make."""
_ASK = "Ask the organizer for another one."
_RESERVED = {
    *("admin", "administrator", "moderator", "organizer", "organiser", "author", "reader"),
    *("arena", "bot arena", "server", "system", "root", "referee", "league"),
}
"""Names by which one could pass for more than an author."""
_IN_FULL = (
    "SELECT invitation.*, (SELECT count(*) FROM invited WHERE invitation = number) AS used "
    "FROM invitation"
)


@dataclass(frozen=True)
class Invitation:
    """A link that makes authors, without its secret, of which only the hash is stored."""

    number: int
    most: int
    """How many authors it may make ..."""
    used: int
    """... and has made, whatever became of them."""
    made_at: str
    """When it was made, in ISO 8601, as are the other times."""
    until: str
    revoked_at: str
    """Empty if it was not revoked."""

    @property
    def state(self) -> Literal["open", "revoked", "over", "used up"]:
        """Whether it makes authors now, or why not."""
        if self.revoked_at:
            return "revoked"
        if self.until <= written(now()):
            return "over"
        return "used up" if self.used >= self.most else "open"


def invite(db: HandIns, most: int, until: datetime) -> tuple[Invitation, str]:
    """Make an invitation; return it with its secret, of which only the hash is stored.

    Raises ArenaError if it would be over already.
    """
    secret, at, end = new_secret(), written(now()), written(until)
    if end <= at:
        raise ArenaError(f"an invitation ends in the future, not at {until.isoformat()}.")
    with db.transaction():
        number = db.change(
            "INSERT INTO invitation (secret, most, made_at, until) VALUES (?, ?, ?, ?)",
            (hashed(secret), most, at, end),
        )
    return Invitation(number, most, 0, at, end, ""), secret


def invitations(db: HandIns) -> list[Invitation]:
    """Return all invitations that were ever made, the newest first."""
    return [_invitation(row) for row in db.rows(f"{_IN_FULL} ORDER BY number DESC")]


def revoke(db: HandIns, number: int) -> Invitation:
    """End an invitation at once; whom it made stays. Raises ArenaError if there is none of it."""
    with db.transaction():
        known = {each.number: each for each in invitations(db)}
        if number not in known:
            listing = f"`arena author list {quoted(db.league)}` lists all."
            raise ArenaError(
                f"there is no invitation {number} in {league_words(db.league)}. {listing}"
            )
        db.change(
            "UPDATE invitation SET revoked_at = ? WHERE number = ? AND revoked_at = ''",
            (written(now()), number),
        )
    return known[number]


def by_secret(db: HandIns, secret: str) -> Invitation | None:
    """Return the invitation that a secret belongs to, if there is one, whatever its state."""
    found = row_of(secret, db.rows(_IN_FULL), "secret")
    return None if found is None else _invitation(found)


def invited(db: HandIns) -> dict[str, int]:
    """Return by which invitation people came, by their names."""
    rows = db.rows(
        "SELECT name, invitation FROM invited JOIN person ON person.number = invited.person"
    )
    return {row["name"]: row["invitation"] for row in rows}


def join(db: HandIns, plan: LeaguePlan, secret: str, name: str) -> tuple[Person, str]:
    """Make an author of whoever has an invitation; return her, and her token.

    Raises Refusal if the secret is none, or ends or is used up by now, or if the name is not free.
    """
    name = " ".join(composed(name).split())
    with db.transaction():  # or two could take the last place, or one name
        invitation = by_secret(db, secret)
        if invitation is None:
            raise Refusal(401, "this is no invitation of this league.", _ASK)
        _check_open(invitation)
        _check_name(db, plan, name)
        token = added(db, name, "author")
        person = by_token(db, token)
        assert person is not None
        db.change("INSERT INTO invited VALUES (?, ?)", (person.number, invitation.number))
    return person, token


def _check_open(invitation: Invitation) -> None:
    if invitation.state == "used up":
        what = f"all places of this invitation are taken: {invitation.most}."
        raise Refusal(403, what, _ASK)
    if invitation.state != "open":
        how = "was revoked" if invitation.state == "revoked" else "is over"
        raise Refusal(403, f"this invitation {how}.", _ASK)


def _check_name(db: HandIns, plan: LeaguePlan, name: str) -> None:
    """Raise Refusal unless a stranger may have a name: nobody has it, or one that looks like it.

    Not even somebody who was removed: the new one would have that one's bots. Nor is it a bot's.
    """
    alike = likeness(name)
    try:
        check_strangers_name(name, PERSON)
    except ArenaError as error:
        raise Refusal(422, str(error), "Choose another name.") from None
    if not any(char.isalnum() for char in alike):
        raise Refusal(422, f"{name!r} has neither a letter nor a digit.", "Choose another name.")
    is_person = db.rows("SELECT 1 FROM person WHERE likeness = ?", (alike,))
    bots = {likeness(each) for pair in plan.names.items() for each in pair}
    if is_person or alike in bots or first_of(db, name) is not None:
        what = f"the name {name!r} is taken, or looks like one that is."
        raise Refusal(409, what, "Choose another one.")
    if alike in _RESERVED | {likeness(plan.folder.resolve().name)}:
        raise Refusal(409, f"the name {name!r} is reserved.", "Choose another one.")


def _invitation(row: Row) -> Invitation:
    return Invitation(
        row["number"], row["most"], row["used"], row["made_at"], row["until"], row["revoked_at"]
    )
