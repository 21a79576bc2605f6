"""The people of a league that is served: authors, organizers and readers, and their tokens."""

import hashlib
import hmac
import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from arena.handin.database import HandIns, Row, now, written
from arena.handin.submissions import first_of
from arena.league.bot import check_name
from arena.league.plan import LeaguePlan
from arena.text import composed, league_words, likeness, quoted
from protocol.errors import ArenaError

Role = Literal["author", "organizer", "reader"]
PERSON = "a person's"
"""Whose name is wrong, in errors."""

_TOKEN_BYTES = 32
_PREFIX = "arena_"  # so that a program that looks for secrets in published files finds it
_NAMED = 10  # persons that an error names
_LONGEST = 200  # characters of what may be a token, or an invitation


@dataclass(frozen=True)
class Person:
    """Somebody who has a token."""

    number: int
    name: str
    role: Role
    since: str
    """When the present token was made, in ISO 8601."""
    version: int
    """Another one with each renewed token: what was signed for an earlier one has ended."""


@dataclass(frozen=True)
class Newcomer:
    """Somebody to be added."""

    name: str
    role: Role = "author"
    where: str = ""
    """Where that is written, as what an error begins with."""


def add_all(db: HandIns, wanted: Sequence[Newcomer], *, once_more: bool = False) -> list[str]:
    """Add persons and return their tokens, of which only hashes are stored.

    One who was removed comes back, with all that was handed in. With `once_more`, the token of
    somebody who is here already in the same role is empty: nobody knows it. Raises ArenaError with
    all that is wrong with any of them, such as a name that looks like somebody's; then nobody is
    added.
    """
    tokens, errors = [], []
    with db.transaction():
        for each in wanted:
            try:
                tokens.append(added(db, composed(each.name), each.role, once_more=once_more))
            except ArenaError as error:
                errors.append(f"{each.where}{error}")
        if len(errors) == 1:
            raise ArenaError(errors[0])
        if errors:
            said = "\n".join(f"  {error}" for error in errors)
            raise ArenaError(
                f"{len(errors)} of {len(wanted)} cannot be added, so nobody was:\n{said}"
            )
    return tokens


def added(db: HandIns, name: str, role: Role, *, once_more: bool = False) -> str:
    """Add one person within a transaction, and return the token, as `add_all` does."""
    check_name(name, PERSON)
    token, at = new_secret(), written(now())
    alike = db.rows("SELECT * FROM person WHERE likeness = ?", (likeness(name),))
    if not alike:
        db.change(
            "INSERT INTO person (name, likeness, role, token, since) VALUES (?, ?, ?, ?, ?)",
            (name, likeness(name), role, hashed(token), at),
        )
        return token
    [row] = alike
    if row["token"] is None and row["name"] == name:
        db.change(
            "UPDATE person SET role = ?, token = ?, since = ?, version = version + 1 "
            "WHERE number = ?",
            (role, hashed(token), at, row["number"]),
        )
        return token
    if row["name"] != name:
        raise ArenaError(
            f"{name!r} looks like {row['name']!r}, who is here already; choose another name."
        )
    league, word = quoted(db.league), quoted(name)
    if row["role"] != role:
        raise ArenaError(
            f"{name!r} is here already, as {row['role']} and not as {role}. After `arena author "
            f"remove {league} {word}`, add the name in the new role."
        )
    if once_more:
        return ""
    raise ArenaError(
        f"{name!r} is here already. `arena author renew {league} {word}` makes a new token; for "
        f"somebody else, choose another name."
    )


def who_needs_a_name(db: HandIns, plan: LeaguePlan, names: Iterable[str]) -> list[str]:
    """Return the persons of these names who cannot hand in a bot that is called as they are.

    A bot of somebody else is called so.
    """
    known = {person.name: person for person in people(db)}
    in_league = {likeness(name) for pair in plan.names.items() for name in pair}

    def is_free(name: str) -> bool:
        owned = first_of(db, name)
        return owned.author == name if owned else likeness(name) not in in_league

    asked = (known[composed(name)] for name in names)
    return [each.name for each in asked if each.role != "reader" and not is_free(each.name)]


def renew(db: HandIns, name: str) -> str:
    """Give a person a new token and return it; the old one, and all sessions, end at once.

    Raises ArenaError if there is nobody of that name.
    """
    token = new_secret()
    with db.transaction():
        person = _named(db, name)
        db.change(
            "UPDATE person SET token = ?, since = ?, version = version + 1 WHERE number = ?",
            (hashed(token), written(now()), person.number),
        )
    return token


def remove(db: HandIns, name: str) -> None:
    """Remove a person: the token and all sessions end at once.

    What plays goes on playing, and what waits is refused by the intake. Raises ArenaError if there
    is nobody of that name.
    """
    with db.transaction():
        person = _named(db, name)
        db.change(
            "UPDATE person SET token = NULL, version = version + 1 WHERE number = ?",
            (person.number,),
        )


def people(db: HandIns) -> list[Person]:
    """Return all persons who have a token, by name."""
    rows = db.rows("SELECT * FROM person WHERE token IS NOT NULL ORDER BY name")
    return [_person(row) for row in rows]


def by_token(db: HandIns, token: str) -> Person | None:
    """Return the person whose token it is, if there is one."""
    rows = db.rows("SELECT * FROM person WHERE token IS NOT NULL")
    found = row_of(token, rows, "token")
    return None if found is None else _person(found)


def row_of(secret: str, rows: Iterable[Row], column: str) -> Row | None:
    """Return the row that has the hash of a secret in a column, if there is one.

    It is compared with all of them, in a time that does not depend on what they are.
    """
    if len(secret) > _LONGEST:
        return None
    asked = hashed(secret)
    found = None
    for row in rows:
        if hmac.compare_digest(row[column], asked):
            found = row
    return found


def bots_of_people(db: HandIns) -> dict[str, list[str]]:
    """Return the bots that wait or play for each person, by name."""
    rows = db.rows(
        "SELECT DISTINCT person.name, bot FROM submission JOIN person "
        "ON person.number = submission.person "
        "WHERE state IN ('received', 'building', 'checking', 'playing') ORDER BY bot"
    )
    found: dict[str, list[str]] = {}
    for row in rows:
        found.setdefault(row["name"], []).append(row["bot"])
    return found


def by_number(db: HandIns, number: int) -> Person | None:
    """Return a person by number: None if there is none, or none any more."""
    rows = db.rows("SELECT * FROM person WHERE number = ? AND token IS NOT NULL", (number,))
    return _person(rows[0]) if rows else None


def _named(db: HandIns, name: str) -> Person:
    for person in people(db):
        if person.name == composed(name):
            return person
    known = ", ".join(repr(person.name) for person in people(db)[:_NAMED])
    listing = f"`arena author list {quoted(db.league)}` lists all."
    here = f"there are {known}. {listing}" if known else "nobody is here."
    raise ArenaError(f"there is nobody called {name!r} in {league_words(db.league)}: {here}")


def _person(row: Row) -> Person:
    return Person(row["number"], row["name"], row["role"], row["since"], row["version"])


def new_secret() -> str:
    """Return what nobody can guess: a token, or what the link of an invitation holds."""
    return _PREFIX + secrets.token_urlsafe(_TOKEN_BYTES)


def hashed(token: str) -> bytes:
    """Return what is stored of a secret: it cannot be guessed, so it needs no salt."""
    return hashlib.sha256(token.encode(errors="replace")).digest()
