"""In which sandboxes matches were played, below every table where a reader should know."""

import csv
import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from arena.cli.watch import _picture
from arena.stats.ratings import fit
from arena.tables.circumstances import kinds_of, sandboxes_facet
from arena.text import PLAIN
from arena.watch import Watcher
from tests.arena.conftest import Arena

TABLES = (
    ("rank",),
    ("rank", "--by", "seat"),
    ("rank", "--pairs"),
    ("rank", "--versions"),
    ("table",),
    ("table", "--between", "one", "two"),
    ("table", "--cycles"),
)
MIXED = (
    "Sandboxes: landlock in 8 matches, landlock and uid (weaker than landlock) in 3 matches, none "
    "(no protection) in 1 match."
)


def played_in(league: Path, *names: str) -> None:
    """Say of the matches of a league, in turn, that they were played in these sandboxes."""
    with closing(sqlite3.connect(league / "league.db")) as db, db:
        for number, name in enumerate(names):
            db.execute(
                "UPDATE record SET sandbox = ? WHERE (id - 1) % ? = ?", (name, len(names), number)
            )


def mixed(league: Path) -> None:
    """Say so of twelve matches, in three ways."""
    uid = "landlock (ABI 4) and uid (mount namespace)"
    played_in(league, *[f"landlock (ABI {4 + n % 2})" for n in range(8)], *[uid] * 3, "none")


def printed(arena: Arena, words: tuple[str, ...], league: Path) -> str:
    result = arena(words[0], league, *words[1:])
    assert result.exit_code == 0, result.output
    return " ".join(result.stdout.split())


@pytest.mark.parametrize("words", TABLES, ids=" ".join)
def test_every_table_says_where_sandboxes_differ(
    arena: Arena, copy: Path, words: tuple[str, ...]
) -> None:
    mixed(copy)
    assert MIXED in printed(arena, words, copy)


def test_who_watches_is_told_where_sandboxes_differ(copy: Path) -> None:
    mixed(copy)
    watcher = Watcher(copy, lambda field: fit(field.deals, bots=field.bots))
    assert MIXED in _picture(watcher.look(), 200, 40, color=False)


@pytest.mark.parametrize("words", [*TABLES, ("matches",)], ids=" ".join)
def test_every_table_says_where_sandboxes_are_weak(
    arena: Arena, copy: Path, words: tuple[str, ...]
) -> None:
    played_in(copy, "uid (mount namespace)")
    assert "matches: uid (weaker than landlock)." in printed(arena, words, copy)


def test_versions_of_one_sandbox_are_no_difference(arena: Arena, copy: Path) -> None:
    for names in (
        ("landlock (ABI 4)", "landlock (ABI 7)"),
        ("bwrap 0.8.0", "bwrap 0.9.0 with nvidia"),
    ):
        played_in(copy, *names)
        for words in TABLES[::3]:
            said = printed(arena, words, copy)
            assert "Sandbox of" not in said
            assert "Sandboxes:" not in said


def test_programs_are_told_the_same_of_sandboxes(arena: Arena, copy: Path) -> None:
    mixed(copy)
    for command in ("rank", "table", "matches"):
        found = json.loads(arena(command, copy, "--format", "json").stdout)
        assert found["sandboxes"] == {"landlock": 8, "landlock and uid": 3, "none": 1}, command
    played_in(copy, "landlock (ABI 4)")
    for command in ("rank", "table", "matches"):
        assert "sandbox" not in arena(command, copy, "--format", "json").stdout, command


def test_only_the_matches_of_the_table_count(arena: Arena, copy: Path) -> None:
    played_in(copy, "landlock (ABI 4)")
    with closing(sqlite3.connect(copy / "league.db")) as db, db:
        (one,) = db.execute("SELECT id FROM bot WHERE name = 'one'").fetchone()
        db.execute(
            "UPDATE record SET sandbox = 'none' WHERE id IN (SELECT record FROM match JOIN result "
            "ON result.id = match.result, json_each(result.bots) AS seat WHERE seat.value = ?)",
            (one,),
        )
    assert "Sandboxes: landlock in 4 matches, none (no" in printed(arena, ("rank",), copy)
    file = copy / "league.toml"
    entry = '[[bot]]\nname = "one"\nshipped = "random"\n'
    assert entry in file.read_text()
    file.write_text(file.read_text().replace(entry, ""))
    assert "andbox" not in printed(arena, ("rank",), copy)
    assert "Sandboxes: landlock in 4" in printed(arena, ("rank", "--versions"), copy)


def test_matches_have_a_column_where_sandboxes_differ(arena: Arena, copy: Path) -> None:
    mixed(copy)
    listed = arena("matches", copy)
    assert "Sandbox" in listed.stdout
    assert MIXED in " ".join(listed.stdout.split())
    rows = list(csv.DictReader(arena("matches", copy, "--format", "csv").stdout.splitlines()))
    assert [row["sandbox"] for row in rows].count("none") == 1
    found = json.loads(arena("matches", copy, "--most", "1", "--format", "json").stdout)
    assert "sandbox" not in found["matches"][0]
    some = arena("matches", copy, "--columns", "match,sandbox").stdout.splitlines()
    assert some[0].split() == ["Match", "Sandbox"]
    assert "Sandbox" not in arena("matches", copy, "--columns", "match").stdout.splitlines()[0]


def test_a_name_that_no_sandbox_has_here_is_not_repeated() -> None:
    assert kinds_of("\x1b[2J and landlock (ABI 9)") == ("landlock", "other")
    assert kinds_of("") == ("other",)
    found = sandboxes_facet({("other",): 2}, PLAIN)
    assert found
    assert found.notes == ("Sandbox of all matches: other (not known here).",)
