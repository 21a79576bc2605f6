"""A lone program is that file, and the kit that it uses: never what else lies beside it."""

import contextlib
import json
import os
import re
import shutil
import sqlite3
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from arena.cli import main
from arena.league.bot import make_bot
from arena.league.finding import find_bot
from arena.store.opening import read_league, read_played
from tests.arena.conftest import ROOT, Arena, League
from tests.referee.sandbox.sandboxed import need

SOURCE = """\
#!/usr/bin/env python3
import kit


def choose(ask):
    return ask.legal[0]


kit.run(choose)
"""
QUICK = ("--game", "khan", "--deals", "2", "--seed", "1")
KITS = ("kit.py", "kit.js", "kit.sh")


@pytest.fixture
def here(public: Path) -> Path:
    """A flat folder as courses have them: two bots and the kit."""
    shutil.copy(ROOT / "bots" / "kit.py", public)
    for name in ("mine.py", "yours.py"):
        program(public / name, SOURCE)
    return public


def program(path: Path, text: str) -> None:
    path.write_text(text)
    path.chmod(0o755)


def do(folder: Path, *words: str, code: int = 0) -> str:
    """Do a command in a folder; return what it printed on both outputs."""
    with contextlib.chdir(folder):
        done = CliRunner().invoke(main, words, env={"COLUMNS": "1000"}, catch_exceptions=False)
    assert done.exit_code == code, done
    return done.stdout + done.stderr


def words_of(text: str) -> str:
    """Return a text that may have been folded as one line."""
    return " ".join(text.split())


def standings(folder: Path, *words: str) -> dict[str, Any]:
    found = json.loads(do(folder, "rank", "cup", *words, "--format", "json"))["standings"]
    return {row["bot"]: (row["matches"], row["version"]) for row in found}


# --- nothing beside it matters


@pytest.mark.slow
def test_the_commands_of_the_readme_keep_the_authors_results(here: Path) -> None:
    need("landlock")
    do(here, "init", "cup", "./mine.py", "random", "quiet", *QUICK)
    do(here, "run", "cup")
    before = standings(here)
    assert {matches for matches, _ in before.values()} == {8}
    for words in (
        ("report", "cup", "-o", "cup.html"),
        ("export", "cup", "cup.jsonl"),
        ("play", "khan", "./mine.py", "random", "--save", "match.json"),
        ("new", "another", "--lang", "python", "--game", "khan"),
        ("check", "./mine.py", "--game", "khan", "--seconds", "0.2"),
    ):
        do(here, *words)
        assert standings(here) == before, words
    (here / "table.md").write_text(do(here, "rank", "cup", "--format", "github"))
    (here / "mine.py~").write_text("an editor's")
    (here / "notes").write_text("a note")
    assert standings(here) == before
    assert "Nothing is missing" in do(here, "run", "cup")
    assert standings(here) == before


def take_files_out(file: Path) -> None:
    """Leave of a league's entries what those of earlier releases said, or one by hand may."""
    lines = [line for line in file.read_text().splitlines() if not line.startswith("files")]
    file.write_text("\n".join(lines) + "\n")


@pytest.mark.quick(1)
@pytest.mark.parametrize("entry", ["a word", "an entry"])
def test_a_bot_more_in_a_flat_folder_makes_no_other_a_new_version(here: Path, entry: str) -> None:
    need("landlock")
    do(here, "init", "cup", "./mine.py", "./yours.py", *QUICK)
    if entry == "an entry":
        take_files_out(here / "cup" / "league.toml")
    do(here, "run", "cup")
    before = standings(here)
    program(here / "third.py", SOURCE + "# another\n")
    with (here / "cup" / "league.toml").open("a") as file:
        file.write('\n[[bot]]\nname = "third"\nfolder = ".."\ncommand = ["./third.py"]\n')
    do(here, "run", "cup")
    after = standings(here)
    assert {name: version for name, (_, version) in after.items() if name != "third"} == {
        name: version for name, (_, version) in before.items()
    }
    assert {matches for matches, _ in after.values()} == {8}


@pytest.mark.quick(1)
@pytest.mark.parametrize("command", ["./third.py", '{python}", "third.py'])
def test_a_program_that_is_gone_keeps_its_results(here: Path, command: str) -> None:
    """Where only its command names it, too: it is not there, and no other version."""
    need("landlock")
    do(here, "init", "cup", "./mine.py", *QUICK, "random")
    program(here / "third.py", SOURCE + "# another\n")
    with (here / "cup" / "league.toml").open("a") as file:
        file.write(f'\n[[bot]]\nname = "third"\nfolder = ".."\ncommand = ["{command}"]\n')
    do(here, "run", "cup")
    before = standings(here)
    (here / "third.py").unlink()
    assert standings(here) == before
    assert "there is no file" in words_of(do(here, "rank", "cup"))
    assert "there is no file" in words_of(do(here, "run", "cup", code=2))


def test_init_writes_files_out(here: Path) -> None:
    do(here, "init", "cup", "./mine.py", "random", *QUICK)
    assert (
        'command = ["./mine.py"]\nfiles = ["kit.py", "mine.py"]\n'
        in (here / "cup" / "league.toml").read_text()
    )
    (bot,) = (bot for bot in read_league(here / "cup").bots if bot.name == "mine")
    assert bot.version == find_bot(str(here / "mine.py"), "khan").version


def test_a_program_in_the_folder_of_another_bot_is_itself(here: Path) -> None:
    (here / "bot.toml").write_text('command = ["./yours.py"]\n')
    do(here, "init", "cup", "./mine.py", "whole=.", *QUICK)
    bots = {bot.name: bot for bot in read_league(here / "cup").bots}
    assert (bots["mine"].command, bots["mine"].files) == (("./mine.py",), ("kit.py", "mine.py"))
    assert bots["whole"].command == ("./yours.py",)
    assert bots["whole"].files == ("bot.toml", "kit.py", "mine.py", "yours.py")


@pytest.mark.quick(1)
@pytest.mark.parametrize("sandbox", ["landlock", "bwrap"])
@pytest.mark.parametrize("entry", ["a word", "an entry"])
def test_one_bot_cannot_read_anothers_source(here: Path, sandbox: str, entry: str) -> None:
    need(sandbox)
    spy = f"""\
#!/usr/bin/env python3
import os, kit
for folder in (".", {str(here)!r}):
    for name in ("yours.py", "cup/league.toml", "table.md"):
        try:
            with open(os.path.join(folder, name)) as file:
                raise SystemExit(name + " was read")
        except OSError:
            pass
if sorted(os.listdir(".")) != ["kit.py", "spy.py"]:
    raise SystemExit(str(os.listdir(".")))
kit.run(lambda ask: ask.legal[0])
"""
    program(here / "spy.py", spy)
    (here / "table.md").write_text("a table")
    do(here, "init", "cup", "./spy.py", "./yours.py", *QUICK, "--sandbox", sandbox)
    if entry == "an entry":
        take_files_out(here / "cup" / "league.toml")
    said = do(here, "run", "cup")
    assert "suspended" not in said
    assert {matches for matches, _ in standings(here).values()} == {4}
    do(here, "play", "khan", "./spy.py", "random", "--sandbox", sandbox)


# --- which kit is its own


@pytest.mark.parametrize(
    ("name", "text", "kit"),
    [
        ("mine.py", "import kit\n", "kit.py"),
        ("mine.py", "from kit import run\n", "kit.py"),
        ("mine.py", "import kitchen\n", None),
        ("mine.py", "import json\n", None),
        ("mine", "#!/usr/bin/env python3\nimport kit\n", "kit.py"),
        ("mine.js", 'const kit = require("./kit.js");\n', "kit.js"),
        ("mine.mjs", 'import * as kit from "./kit.js";\n', "kit.js"),
        ("mine", '#!/usr/bin/env node\nrequire("./kit")\n', "kit.js"),
        ("mine.sh", ". ./kit.sh\n", "kit.sh"),
        ("mine", "#!/bin/bash\n. ./kit.sh\n", "kit.sh"),
        ("mine", "#!/bin/dash\necho\n", None),
        ("mine", "\x7fELF kit \n", None),
        ("mine.txt", "a kit\n", None),
    ],
)
def test_the_kit_of_its_language_is_its_own_if_it_is_named(
    tmp_path: Path, name: str, text: str, kit: str | None
) -> None:
    for each in KITS:
        (tmp_path / each).touch()
    program(tmp_path / name, text)
    files = make_bot("mine", tmp_path, [f"./{name}"]).files
    assert set(files) == {name, *([kit] if kit else [])}


def test_a_kit_is_that_beside_the_program(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    for path in ("kit.py", "src/kit.py"):
        (tmp_path / path).touch()
    program(tmp_path / "src" / "mine.py", "import kit\n")
    assert make_bot("mine", tmp_path, ["./src/mine.py"]).files == ("src/kit.py", "src/mine.py")


@pytest.mark.parametrize(
    ("command", "files"),
    [
        (["./mine"], ["mine"]),
        (["./mine", "book", "--depth", "3"], ["book", "mine"]),
        (["{python}", "bot.py"], ["bot.py", "kit.py"]),
        (["python3", "./bot.py"], ["bot.py", "kit.py"]),
        (["java", "-cp", "classes", "Bot"], ["classes/Bot.class", "classes/Kit.class"]),
        (["java", "-cp", ".", "Bot"], []),
        (["mine"], []),  # which is on the PATH
        (["/usr/bin/env", "../other", "/etc/passwd", "x" * 5000], []),
        (["true", "gone"], []),
    ],
)
def test_a_command_without_files_has_those_that_it_names(
    tmp_path: Path, command: Sequence[str], files: Sequence[str]
) -> None:
    (tmp_path / "classes").mkdir()
    for name in ("mine", "book", "kit.py", "notes", "classes/Bot.class", "classes/Kit.class"):
        (tmp_path / name).touch()
    (tmp_path / "bot.py").write_text("import kit\n")
    assert list(make_bot("mine", tmp_path, command).files) == files


def test_a_path_into_its_folder_is_one_of_its_files(tmp_path: Path) -> None:
    program(tmp_path / "mine", "#!/bin/sh\n")
    assert make_bot("mine", tmp_path, [str(tmp_path / "mine")]).files == ("mine",)


# --- a helper that is missing


HELPERS = [
    ("mine.py", "#!/usr/bin/env python3\nimport helper\n", "helper.py"),
    ("mine.py", "#!/usr/bin/env python3\nimport helper.deep\n", "helper"),
    ("mine.py", "#!/usr/bin/env python3\nopen('book.txt')\n", "book.txt"),
    (
        "mine.py",
        "#!/usr/bin/env python3\nimport os\nopen(os.path.abspath('book.txt'))\n",
        "book.txt",
    ),
    ("mine.sh", "#!/bin/sh\n. ./helper.sh\n", "helper.sh"),
]


@pytest.mark.quick(1)
@pytest.mark.parametrize("case", [HELPERS[0], *HELPERS[1:]])
def test_a_missing_helper_is_named_with_the_lines_to_add(
    here: Path, case: tuple[str, str, str]
) -> None:
    name, text, helper = case
    need("landlock")
    program(here / name, text)
    (here / helper).mkdir() if helper == "helper" else (here / helper).touch()
    line = f'files = ["{name}", "{helper}"]'
    lone = (
        f"{helper} lies in the folder, but not among the bot's files, so that it may not read it. "
        f"Put all of it into a folder with a bot.toml, name that folder, and write there: "
        f'command = ["./{name}"] and {line}'
    )
    assert lone in do(here, "play", "khan", f"./{name}", "random", code=2)
    assert lone in do(here, "compare", f"./{name}", "random", "--game", "khan", code=2)
    told = json.loads(do(here, "doctor", f"./{name}", "--format", "json"))
    assert lone in " ".join(row["remark"] for row in told["doctor"])
    checked = do(here, "check", f"./{name}", "--game", "khan", code=1)
    assert f'command = ["./{name}"]\n' in checked
    assert f"{line}\n" in checked
    do(here, "init", "cup", f"./{name}", "random", *QUICK)
    said = do(here, "run", "cup")
    mending = f"In league.toml, below its name, write: {line}"
    assert mending in said
    assert mending in words_of(said[said.index("  Rank  Bot ") :])


@pytest.mark.slow
def test_a_helper_that_is_missing_in_a_match_is_named_as_well(here: Path) -> None:
    need("landlock")
    program(here / "mine.py", SOURCE.replace("return ", "open('book.txt')\n    return "))
    (here / "book.txt").touch()
    do(here, "init", "cup", "./mine.py", "random", "--game", "khan", "--deals", "6")
    said = do(here, "run", "cup")
    mending = 'below its name, write: files = ["kit.py", "mine.py", "book.txt"]'
    (line,) = [line for line in said.splitlines() if "has forfeited 10 matches in a row" in line]
    assert mending in line
    match = line.partition("arena show cup ")[2].partition("`")[0]
    assert mending in do(here, "show", "cup", match)
    by_seat = [do(here, "show", "cup", match, "--seat", seat) for seat in "01"]
    assert sorted(mending in told for told in by_seat) == [False, True]


@pytest.mark.slow
def test_the_line_that_is_told_mends_it(here: Path) -> None:
    need("landlock")
    program(here / "mine.py", SOURCE.replace("import kit", "import helper, kit"))
    (here / "helper.py").touch()
    do(here, "init", "cup", "./mine.py", "random", *QUICK)
    said = do(here, "run", "cup")
    line = re.search("^mine is suspended .* write: (.*)$", said, re.MULTILINE)[1]
    assert line == 'files = ["kit.py", "mine.py", "helper.py"]'
    file = here / "cup" / "league.toml"
    file.write_text(file.read_text().replace('files = ["kit.py", "mine.py"]', line))
    assert "suspended" not in do(here, "run", "cup")
    assert {matches for matches, _ in standings(here).values()} == {4}


def test_a_helper_that_lies_nowhere_is_not_named(here: Path) -> None:
    need("landlock")
    program(here / "mine.py", "#!/usr/bin/env python3\nimport gone\n")
    assert "lies in the folder" not in do(here, "play", "khan", "./mine.py", "random", code=2)


# --- leagues of earlier releases


OLD = 'game = "khan"\nseed = 1\ndeals = 2\n\n[limits]\nsandbox = "none"\n'
MINE = '\n[[bot]]\nname = "mine"\nfolder = ".."\ncommand = ["./mine.py"]\n'
RANDOM = '\n[[bot]]\nname = "random"\nshipped = "random"\n'


@pytest.fixture
def old(here: Path) -> Path:
    """A league beside its bots as an earlier release played it: all of the folder counted."""
    for path in here.iterdir():
        os.utime(path, (time.time() - 10, time.time() - 10))  # matches are dated in seconds
    cup = here / "cup"
    cup.mkdir()
    names = json.dumps(sorted(path.name for path in here.iterdir() if path.is_file()))
    (cup / "league.toml").write_text(f"{OLD}{MINE}files = {names}\n{RANDOM}")
    do(here, "run", "cup")
    (cup / "league.toml").write_text(OLD + MINE + RANDOM)
    with contextlib.closing(sqlite3.connect(cup / "league.db")) as db:
        db.execute("DROP TABLE look")
        db.execute("PRAGMA user_version = 3")
    return here


def made_later(*paths: Path) -> None:
    """Have files, as far as they are there, be younger than the matches."""
    for path in paths:
        if path.exists():
            os.utime(path, (time.time() + 10, time.time() + 10))


@pytest.mark.quick(1)
@pytest.mark.parametrize("first", ["rank", "run", "table", "report", "export"])
def test_results_of_an_earlier_release_carry_over(old: Path, first: str) -> None:
    words = {"report": ("-o", "cup.html"), "export": ("all.jsonl",)}.get(first, ())
    do(old, first, "cup", *words)
    made_later(old / "all.jsonl")
    before = standings(old)
    assert before["mine"][0] == 4
    (old / "more.md").write_text("a table")
    program(old / "third.py", SOURCE)
    assert standings(old) == before
    assert "Nothing is missing" in do(old, "run", "cup")
    assert "none differs" in do(old, "verify", "cup")
    assert standings(old, "--versions") == before
    more = OLD.replace("deals = 2", "deals = 3")
    files = 'files = ["kit.py", "mine.py"]\n'  # written out, as `arena init` does
    (old / "cup" / "league.toml").write_text(f"{more}{MINE}{files}{RANDOM}")
    do(old, "run", "cup")
    assert standings(old)["mine"] == (6, before["mine"][1])
    assert "none differs" in do(old, "verify", "cup")


@pytest.mark.slow
def test_an_edit_is_a_new_version_in_such_a_league_too(old: Path) -> None:
    before = standings(old)
    program(old / "mine.py", SOURCE + "# better\n")
    assert standings(old)["mine"][0] == 0
    assert standings(old)["mine"][1] != before["mine"][1]
    program(old / "mine.py", SOURCE)
    assert standings(old) == before


@pytest.mark.slow
def test_what_came_to_lie_there_since_does_not_keep_them_from_it(old: Path) -> None:
    """As the table or the page of an earlier release, which then showed no results."""
    (old / "table.md").write_text(do(old, "export", "cup"))
    (old / "cup.html").write_text("a page")
    made_later(old / "table.md", old / "cup.html")
    assert standings(old)["mine"][0] == 4
    assert "Nothing is missing" in do(old, "run", "cup")


@pytest.mark.slow
def test_results_that_cannot_carry_over_are_told_why(old: Path) -> None:
    (old / "yours.py").write_text("edited")
    said = words_of(do(old, "rank", "cup"))
    assert "mine has changed since it played" in said
    assert "It may be the same program: then, all files of its folder counted" in said
    assert sorted(matches for matches, _ in standings(old, "--versions").values()) == [0, 4, 4]
    do(old, "run", "cup")
    assert standings(old)["mine"][0] == 4
    program(old / "mine.py", SOURCE + "# better\n")
    assert "all files of its folder counted" not in do(old, "rank", "cup")


@pytest.mark.slow
def test_a_helper_may_be_named_in_such_a_league_without_losing_results(old: Path) -> None:
    standings(old)
    before = standings(old)
    entry = f'{MINE}files = ["kit.py", "mine.py", "yours.py"]\n'
    (old / "cup" / "league.toml").write_text(OLD + entry + RANDOM)
    assert standings(old) == before


@pytest.mark.slow
def test_who_may_not_write_reads_them_nonetheless(old: Path) -> None:
    do(old, "export", "cup", "all.jsonl")  # which brings the database up to date
    made_later(old / "all.jsonl")
    with contextlib.closing(sqlite3.connect(old / "cup" / "league.db")) as db:
        db.execute("CREATE TRIGGER closed BEFORE INSERT ON look BEGIN SELECT 1 FROM nowhere; END")
        db.commit()
        (found,) = (bot for bot in read_played(old / "cup").bots if bot.name == "mine")
        assert found.plays_as
        assert db.execute("SELECT count(*) FROM look WHERE name = 'mine'").fetchone() == (0,)


def test_files_that_league_toml_names_are_no_old_rule(arena: Arena, league: League) -> None:
    """A file that was taken off the list makes another version, whatever was stored."""
    entry = league.bot("mine", "import kit\nkit.run(lambda ask: ask.legal[0])\n")
    text = 'game = "guerra"\nseed = 1\ndeals = 1\n\n[limits]\nsandbox = "none"\n' + RANDOM
    league.write(text + entry)
    assert arena("run", league.folder, "--workers", "1").exit_code == 0
    league.write(text + entry.replace('"."', '"bot.py", "kit.py"'))
    told = json.loads(arena("rank", league.folder, "--format", "json").stdout)
    assert {row["matches"] for row in told["standings"]} == {0}
