"""A lone program is that file, and the kit that it uses: never what else lies beside it."""

import contextlib
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from arena.cli import main
from arena.league.bot import make_bot
from arena.league.finding import KIT, find_bot
from arena.store.opening import read_league
from tests.golden import Golden
from tests.referee.sandbox.sandboxed import need

SOURCE = """\
#!/usr/bin/env python3
import kit
def choose(ask):
    return ask.legal[0]
kit.run(choose)
"""
pytestmark = pytest.mark.usefixtures("inline")

QUICK = ("--game", "khan", "--deals", "1", "--seed", "1")


def fill_flat(folder: Path) -> None:
    """Make a flat folder as courses have them: two bots and the kit."""
    shutil.copy(KIT, folder)
    for name in ("mine.py", "yours.py"):
        program(folder / name, SOURCE)


@pytest.fixture
def here(public: Path) -> Path:
    fill_flat(public)
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


def folded(folder: Path, *words: str, code: int = 0) -> str:
    return " ".join(do(folder, *words, code=code).split())


def standings(folder: Path, *words: str) -> dict[str, Any]:
    found = json.loads(do(folder, "rank", "cup", *words, "--format", "json"))["standings"]
    return {row["bot"]: (row["matches"], row["version"]) for row in found}


# --- nothing beside it matters


def take_files_out(file: Path) -> None:
    """Leave of a league's entries what those of earlier releases said, or one by hand may."""
    lines = [line for line in file.read_text().splitlines() if not line.startswith("files")]
    file.write_text("\n".join(lines) + "\n")


def enter_third(folder: Path, command: str = "./third.py") -> None:
    """Put a third program there, and enter it by its command alone."""
    program(folder / "third.py", SOURCE + "# another\n")
    with (folder / "cup" / "league.toml").open("a") as file:
        file.write(f'\n[[bot]]\nname = "third"\nfolder = ".."\ncommand = ["{command}"]\n')


@pytest.mark.parametrize("entry", ["a word", "an entry"])
def test_a_bot_more_in_a_flat_folder_makes_no_other_a_new_version(here: Path, entry: str) -> None:
    do(here, "init", "cup", "./mine.py", "./yours.py", *QUICK)
    if entry == "an entry":
        take_files_out(here / "cup" / "league.toml")
    before = {bot.name: bot.version for bot in read_league(here / "cup").bots}
    enter_third(here)
    after = {bot.name: bot.version for bot in read_league(here / "cup").bots}
    assert before.items() < after.items()


@pytest.mark.parametrize("command", ["./third.py", '{python}", "third.py'])
def test_a_program_that_is_gone_keeps_its_results(here: Path, command: str) -> None:
    """Where only its command names it, too: it is not there, and no other version."""
    do(here, "init", "cup", "./mine.py", *QUICK, "random")
    enter_third(here, command)
    do(here, "run", "cup")
    before = standings(here)
    (here / "third.py").unlink()
    assert standings(here) == before
    assert "there is no file" in folded(here, "rank", "cup")
    assert "there is no file" in folded(here, "run", "cup", code=2)


def test_init_writes_files_out_and_a_program_in_the_folder_of_another_bot_is_itself(
    here: Path,
) -> None:
    (here / "bot.toml").write_text('command = ["./yours.py"]\n')
    do(here, "init", "cup", "./mine.py", "whole=.", *QUICK)
    entry = 'command = ["./mine.py"]\nfiles = ["kit.py", "mine.py"]\n'
    assert entry in (here / "cup" / "league.toml").read_text()
    bots = {bot.name: bot for bot in read_league(here / "cup").bots}
    assert bots["mine"].version == find_bot(str(here / "mine.py"), "khan").version
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
    assert {matches for matches, _ in standings(here).values()} == {2}
    do(here, "play", "khan", "./spy.py", "random", "--sandbox", sandbox)


# --- which kit is its own


def test_the_kit_of_its_language_is_its_own_if_it_is_named(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    for each in ("kit.py", "kit.js", "kit.sh", "src/kit.py"):
        (tmp_path / each).touch()
    for name, text, kit in (
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
        ("src/mine.py", "import kit\n", "src/kit.py"),  # which lies beside it
    ):
        program(tmp_path / name, text)
        files = make_bot("mine", tmp_path, [f"./{name}"]).files
        assert set(files) == {name, *([kit] if kit else [])}, (name, text)


def test_a_command_without_files_has_those_that_it_names(tmp_path: Path) -> None:
    (tmp_path / "classes").mkdir()
    for name in ("mine", "book", "kit.py", "notes", "classes/Bot.class", "classes/Kit.class"):
        (tmp_path / name).touch(0o755)
    (tmp_path / "bot.py").write_text("import kit\n")
    for command, files in (
        (["./mine"], ["mine"]),
        (["./mine", "book", "--depth", "3"], ["book", "mine"]),
        ([f"{tmp_path}/mine"], ["mine"]),
        (["{python}", "bot.py"], ["bot.py", "kit.py"]),
        (["python3", "./bot.py"], ["bot.py", "kit.py"]),
        (["java", "-cp", "classes", "Bot"], ["classes/Bot.class", "classes/Kit.class"]),
        (["java", "-cp", ".", "Bot"], []),
        (["mine"], []),  # which is on the PATH
        (["/usr/bin/env", "../other", "/etc/passwd", "x" * 5000], []),
        (["true", "gone"], []),
    ):
        assert list(make_bot("mine", tmp_path, command).files) == files, command


# --- a helper that is missing


PYTHON = "#!/usr/bin/env python3\n"
HELPERS = [
    ("mine.py", f"{PYTHON}import helper\n", "helper.py"),
    ("mine.py", f"{PYTHON}import helper.deep\n", "helper"),
    ("mine.py", f"{PYTHON}import os\nopen(os.path.abspath('book.txt'))\n", "book.txt"),
    ("mine.sh", "#!/bin/sh\n. ./helper.sh\n", "helper.sh"),
]


def lacking(folder: Path, name: str, text: str, helper: str) -> str:
    """Make a bot that lacks a helper; return what `play` says of it."""
    need("landlock")
    program(folder / name, text)
    (folder / helper).mkdir() if helper == "helper" else (folder / helper).touch()
    told = do(folder, "play", "khan", f"./{name}", "random", code=2)
    return told[told.index(f"{helper} lies in the folder") :].partition(" It wrote:")[0]


@pytest.mark.parametrize("case", HELPERS)
def test_a_missing_helper_is_named_with_the_line_to_add(
    here: Path, case: tuple[str, str, str]
) -> None:
    name, _, helper = case
    assert f'files = ["{name}", "{helper}"]' in lacking(here, *case)


@pytest.mark.slow  # several commands that start the bot in its sandbox
def test_every_command_that_starts_a_bot_names_its_missing_helper(
    here: Path, golden: Golden
) -> None:
    lone = lacking(here, *HELPERS[0])
    golden(lone)
    assert lone in do(here, "compare", "./mine.py", "random", "--game", "khan", code=2)
    rows = json.loads(do(here, "doctor", "./mine.py", "--format", "json"))["doctor"]
    assert lone in " ".join(row["remark"] for row in rows)
    line = 'files = ["mine.py", "helper.py"]'
    assert f"{line}\n" in do(here, "check", "./mine.py", "--game", "khan", code=1)
    do(here, "init", "cup", "./mine.py", "random", *QUICK)
    assert f"In league.toml, below its name, have: {line}" in do(here, "run", "cup")


@pytest.mark.slow  # a process for each match that is lost
def test_a_helper_that_is_missing_in_a_match_is_named_as_well_and_the_line_mends_it(
    here: Path,
) -> None:
    need("landlock")
    program(here / "mine.py", SOURCE.replace("return ", "open('book.txt')\n    return "))
    (here / "book.txt").touch()
    do(here, "init", "cup", "./mine.py", "random", "--game", "khan", "--deals", "6")
    said = do(here, "run", "cup")
    mended = 'files = ["kit.py", "mine.py", "book.txt"]'
    mending = f"below its name, have: {mended}"
    (line,) = [line for line in said.splitlines() if "has forfeited 10 matches in a row" in line]
    assert mending in line
    match = line.partition("arena show cup ")[2].partition("`")[0]
    by_seat = [do(here, "show", "cup", match, "--seat", seat) for seat in "01"]
    assert sorted(mending in told for told in by_seat) == [False, True]
    file = here / "cup" / "league.toml"
    file.write_text(file.read_text().replace('files = ["kit.py", "mine.py"]', mended))
    assert "suspended" not in do(here, "run", "cup")


# --- leagues of earlier releases
