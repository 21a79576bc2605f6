"""Invitations, as whoever has one, or wants one, would abuse them."""

import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from arena.handin import people
from arena.handin.database import FILE, HandIns
from arena.handin.invitations import Invitation, invitations, invite, invited, join, revoke
from arena.league.file import read_asked
from protocol.errors import ArenaError, Refusal
from tests.arena.handin.conftest import Clock, add, person, receive


def invitation(db: HandIns, clock: Clock, most: int = 30) -> tuple[Invitation, str]:
    return invite(db, most, clock.at + timedelta(days=1))


def refused(db: HandIns, secret: str, name: str = "eva") -> tuple[int, str]:
    """Return the status and the words of a refusal, after which nobody was made."""
    before = len(people.people(db))
    with pytest.raises(Refusal) as error:
        join(db, read_asked(db.league), secret, name)
    assert len(people.people(db)) == before
    return error.value.status, error.value.what


def test_an_invitation_makes_authors_of_whom_only_hashes_are_stored(
    db: HandIns, cup: Path, clock: Clock
) -> None:
    made, secret = invitation(db, clock)
    eva, token = join(db, read_asked(cup), secret, "  Eva   Luna ")
    assert people.by_token(db, token) == eva
    assert (eva.name, eva.role) == ("Eva Luna", "author")
    assert invited(db) == {"Eva Luna": made.number}
    assert people.by_token(db, secret) is None  # which enters nobody by itself
    stored = b"".join(file.read_bytes() for file in cup.glob(f"{FILE}*"))
    assert secret.encode() not in stored
    assert token.encode() not in stored


def test_what_is_guessed_or_cut_off_is_no_invitation(db: HandIns, clock: Clock) -> None:
    _, secret = invitation(db, clock)
    token = add(db, "ada")
    for wrong in ("", secret[:-1], secret + "x", secret.upper(), "\udcff", "x" * 10**6, token):
        assert refused(db, wrong) == (401, "this is no invitation of this league.")


def test_an_invitation_ends_by_its_time_by_its_number_and_by_a_word(
    db: HandIns, cup: Path, clock: Clock
) -> None:
    first, secret = invitation(db, clock, most=1)
    join(db, read_asked(cup), secret, "eva")
    people.remove(db, "eva")  # frees no place
    assert refused(db, secret, "zoe") == (403, "all places of this invitation are taken: 1.")
    second, other = invitation(db, clock)
    assert [(each.number, each.state) for each in invitations(db)] == [(2, "open"), (1, "used up")]
    revoke(db, second.number)
    assert refused(db, other) == (403, "this invitation was revoked.")
    _, third = invitation(db, clock)
    clock.go(days=1)
    assert refused(db, third) == (403, "this invitation is over.")
    assert [each.state for each in invitations(db)] == ["over", "revoked", "over"]
    with pytest.raises(ArenaError, match="ends in the future"):
        invite(db, 1, clock.at)
    with pytest.raises(ArenaError, match=r"there is no invitation 9 .* lists all"):
        revoke(db, 9)
    assert first.used == 0


@pytest.mark.parametrize(
    ("name", "status"),
    [
        *((name, 409) for name in ("ada", "Ada", "\u0430da", "a\ufe0fda", "gone", "GONE")),
        *((name, 409) for name in ("house", "old", "older", "Castle", "castle")),
        *((name, 409) for name in ("organizer", "Organizer", "adm\u0456n", "Bot  Arena", "CUP")),
        *((name, 422) for name in ("", " ", "a\x1b[2J", "x" * 41, "a\u202eb", "\u0301", "...")),
    ],
)
def test_nobody_takes_a_name_of_others_or_one_that_deceives(
    db: HandIns, cup: Path, clock: Clock, name: str, status: int
) -> None:
    """Least of all that of somebody who was removed, whose bots would come with it."""
    ada = person(db, "ada")
    add(db, "gone")
    people.remove(db, "gone")
    receive(db, read_asked(cup), ada, "Castle", b"#!/bin/sh\n", "bot.sh")
    _, secret = invitation(db, clock)
    assert refused(db, secret, name)[0] == status
    assert [each.used for each in invitations(db)] == [0]


@pytest.mark.parametrize("name", ["<script>alert(1)</script>", "'; DROP TABLE person; --", "日本"])
def test_a_hostile_name_is_a_name(db: HandIns, cup: Path, clock: Clock, name: str) -> None:
    _, secret = invitation(db, clock)
    assert join(db, read_asked(cup), secret, name)[0].name == name
    assert [each.name for each in people.people(db)] == [name]


RACER = """
import sys
from pathlib import Path
from arena.handin.database import HandIns
from arena.handin.invitations import join
from arena.league.file import read_asked
from protocol.errors import Refusal
folder = Path(sys.argv[1])
with HandIns(folder) as db:
    for number in range(5):
        for name in ("same", f"{sys.argv[3]} {number}"):
            try:
                join(db, read_asked(folder), sys.argv[2], name)
            except Refusal:
                pass
"""


@pytest.mark.slow
def test_racers_take_no_place_and_no_name_twice(db: HandIns, cup: Path, clock: Clock) -> None:
    _, secret = invite(db, 7, datetime.now(UTC) + timedelta(hours=1))
    racers = [subprocess.Popen([sys.executable, "-c", RACER, cup, secret, name]) for name in "abcd"]
    assert [racer.wait() for racer in racers] == [0, 0, 0, 0]
    found = [each.name for each in people.people(db)]
    assert len(found) == 7
    assert found.count("same") == 1
