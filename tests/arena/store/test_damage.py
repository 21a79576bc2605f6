"""Damaged databases: every command says so in one line, and `verify` finds what is wrong."""

import gc
import random
import shutil
import sqlite3
import string
import zlib
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.cli import main
from arena.store.store import Store
from protocol.errors import ArenaError
from tests.arena.archive.test_verify import change, found
from tests.arena.inline import inline_runs

COMMANDS = {
    "rank": ("rank",),
    "by seat": ("rank", "--by", "seat"),
    "times": ("rank", "--times"),
    "versions": ("rank", "--versions"),
    "cost": ("rank", "--cost"),
    "table": ("table",),
    "matches": ("matches",),
    "of a bot": ("matches", "--bot", "one"),
    "show": ("show",),
    "json": ("show", "--format", "json"),
    "export": ("export",),
    "run": ("run",),
}
TABLES = {"rank", "by seat", "times", "versions", "cost", "table", "run"}
ALL = set(COMMANDS)

DAMAGES = {
    "UPDATE result SET places = '[1, 1, ' || id || ']'": ALL,
    "UPDATE result SET places = '[0, 1]' WHERE id = 1": TABLES | {"matches", "export"},
    "UPDATE result SET bots = '[' || id || ', 77]', places = '[1, 2]'": ALL,
    "UPDATE result SET bots = '[1, 2, 3]', places = '[1, 2, ' || id || ']'": TABLES,
    "UPDATE match SET result = (result + 1) % 4 + 1 WHERE rotation = 1": TABLES,
    "DELETE FROM result WHERE id = 1": TABLES | {"show", "json", "export"},
    "UPDATE match SET faults = '[{}]'": ALL,
    "UPDATE match SET forfeits = '[2]'": ALL,
    "UPDATE match SET clock = '[[1, 2, 3]]'": {"times", "export"},
    "UPDATE lineup SET bots = 'x' || id": TABLES - {"table"},
    "INSERT INTO lineup (bots) VALUES ('77 78')": TABLES - {"table"},
    "DELETE FROM lineup WHERE id = 1": {"export"},
    "DELETE FROM deal WHERE number = 1": {"export"},
    "DELETE FROM record": {"show", "json", "export"},
    "DELETE FROM match WHERE rotation = 1": set(),
    "UPDATE record SET replay = X'00'": {"show", "json", "export", "cost"},
    "UPDATE record SET evidence = X'00'": {"show", "json", "export", "cost"},
    "UPDATE record SET evidence = (SELECT evidence FROM record WHERE id = 1)": set(),
    "UPDATE bot SET command = 'rm -rf'": {"export"},
    "UPDATE bot SET name = char(10) WHERE id = 2": ALL,
    "DELETE FROM bot WHERE id = 2": ALL - {"of a bot"},
    "UPDATE setting SET value = 'x' WHERE key = 'seed'": ALL,
    "UPDATE setting SET value = '\"2\"' WHERE key = 'seats'": ALL,
    "UPDATE setting SET value = '{\"sandbox\": 7}' WHERE key = 'limits'": ALL,
    "DELETE FROM setting WHERE key = 'seed'": ALL,
    "INSERT INTO setting VALUES ('luck', '1')": ALL,
    "DROP TABLE result": ALL,
}
"""What is done to a database, and the commands that must refuse it; the others may.

Tables count, and do not look for, matches without a deal.
"""


@pytest.fixture(scope="module")
def victim(played: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the played league for tests that put in its database what they like."""
    return Path(shutil.copytree(played, tmp_path_factory.mktemp("damaged") / "league"))


@pytest.fixture(scope="module")
def call(played: Path, victim: Path) -> Callable[[str], Result]:
    """Call one of the commands on the victim; a traceback is the test's failure."""
    with Store(played / "league.db") as store:
        match = next(store.matches()).id

    def act(name: str) -> Result:
        word, *more = COMMANDS[name]
        which = [match] if word == "show" else []
        with inline_runs():
            return CliRunner().invoke(
                main, [word, str(victim), *which, *more], catch_exceptions=False
            )

    return act


def is_found(folder: Path) -> bool:
    try:
        return bool(found(folder))
    except ArenaError:
        return True


@pytest.mark.slow
@pytest.mark.parametrize("damage", DAMAGES)
def test_damage_is_told_by_every_command_that_meets_it_and_found_by_verify(
    played: Path, victim: Path, call: Callable[[str], Result], damage: str
) -> None:
    shutil.copy(played / "league.db", victim)
    change(victim, damage)
    refusing = set()
    for name in COMMANDS:
        result = call(name)
        if result.exit_code == 0:
            continue
        refusing.add(name)
        assert result.exit_code == 1, (name, result.stderr)
        assert result.stderr.splitlines()[-1].startswith(
            f"arena: {victim / 'league.db'} is damaged: "
        )
        assert result.stderr.endswith(
            f". `arena verify {victim}` names what is wrong; then put back a copy of it from "
            f"before.\n"
        )
    assert refusing >= DAMAGES[damage]
    assert is_found(victim)


NO_RESULT = {
    ("bot", "command"),
    *(("record", column) for column in ("seconds", "played_at", "machine", "sandbox")),
    *(("timing", column) for column in ("began", "report")),
}
"""Columns that say how and when matches were played, and can be known from nothing else."""


def tables(path: Path) -> dict[tuple[str, str], list[object]]:
    """Return all that is stored, by table and column; compressed texts as they were before."""
    content = {}
    with closing(sqlite3.connect(path)) as db:
        db.text_factory = lambda text: text.decode(errors="backslashreplace")
        names = db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall()
        for (table,) in names:
            rows = db.execute(f"SELECT * FROM {table}")
            columns = [column[0] for column in rows.description]
            if found := list(zip(*rows, strict=True)):  # or there are no rows
                for name, values in zip(columns, found, strict=True):
                    content[table, name] = list(map(read, values))
    return content


def read(value: object) -> object:
    if isinstance(value, bytes):
        with suppress(zlib.error):
            return zlib.decompress(value)
    return value


def flipped(value: Any, dice: random.Random) -> Any:
    """Return a value with one of its bytes, letters or digits another."""
    if isinstance(value, int):
        return value ^ 1 << dice.randrange(63)
    if not value:
        return "[1]" if value is None else None
    at = dice.randrange(len(value))
    if isinstance(value, bytes):
        return value[:at] + bytes([value[at] ^ dice.randrange(1, 256)]) + value[at + 1 :]
    letters = string.digits if value[at].isdigit() else string.ascii_letters + string.punctuation
    new = dice.choice([letter for letter in letters if letter != value[at]])
    return value[:at] + new + value[at + 1 :]


def is_told(result: Result) -> bool:
    """Return whether a command went well or said in one line what is wrong."""
    lines = [line for line in result.stderr.splitlines() if line.startswith("arena: ")]
    return result.exit_code == 0 or (result.exit_code in (1, 2) and len(lines) == 1)


def no_traceback(call: Callable[[str], Result], dice: random.Random) -> None:
    for name in dice.sample(sorted(ALL - {"run"}), 4):
        result = call(name)
        assert is_told(result), (name, result.output)


@pytest.mark.slow
@settings(max_examples=200)
@given(dice=st.randoms(use_true_random=False))
def test_a_cell_that_was_changed_is_found_and_gives_no_traceback(
    played: Path, victim: Path, call: Callable[[str], Result], dice: random.Random
) -> None:
    """A letter more or less is found, wherever it is; of anything, any command says so in words."""
    shutil.copy(played / "league.db", victim)
    path = victim / "league.db"
    before = tables(path)
    table, column = dice.choice(sorted(before))
    code = dict(zip(before["setting", "key"], before["setting", "value"], strict=True))["code"]
    gc.collect()  # see `change` in test_verify
    with closing(sqlite3.connect(path)) as db, suppress(sqlite3.IntegrityError), db:
        key = "deal, rotation" if table == "match" else "rowid"
        *row, value = dice.choice(db.execute(f"SELECT {key}, {column} FROM {table}").fetchall())
        is_flip = isinstance(value, float) or dice.random() < 0.8
        other = -value if isinstance(value, float) else flipped(value, dice)
        new = other if is_flip else dice.choice(["[]", "[[]]", "{}", "", 0, -1, 1 << 62])
        marks = "(?, ?)" if table == "match" else "?"
        db.execute(f"UPDATE {table} SET {column} = ? WHERE ({key}) = {marks}", (new, *row))
    is_known = (table, column) in NO_RESULT or (table == "setting" and value == code)
    if is_flip and not is_known:
        assert is_found(victim) or tables(path) == before, (table, column, value, new)
    if dice.random() < 0.2:
        no_traceback(call, dice)


@pytest.mark.slow
@settings(max_examples=120)
@given(dice=st.randoms(use_true_random=False))
def test_a_byte_of_the_file_that_was_changed_is_found_and_gives_no_traceback(
    played: Path, victim: Path, call: Callable[[str], Result], dice: random.Random
) -> None:
    data = bytearray((played / "league.db").read_bytes())
    page = 4096 * dice.randrange(len(data) // 4096)
    for _ in range(dice.choice((1, 1, 1, 9))):
        data[page + dice.randrange(4096)] ^= dice.randrange(1, 256)
    (victim / "league.db").write_bytes(data)
    if not is_found(victim):
        before, after = tables(played / "league.db"), tables(victim / "league.db")
        assert {name for name in before if before[name] != after[name]} <= NO_RESULT
    if dice.random() < 0.5:
        no_traceback(call, dice)
