"""The programs of a league as they are compared: those that were handed in, and all others."""

import sys
from array import array

from arena.handin.database import FILE, HANDED_IN, HandIns, Row
from arena.league.plan import LeaguePlan
from arena.organize.similar import Code, Program, Similar, code_of, files_below, given, similar

_FORMATS = {"files": "Q", "forms": "Q", "prints": "L" if array("L").itemsize == 4 else "I"}
_MISSING = (
    "SELECT number, folder FROM submission WHERE accepted AND folder != '' "
    "AND number NOT IN (SELECT submission FROM fingerprint)"
)


def note_code(db: HandIns) -> None:
    """Keep what is needed to compare whatever was accepted; its sources may go after that."""
    for row in db.rows(_MISSING):
        code = code_of(files_below(db.league / row["folder"]))
        packed = [_packed(kind, getattr(code, name)) for name, kind in _FORMATS.items()]
        with db.transaction():
            words = "INSERT OR IGNORE INTO fingerprint VALUES (?, ?, ?, ?, ?)"
            db.change(words, (row["number"], *packed, code.left))


def similar_in(league: LeaguePlan) -> Similar:
    """Return which programs of different authors are alike, in a league that was read.

    All versions count that were ever accepted. A league that is not served has one author for each
    bot.
    """
    programs = []
    if (league.folder / FILE).exists():
        with HandIns(league.folder) as db:
            note_code(db)
            rows = db.rows(
                "SELECT submission.number, person.name AS author, bot, folder, fingerprint.* "
                "FROM fingerprint JOIN submission ON submission.number = fingerprint.submission "
                "JOIN person ON person.number = submission.person"
            )
            programs = [_program(row) for row in rows]
    handed_in = league.folder.resolve() / HANDED_IN
    for bot in league.bots:
        if not bot.borrowed and not bot.folder.resolve().is_relative_to(handed_in):
            code = code_of(bot.folder / name for name in bot.files)
            programs.append(Program("", bot.name, 0, code))
    return similar(programs, given(league.rules))


def _program(row: Row) -> Program:
    files, forms, prints = (_unpacked(kind, row[name]) for name, kind in _FORMATS.items())
    code = Code(files, forms, prints, row["left_out"])
    return Program(row["author"], row["bot"], row["number"], code)


def _packed(kind: str, numbers: frozenset[int]) -> bytes:
    found = array(kind, sorted(numbers))
    if sys.byteorder != "little":
        found.byteswap()
    return found.tobytes()


def _unpacked(kind: str, data: bytes) -> frozenset[int]:
    found = array(kind)
    found.frombytes(data)
    if sys.byteorder != "little":
        found.byteswap()
    return frozenset(found)
