"""The command line: help, formats, and one line with a remedy for every mistake."""

import csv
import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from arena.cli import _COMMANDS, main
from arena.league.finding import AUTHORS_KIT, BUNDLED
from arena.tables.table import FORMATS
from referee.games import GAMES
from tests.arena.conftest import ARENA, ROOT, Arena

# --- help


@pytest.mark.parametrize("name", ["", *main.commands])
def test_help_fits_a_terminal_and_holds_an_example(arena: Arena, name: str) -> None:
    result = arena(*name.split(), "--help")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert any(line.strip().startswith(f"arena {name}") for line in lines if "Usage" not in line)
    assert all(len(line) <= 80 for line in lines)
    if name:
        command, (_, said) = main.commands[name], _COMMANDS[name]
        assert (command.name, command.get_short_help_str(limit=1000)) == (name, said)


@pytest.mark.parametrize(
    ("words", "spared"),
    [
        (["--help"], ("arena.cli.", "arena.tables.table", "referee.games.")),
        (
            ["rank", "LEAGUE"],
            (
                *("arena.cli.play", "arena.play.runner", "arena.tables.circles"),
                *("arena.schedule.swiss", "arena.schedule.knockout", "arena.schedule.settled"),
                *("referee.games.duel", "referee.openspiel"),
            ),
        ),
    ],
    ids=["help", "rank"],
)
def test_a_command_imports_only_what_it_needs(
    words: list[str], spared: tuple[str, ...], played: Path
) -> None:
    words = [str(played) if word == "LEAGUE" else word for word in words]
    code = "import sys; from arena.cli import main; main(sys.argv[1:], standalone_mode=False); "
    told = subprocess.run(
        [sys.executable, "-c", f"{code} print(*sys.modules, sep='\\n')", *words],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    assert "arena.cli" in told
    assert not [name for name in told if name.startswith(spared)]


def test_reference_cycles_are_looked_for_once_a_command_has_begun() -> None:
    code = (
        "import gc, sys; from arena.__main__ import run; from arena.cli import main; "
        "main.command('probe')(lambda: print(gc.isenabled(), gc.get_freeze_count() > 10_000)); "
        "sys.argv = ['arena', 'probe']; run()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "True True\n"


# --- formats


TABLES = [
    *(("games",), ("bots", "khan"), ("matches", "LEAGUE")),
    *(("rank", "LEAGUE"), ("rank", "LEAGUE", "--by", "seat"), ("rank", "LEAGUE", "--faults")),
    *(("table", "LEAGUE"), ("table", "LEAGUE", "--between", "one", "two")),
]
tables = pytest.mark.parametrize("words", TABLES, ids=lambda words: "-".join(words[:3]))


@pytest.fixture
def table(arena: Arena, played: Path) -> Callable[..., str]:
    """Return what a command prints, for the word LEAGUE the played one put in."""

    def call(words: tuple[str, ...], *more: str, **settings: Any) -> str:
        named = [str(played) if word == "LEAGUE" else word for word in words]
        result = arena(*named, *more, **settings)
        assert result.exit_code == 0, result.output
        assert result.stderr == ""
        return result.stdout

    return call


@tables
def test_every_table_comes_in_every_format(
    table: Callable[..., str], words: tuple[str, ...]
) -> None:
    for form in FORMATS if words == TABLES[0] else ("simple", "csv", "json"):
        text = table(words, "--format", form)
        assert text.strip()
        assert text.endswith("\n")
        assert not text.endswith("\n\n")
        assert "\x1b" not in text


@tables
def test_csv_and_json_hold_the_same_rows(table: Callable[..., str], words: tuple[str, ...]) -> None:
    whole = json.loads(table(words, "--format", "json"))
    *_, rows = whole.values()
    header, *lines = csv.reader(io.StringIO(table(words, "--format", "csv")))
    assert rows
    assert header == list(rows[0])
    assert len(lines) == len(rows)
    for line, row in zip(lines, rows, strict=True):
        for cell, value in zip(line, row.values(), strict=True):
            assert cell == str(value if value is not None else "") or json.loads(cell) == value


def test_a_table_without_rows_comes_in_every_format(arena: Arena, copy: Path) -> None:
    with (copy / "league.toml").open("a") as file:
        file.write('\n[[bot]]\nname = "late"\nshipped = "random"\n')
    for form in FORMATS:
        result = arena("matches", copy, "--bot", "late", "--format", form)
        assert (result.exit_code, result.stderr) == (0, "")
    without = arena("matches", copy, "--bot", "late", "--format", "csv").stdout
    with_rows = arena("matches", copy, "--format", "csv").stdout
    assert without.splitlines() == with_rows.splitlines()[:1]


def test_output_that_nothing_takes_is_told(played: Path) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [*ARENA, "rank", played], stdout=full, stderr=subprocess.PIPE, text=True, cwd=ROOT
        )
    assert done.returncode == 1
    assert done.stderr == "arena: standard output cannot be written: No space left on device.\n"


@tables
def test_tables_fit_80_columns_and_are_the_same_everywhere(
    table: Callable[..., str], words: tuple[str, ...]
) -> None:
    text = table(words)
    assert all(len(line) <= 80 for line in text.splitlines() if ROOT.name not in line), text
    for env in ({"COLUMNS": "40"}, {"COLUMNS": "200", "NO_COLOR": "1"}, {"FORCE_COLOR": "1"}):
        assert table(words, env=env) == text


def test_games_tell_their_options_decisions_and_rules(arena: Arena) -> None:
    for game, kind in GAMES.items():
        told = json.loads(arena("games", game, "--format", "json").stdout)
        options = [row["option"] for row in told["options"]]
        assert options == list(kind.options_type.__struct_fields__)
        assert [row["decision"] for row in told["decisions"]] == list(kind.decisions)
        rules = ROOT / "referee" / "games" / game / "rules.md"
        assert arena("games", game, "--rules").stdout == rules.read_text(encoding="utf-8")
    rows = list(csv.DictReader(io.StringIO(arena("games", "duel", "--format", "csv").stdout)))
    assert {row["part"] for row in rows} == {"option", "decision"}
    assert (rows[0]["name"], rows[0]["default"]) == ("deck", "40")
    library = arena("games", "openspiel:chess").stdout  # it says whose rules it has
    assert "\n\nIt has no options.\n\n" in library
    assert "its rules are those of open_spiel 2" in library


def test_schemas_are_json_schemas(arena: Arena) -> None:
    for words in [(), *((game,) for game in GAMES)]:
        schema = json.loads(arena("schema", *words).stdout)
        Draft202012Validator.check_schema(schema)
        assert schema["$defs"] or (words and not GAMES[words[0]].decisions)


# --- terminals and pipes


@pytest.mark.parametrize("module", ["signal", "click"])
def test_ctrl_c_while_a_module_is_read_is_told_in_a_word(tmp_path: Path, module: str) -> None:
    (tmp_path / f"{module}.py").write_text("raise KeyboardInterrupt")
    done = subprocess.run(
        [*ARENA, "run", "cup"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (1, "arena: interrupted.\n")


def test_a_reader_that_leaves_early_is_no_trouble() -> None:
    command = [*ARENA, "schema"]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout
    process.stdout.close()
    _, errors = process.communicate(timeout=30)
    assert errors == b""


def test_a_terminal_without_unicode_is_no_trouble(played: Path, arena: Arena) -> None:
    faulty = json.loads(arena("matches", played, "--faulty", "--format", "json").stdout)
    match = faulty["matches"][0]["match"]
    told = subprocess.run(
        [*ARENA, "show", str(played), match],
        cwd=ROOT,
        env={"PYTHONIOENCODING": "ascii", "PATH": ""},
        capture_output=True,
        check=False,
    )
    assert told.stderr == b""
    assert told.returncode == 0
    assert b"Last lines before the first fault of illegal" in told.stdout


def test_the_program_of_a_bundled_bot_and_the_kit_of_new_ones_are_printed(arena: Arena) -> None:
    text = (BUNDLED / "khan" / "khan_sensible.py").read_text()
    for name in ("sensible", "khan_sensible"):
        assert arena("bots", "khan", "--show", name).stdout == text
    assert arena("bots", "--kit").stdout == AUTHORS_KIT.read_text()
    assert arena("--version").stdout.startswith("arena, version ")


def test_a_program_that_cannot_be_printed_is_named(arena: Arena) -> None:
    for words, said in (
        (("khan", "--show", "sensibel"), "khan has no bot 'sensibel'. Did you mean 'sensi"),
        (("khan", "--show", "../kit"), "khan has no bot '../kit'. Known: quiet, random, "),
        (("--show", "sensible"), "say of which game: arena bots GAME --show sensible."),
        (("kahn", "--show", "sensible"), "there is no game 'kahn'. Did you mean 'khan'?"),
    ):
        result = arena("bots", *words)
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr.startswith(f"arena: {said}")
