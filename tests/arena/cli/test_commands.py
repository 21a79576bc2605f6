"""The command line: help, formats, and one line with a remedy for every mistake."""

import csv
import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from arena.cli import _COMMANDS, _MOVED, GROUPS, main
from arena.league.finding import BUNDLED, KIT
from arena.tables.leaderboard import flat
from arena.tables.table import FORMATS
from referee.games import GAMES
from tests.arena.conftest import ARENA, ROOT, Arena
from tests.golden import Golden

# --- help


@pytest.mark.parametrize("name", ["", *main.commands])
def test_help_fits_a_terminal_and_holds_an_example(arena: Arena, name: str) -> None:
    result = arena(*name.split(), "--help")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert any(line.strip().startswith(f"arena {name}") for line in lines if "Usage" not in line)
    assert all(len(line) <= 80 for line in lines)
    if name:
        command, said = main.commands[name], _COMMANDS[name]
        assert (command.name, command.get_short_help_str(limit=1000)) == (name, said)


def test_help_begins_with_the_eight_of_the_beaten_path_and_lists_at_most_32(arena: Arena) -> None:
    told = arena("--help").stdout
    listed = re.findall(r"^  (\w[\w-]*)   *\S", told.partition("Options:")[2], re.MULTILINE)
    assert listed == [*main.commands]
    assert listed[:8] == ["demo", "new", "check", "play", "init", "add", "run", "rank"]
    assert listed[:8] == [*GROUPS["Start here"]]
    assert len(listed) <= 32


@pytest.mark.parametrize("word", _MOVED)
@pytest.mark.parametrize("more", [["cup"], ["--help"]])
def test_a_word_that_was_a_command_names_the_new_one(
    arena: Arena, word: str, more: list[str]
) -> None:
    result = arena(word, *more)
    new, *options = re.findall(r"(?<= )(?:-*[a-z][a-z-]*)", f" {_MOVED[word]}")
    said = re.sub(r"LEAGUE|\[GAME\]", "cup", _MOVED[word]) if more == ["cup"] else _MOVED[word]
    assert result.exit_code == 2
    assert f"There is no command {word!r}: say `arena {said}`." in result.stderr
    known = {name for each in main.commands[new].params for name in each.opts}
    assert known.issuperset(option for option in options if option.startswith("--"))
    assert word not in main.commands


@pytest.mark.parametrize(
    ("words", "spared"),
    [
        (["--help"], ("arena.cli.", "arena.tables.table", "referee.games.")),
        (["rank"], ("arena.cli.play", "arena.play.runner", "arena.tables.circles")),
        (
            ["rank"],
            ("arena.schedule.swiss", "arena.schedule.elimination", "arena.schedule.settled"),
        ),
        (["rank"], ("referee.games.duel", "referee.openspiel")),
    ],
)
def test_a_command_imports_only_what_it_needs(
    words: list[str], spared: tuple[str, ...], played: Path
) -> None:
    code = "import sys; from arena.cli import main; main(sys.argv[1:], standalone_mode=False); "
    python = [sys.executable, "-c", f"{code} print(*sys.modules, sep='\\n')"]
    league = [str(played)] if words == ["rank"] else []
    told = subprocess.run([*python, *words, *league], capture_output=True, text=True, check=True)
    assert "arena.cli" in told.stdout
    imported = {*told.stdout.splitlines()} - {"arena.cli.left_out"}  # what every command is
    assert not [name for name in imported if name.startswith(spared)]


# --- formats


TABLES = [
    *(("games",), ("bots", "khan"), ("matches", "LEAGUE")),
    *(("rank", "LEAGUE"), ("rank", "LEAGUE", "--by", "seat"), ("rank", "LEAGUE", "--faults")),
    *(("table", "LEAGUE"), ("table", "LEAGUE", "--between", "one", "two")),
]


@pytest.mark.parametrize("words", TABLES, ids=lambda words: "-".join(words[:3]))
def test_a_table_is_the_same_everywhere_and_in_every_format(
    arena: Arena, played: Path, words: tuple[str, ...]
) -> None:
    named = [str(played) if word == "LEAGUE" else word for word in words]

    def table(*more: str, **settings: Any) -> str:
        result = arena(*named, *more, **settings)
        assert (result.exit_code, result.stderr) == (0, ""), result.output
        return result.stdout

    forms = FORMATS if words == TABLES[0] else ("simple", "csv", "json")
    texts = {form: table("--format", form) for form in forms}
    for text in texts.values():
        assert text.strip()
        assert (text[-1] == "\n") > text.endswith("\n\n")
        assert "\x1b" not in text
    *_, rows = json.loads(texts["json"]).values()
    header, *lines = csv.reader(io.StringIO(texts["csv"]))
    assert rows
    if words[0] == "rank" and "seat" not in words:
        rows = [flat(row) for row in rows]
        assert {"rank_from", "rank_to", "faults_late"} <= set(header)
    assert header == list(rows[0])
    for line, row in zip(lines, rows, strict=True):
        for cell, value in zip(line, row.values(), strict=True):
            assert cell == str(value if value is not None else "") or json.loads(cell) == value
    text = texts["simple"]
    assert all(len(line) <= 80 for line in text.splitlines() if ROOT.name not in line), text
    for env in ({"COLUMNS": "40", "FORCE_COLOR": "1"}, {"COLUMNS": "200", "NO_COLOR": "1"}):
        assert table(env=env) == text


def test_a_table_without_rows_comes_in_every_format(arena: Arena, played: Path) -> None:
    found = {}
    for form in FORMATS:
        result = arena("matches", played, "--bot", "one", "--faulty", "--format", form)
        assert (result.exit_code, result.stderr) == (0, "")
        found[form] = result.stdout
    with_rows = arena("matches", played, "--format", "csv").stdout
    assert found["csv"].splitlines() == with_rows.splitlines()[:1]


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
        schema = json.loads(arena("games", *words, "--schema").stdout)
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


def test_the_program_of_a_bundled_bot_and_the_kit_of_new_ones_are_printed(arena: Arena) -> None:
    text = (BUNDLED / "khan" / "khan_sensible.py").read_text()
    for name in ("sensible", "khan_sensible"):
        assert arena("bots", "khan", "--show", name).stdout == text
    assert arena("bots", "--kit").stdout == KIT.read_text()
    assert arena("--version").stdout.startswith("arena, version ")


def test_a_program_that_cannot_be_printed_is_named(arena: Arena, golden: Golden) -> None:
    for words in ("khan --show sensibel", "khan --show ../kit", "--show sensible", "kahn --show x"):
        result = arena("bots", *words.split())
        assert (result.exit_code, result.stdout) == (2, "")
        golden(result.stderr)
