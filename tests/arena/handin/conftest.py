"""A league to which bots are handed in, and its people."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from arena.handin import calendar, invitations, people, receiving, sources, submissions
from arena.handin.database import FILE, HandIns
from arena.handin.people import Person
from arena.handin.receiving import Arrival
from arena.handin.submissions import Submission
from arena.league.plan import LeaguePlan

LEAGUE = """\
game = "guerra"
seed = 1
deals = 1

[options]
max_turns = 20

[hand_in]
check_seconds = 0.1

[[bot]]
name = "house"
shipped = "random"

[[bot]]
name = "old"
key = "older"
shipped = "rusher"
"""


@pytest.fixture
def cup(tmp_path: Path) -> Path:
    folder = tmp_path / "cup"
    folder.mkdir()
    (folder / "league.toml").write_text(LEAGUE)
    return folder


@pytest.fixture
def db(cup: Path) -> Iterator[HandIns]:
    with HandIns(cup, create=True) as opened:
        yield opened


def add(db: HandIns, name: str, role: people.Role = "author") -> str:
    """Add a person; return the token."""
    [token] = people.add_all(db, [people.Newcomer(name, role)])
    return token


def person(db: HandIns, name: str, role: people.Role = "author") -> Person:
    found = people.by_token(db, add(db, name, role))
    assert found is not None
    return found


def receive(
    db: HandIns,
    plan: LeaguePlan,
    author: Person,
    bot: str,
    data: bytes,
    filename: str,
    *,
    only_check: bool = False,
) -> Submission:
    """Store what an author hands in, as a server does."""
    with Arrival(db, lambda: plan, author, bot, filename, only_check=only_check) as arrival:
        arrival.write(data)
        return arrival.finish()


def say_in_hand_in(league: Path, line: str) -> None:
    """Write a line below [hand_in] of a league's file."""
    file = league / "league.toml"
    text = file.read_text()
    assert "[hand_in]\n" in text
    file.write_text(text.replace("[hand_in]\n", f"[hand_in]\n{line}\n"))


def drawn_seed(league: Path) -> str:
    """Return the seed of a final, which is kept in secret."""
    with closing(sqlite3.connect(league / FILE)) as db:
        [(seed,)] = db.execute("SELECT value FROM secret WHERE name = 'final'").fetchall()
        return bytes(seed).decode()


class Clock:
    def __init__(self) -> None:
        self.at = datetime(2026, 5, 1, 12, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.at

    def go(self, **time: float) -> None:
        self.at += timedelta(**time)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    for module in (calendar, invitations, people, receiving, sources, submissions):
        monkeypatch.setattr(module, "now", clock)
    return clock
