"""Tokens and their owners, and the database they are in."""

import hashlib
import shutil
import sqlite3
import stat
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from arena.handin import people
from arena.handin.database import FILE, HandIns
from arena.handin.people import by_token, likeness, remove, renew
from arena.league.edit import add_bot
from arena.league.file import read_asked
from protocol.errors import ArenaError, RunError
from tests.arena.handin.conftest import add, person, receive


def test_a_token_is_for_its_owner_and_stored_as_a_hash(db: HandIns, cup: Path) -> None:
    token = add(db, "ada")
    other = add(db, "ben", "organizer")
    found = by_token(db, token)
    assert found is not None
    assert (found.name, found.role, found.version) == ("ada", "author", 1)
    assert by_token(db, other) != found
    assert len(token) == len("arena_") + 43  # 256 bits, six in each character
    for wrong in ("", token[:-1], token + "x", token.upper(), "\udcff", "x" * 10**6):
        assert by_token(db, wrong) is None
    stored = b"".join(file.read_bytes() for file in cup.glob(f"{FILE}*"))
    assert token.encode() not in stored
    assert hashlib.sha256(token.encode()).digest() in stored


def test_a_renewed_token_ends_the_old_one_and_who_was_removed_comes_back_as_the_same(
    db: HandIns,
) -> None:
    old = add(db, "ada")
    first, ada = by_token(db, old), by_token(db, renew(db, "ada"))
    assert by_token(db, old) is None
    assert first is not None
    assert ada is not None
    assert (ada.number, ada.version) == (first.number, first.version + 1)  # its sessions end
    remove(db, "ada")
    assert people.by_number(db, ada.number) is None
    assert people.people(db) == []
    with pytest.raises(ArenaError, match="there is nobody called 'ada'"):
        renew(db, "ada")
    back = person(db, "ada")
    assert (back.number, back.version) == (ada.number, ada.version + 2)


def test_what_looks_like_a_name_is_taken_for_it_and_other_names_are_others() -> None:
    for name in (
        *("Ada", "ａda", "ada\u034f", "a\ufe0fda", "ada\u3164", "ada\u2800", "\u0430da"),
        *("a\u200bda", "ad\u03b1", "ad\u0430\u00ad"),
    ):
        assert likeness(name) == likeness("ada"), ascii(name)
    for name in ("adá", "ada2", "ada b", "dada", "ада1", "\u65e5\u672c"):
        assert likeness(name) not in ("", likeness("ada")), name


def test_no_two_people_have_names_that_look_alike(db: HandIns) -> None:
    add(db, "ada")
    for name in ("ada", "Ada", "ＡＤＡ", "ad\u00aa"):
        with pytest.raises(ArenaError, match=r"is here already|looks like 'ada'"):
            add(db, name)
    for name in ("", " ada", "a\nb", "a\x1b[2J", "x" * 41, "a\u202eb"):
        with pytest.raises(ArenaError, match="a person's name is 1 to 40 printable characters"):
            add(db, name)
    add(db, "../../etc/passwd")  # which no path is ever made of
    assert len(people.people(db)) == 2


def test_a_name_is_free_for_ones_own_bot_and_taken_by_anothers(db: HandIns, cup: Path) -> None:
    plan = read_asked(cup)
    for name in ("House", "older", "ben"):
        add(db, name)
    add(db, "old", "reader")
    ada = person(db, "ada")
    names = ["ada", "ben", "House", "old", "older"]
    assert people.who_needs_a_name(db, plan, names) == ["House", "older"]
    receive(db, plan, ada, "", b"#!/bin/sh\n", "bot.sh")
    add_bot(cup, {"name": "ada", "shipped": "turtle"})  # as the intake would
    assert people.who_needs_a_name(db, read_asked(cup), names) == ["House", "older"]
    with db.transaction():
        db.change("UPDATE submission SET bot = 'Ben', likeness = 'ben'")
    assert people.who_needs_a_name(db, plan, names) == ["ben", "House", "older"]


def test_the_key_of_sessions_is_made_once_and_is_secret(db: HandIns, cup: Path) -> None:
    key = db.session_key()
    assert len(key) == 32
    with HandIns(cup) as again:
        assert again.session_key() == key
    for file in cup.glob(f"{FILE}*"):
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
    (cup / FILE).chmod(0o644)
    with HandIns(cup):
        assert stat.S_IMODE((cup / FILE).stat().st_mode) == 0o600


def test_a_database_that_cannot_be_read_is_refused_in_words(cup: Path) -> None:
    with pytest.raises(ArenaError, match=r"nobody may hand in to .*`arena author add .* NAME`"):
        HandIns(cup)
    with pytest.raises(ArenaError, match="no such folder"):
        HandIns(cup / "none", create=True)
    with HandIns(cup, create=True) as db:
        add(db, "ada")
    good = cup / "good"
    shutil.copy(cup / FILE, good)
    with closing(sqlite3.connect(cup / FILE)) as raw:
        raw.execute("PRAGMA user_version = 1")
    with pytest.raises(ArenaError, match=r"by another Bot Arena .* Use that one"):
        HandIns(cup)
    with closing(sqlite3.connect(cup / FILE)) as raw:
        raw.execute("PRAGMA application_id = 1")
    with pytest.raises(ArenaError, match="a database of some other program"):
        HandIns(cup)
    (cup / FILE).write_bytes(b"not a database at all" * 100)
    with pytest.raises(ArenaError, match="is damaged: file is not a database"):
        HandIns(cup)
    shutil.copy(good, cup / FILE)
    with HandIns(cup) as db:
        assert [each.name for each in people.people(db)] == ["ada"]


ADDER = """
import sys
from pathlib import Path
from arena.handin.database import HandIns
from arena.handin.people import Newcomer, add_all
for number in range(20):
    with HandIns(Path(sys.argv[1]), create=True) as db:
        add_all(db, [Newcomer(f"{sys.argv[2]} {number}")])
"""


@pytest.mark.slow
def test_several_processes_make_and_fill_it_at_once(cup: Path) -> None:
    adders = [
        subprocess.Popen([sys.executable, "-c", ADDER, cup, name]) for name in ("a", "b", "c", "d")
    ]
    assert [adder.wait() for adder in adders] == [0, 0, 0, 0]
    with HandIns(cup) as db:
        assert len(people.people(db)) == 80


def test_a_folder_in_place_of_the_database_is_told(cup: Path) -> None:
    (cup / FILE).mkdir()
    with pytest.raises(RunError, match="is a folder; move it away"):
        HandIns(cup, create=True)
