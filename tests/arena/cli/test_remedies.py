"""What is said to be done, done to the letter: then the command succeeds, or goes further."""

import ast
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import click
import pytest

from arena.cli import main
from tests.arena.conftest import ROOT, Arena, League, Once
from tests.arena.inline import inline_runs
from tests.referee.sandbox.sandboxed import need

ARENA = Path(sys.executable).with_name("arena")
Told = Callable[[str], str]


@pytest.fixture
def told(public: Path, arena: Arena, monkeypatch: pytest.MonkeyPatch) -> Told:
    """Call a command that fails, in a public folder, and return what it says, in one line."""
    monkeypatch.chdir(public)
    monkeypatch.setenv("COLUMNS", "1000")

    def call(words: str) -> str:
        result = arena(*shlex.split(words))
        assert result.exit_code in (1, 2), result.output
        return " ".join(result.output.split())

    return call


def do(command: str) -> None:
    """Do what was said, in a shell."""
    path = f"{ARENA.parent}:/usr/bin:/bin"
    subprocess.run(["sh", "-ec", command], check=True, env={"PATH": path}, timeout=60)


def bot(name: str, command: str, **files: str) -> Path:
    """Make a bot here."""
    folder = Path(name)
    folder.mkdir()
    for file, text in {"bot.toml": f"command = {command}\n", **files}.items():
        (folder / file.replace("__", ".")).write_text(text)
    return folder


CHOOSES = {
    "py": ('["{python}", "b.py"]', "import kit\nkit.run(lambda ask: ask.legal[0])\n"),
    "js": (
        '["node", "b.js"]',
        'const kit = require("./kit.js");\nkit.run((ask) => ask.legal[0]);\n',
    ),
    "sh": ('["sh", "b.sh"]', ". ./kit.sh\nrun choose\n"),
}


@pytest.mark.slow
@pytest.mark.parametrize("ending", CHOOSES)
def test_a_kit_that_is_missing_is_written(told: Told, ending: str) -> None:
    need("landlock")
    command, program = CHOOSES[ending]
    if ending == "js" and not shutil.which("node", path="/usr/local/bin:/usr/bin"):
        pytest.skip("NODE IS NOT TESTED HERE: it is missing")
    folder = bot("mine", command, **{f"b__{ending}": program})
    said = told("check mine --game steal_war --seconds 0.3")
    remedy = re.search(r"`(arena bots --kit[^`]*)` writes it", said)
    assert remedy, said
    do(remedy[1])
    assert (folder / f"kit.{ending}").stat().st_size > 1000
    assert "writes it" not in ended("check mine --game steal_war --seconds 0.3")


def ended(words: str) -> str:
    """Return what a command says, however it ends."""
    ran = subprocess.run(
        [ARENA, *words.split()], capture_output=True, text=True, check=False, timeout=60
    )
    return ran.stdout + ran.stderr


def test_an_executable_lacks_its_right_and_its_first_line(told: Told) -> None:
    Path("mine").write_text('read -r line; echo \'{"type":"ready"}\'\n')
    said = told("check ./mine --game steal_war --sandbox none")
    assert ", and a first line such as #!/bin/sh" in said
    do("chmod +x mine; sed -i '1i #!/bin/sh' mine")
    assert "says ready: after" in ended("check ./mine --game steal_war --sandbox none --seconds 1")


@pytest.mark.slow
def test_a_file_that_is_hidden_is_named(told: Told) -> None:
    need("landlock")
    program = "import kit, book\nkit.run(lambda ask: ask.legal[0])\n"
    folder = bot(
        "mine", '["{python}", "b.py"]\nfiles = ["b.py", "kit.py"]', b__py=program, book__py=""
    )
    do("arena bots --kit > mine/kit.py")
    said = told("check mine --game steal_war --seconds 0.3")
    line = re.search(r"files = (\[[^\]]*\])", said)
    assert line, said
    text = (folder / "bot.toml").read_text()
    (folder / "bot.toml").write_text(re.sub(r"files = .*", lambda _: line[0], text))
    assert "is fit to play" in ended("check mine --game steal_war --seconds 1")


@pytest.mark.slow
def test_what_a_bot_needs_is_granted(told: Told) -> None:
    need("landlock")
    needs = '["{python}", "b.py"]\n[needs]\nmemory_mb = 600'
    bot("mine", needs, b__py="import kit\nkit.run(lambda ask: ask.legal[0])\n")
    do("arena bots --kit > mine/kit.py; arena init cup --game steal_war mine random --deals 1")
    said = " ".join(ended("run cup").split())
    remedy = re.search(r"`(arena grant [^`]*)`", said)
    assert remedy, said
    do(remedy[1])
    assert "needs" not in ended("run cup")
    assert "600" in ended("grant cup")


@pytest.mark.parametrize("file", ["bot.toml", "cup/league.toml"])
def test_what_is_not_utf_8_is_saved_as_that(told: Told, file: str) -> None:
    do("mkdir cup; echo 'game = \"guerra\"' > cup/league.toml; echo 'command = [\"x\"]' > bot.toml")
    text = Path(file).read_text()
    Path(file).write_bytes(text.encode("utf-16"))
    words = "rank cup" if file.startswith("cup") else "check . --game guerra --sandbox none"
    assert "is not UTF-8; save it as UTF-8" in told(words)
    Path(file).write_text(text)
    assert "UTF-8" not in told(words)


# --- what is to be typed, in a folder, a league and a bot whose names have blanks


class Mistake(NamedTuple):
    """A command that fails or warns, and how what it says is done."""

    words: str
    """The command."""
    remedy: str = "`([^`]*)`"
    """What finds the remedy in what it says; several groups are lines."""
    given: str = ""
    """What is there before: commands of ours by line, and lines for the shell that begin with $."""
    stands_for: str = ""
    """What the reader puts for the word in capitals that the remedy has."""
    into: str = ""
    """The file at whose end the remedy is written; else it is typed."""
    instead: str = ""
    """What is typed after it, if not the command once more."""


PAIR = "init 'my cup' --game steal_war random sensible --deals 1 --sandbox none"
MINE = "new 'my bot' --lang python --game steal_war"
CHECK = "check 'my bot' --game steal_war --sandbox none --seconds 0.1"
NEEDS = f"{MINE}\n$ echo 'needs.memory_mb = 600' >> 'my bot/bot.toml'"
DOOR = f"{MINE}\n$ echo 'needs.door = [\"GET https://a.org/b\"]' >> 'my bot/bot.toml'"
UCI = 'case "$line" in uci) echo uciok;; isready) echo readyok;; quit) exit;; esac'
ENGINE = f"$ printf '#!/bin/sh\\nwhile read -r line; do {UCI}; done\\n' > 'my own'"
MISTAKES = {
    "nothing was played": Mistake("rank 'my cup'", given=PAIR),
    "nothing to export": Mistake("export 'my cup'", given=PAIR),
    "no bots": Mistake(
        "remove 'my cup' random", given=PAIR.replace("random sensible", ""), stands_for="random"
    ),
    "no standings": Mistake("standings 'my played'", instead="rank 'my played'"),
    "no match": Mistake("show 'my played'", instead="matches 'my played'"),
    "a folder": Mistake("import new 'my played'", stands_for="it", instead="import new it"),
    "exported": Mistake("show 'my file'", stands_for="new", instead="rank new"),
    "there": Mistake("export 'my played' 'my file'", "(--[a-z]+)"),
    "nobody": Mistake("author list 'my cup'", given=PAIR, stands_for="ada"),
    "somebody": Mistake(
        "author add 'my cup' 'my ada'",
        given=f"{PAIR}\nauthor add 'my cup' 'my ada'",
        instead="author list 'my cup'",
    ),
    "a bot that is gone": Mistake(
        "run 'my cup' --workers 1",
        "out: `([^`]*)`",
        given=f"{MINE}\n{PAIR} 'my bot'\n$ rm -r 'my bot'",
    ),
    "disqualified": Mistake("remove 'my played' one", given="remove 'my played' one --because x"),
    "a league without a file": Mistake(
        "rank 'my played'",
        given="$ rm 'my played/league.toml'",
        stands_for="new",
        instead="rank new",
    ),
    "needs memory": Mistake(f"{PAIR} './my bot'", given=NEEDS, instead="grant 'my cup'"),
    "a match needs memory": Mistake(
        "play steal_war './my bot' random --sandbox none --quiet", given=NEEDS
    ),
    "no door": Mistake(
        "grant 'my cup' 'my bot' --needed",
        r"(\[door\]).*(allow = \[[^]]*\])",
        given=f"{DOOR}\n{PAIR} 'my bot' --limit pace=slow --limit move_time=60",
        into="my cup/league.toml",
    ),
    "not executable": Mistake(
        CHECK.replace("my bot", "./my own"), given="$ echo '#!/bin/sh' > 'my own'"
    ),
    "no bot.toml": Mistake(
        CHECK,
        r"such as (command = \[.*?\])",
        given=f"{MINE}\n$ rm 'my bot/bot.toml'",
        into="my bot/bot.toml",
    ),
    "an engine that may not be run": Mistake("new fish --uci \"'./my own'\"", given=ENGINE),
    "an engine of two words": Mistake(
        "new fish --uci 'my own'", given=f"{ENGINE}\n$ chmod +x 'my own'"
    ),
    "an engine off the PATH": Mistake(
        "new fish --uci \"'my own'\"", given=f"{ENGINE}\n$ chmod +x 'my own'"
    ),
    "unknown code": Mistake(
        "games ./copy.py", "(--trust)", given="new-game mine --single\n$ cp mine.py copy.py"
    ),
    "a lock that is none": Mistake(
        "env build 'my bot'",
        given=f"{MINE} --package numpy\n"
        "$ : > 'my bot/requirements.txt'; echo 'numpy 3' > 'my bot/requirements.lock'",
    ),
}

SLOW = ("no bots", "a league without a file")
"""For what they start."""


@pytest.fixture(scope="session")
def small(once: Once) -> Path:
    """The folder of a league of two bundled bots that was played."""

    def play(folder: Path) -> None:
        league = League(folder)
        league.is_inline = True
        league.write(
            'game = "steal_war"\nseed = 1\ndeals = 1\nlimits.sandbox = "none"\n'
            '[[bot]]\nname = "one"\nshipped = "random"\n'
            '[[bot]]\nname = "two"\nshipped = "sensible"\n'
        )
        with inline_runs():
            league.call("run", "--workers", "1")

    return once("small", play) / "league"


@pytest.mark.usefixtures("inline")
@pytest.mark.parametrize(
    "mistake",
    [
        pytest.param(each, id=name, marks=[pytest.mark.slow] if name in SLOW else [])
        for name, each in MISTAKES.items()
    ],
)
def test_what_is_to_be_typed_helps(
    arena: Arena,
    small: Path,
    public: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    mistake: Mistake,
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setenv("COLUMNS", "1000")
    monkeypatch.chdir(public)
    if "my played" in mistake.words or "my file" in mistake.words:
        shutil.copytree(small, "my played")
        arena("export", "my played", "my file")

    def said(line: str) -> str:
        return " ".join(arena(*shlex.split(line)).output.split())

    for line in mistake.given.splitlines():
        do(line[1:]) if line.startswith("$") else said(line)
    before = said(mistake.words)
    found = re.search(mistake.remedy, before)
    assert found, before
    remedy = "\n".join(found.groups())
    if mistake.stands_for:
        remedy = re.sub(r"\b[A-Z]{3,}\b(\.{3})?", mistake.stands_for, remedy)
    if mistake.into:
        with Path(mistake.into).open("a") as file:
            file.write(f"{remedy}\n")
    elif remedy.startswith("--"):
        option = remedy.partition(" ")[0]
        after = said(f"{re.sub(f' {option}.*', '', mistake.words)} {remedy}")
    elif re.match("arena [^|>]*$", remedy):
        done = arena(*shlex.split(remedy)[1:])
        assert done.exit_code == 0, done.output
    else:
        do(remedy)
    if not remedy.startswith("--"):
        after = said(mistake.instead or mistake.words)
    assert found[0] not in after
    assert not after.startswith(("arena: ", "Usage: ")), after


# --- what messages call commands and options


ROOMS = ("protocol", "referee", "arena")


def sentences() -> Iterator[tuple[str, str]]:
    """Yield each text of the code that may name a command; an X stands for what is put in."""
    for path in sorted(each for room in ROOMS for each in (ROOT / room).rglob("*.py")):
        source = path.read_text()
        if "`arena " not in source and ": arena " not in source:
            continue
        for node in ast.walk(ast.parse(source)):
            parts = node.values if isinstance(node, ast.JoinedStr) else [node]
            texts = [str(part.value) if isinstance(part, ast.Constant) else "X" for part in parts]
            yield f"{path.relative_to(ROOT)}:{getattr(node, 'lineno', 0)}", "".join(texts)


def wrong(typed: str) -> str:
    """Return what is wrong with a command of ours; empty if it can be typed, or is but named."""
    command: click.Command = main
    words = shlex.split(re.sub("(--[a-z]+)X", r"\1 X", typed))[1:]
    while isinstance(command, click.Group) and words:
        if words[0] not in [*command.commands]:
            return f"there is no command {words[0]}"
        command = command.commands[words.pop(0)]
    if isinstance(command, click.Group):
        return ""
    try:
        given, _, _ = command.make_parser(
            click.Context(command, **main.context_settings)
        ).parse_args(words)
    except click.UsageError as error:
        return error.message
    places = [each for each in command.params if isinstance(each, click.Argument)]
    lacking = [each for each in places if not isinstance(given.get(each.name), str | tuple)]
    is_named = len(lacking) == len(places)
    return "" if is_named else " ".join(each.name or "" for each in lacking if each.required)


@pytest.mark.slow
def test_every_command_in_a_message_is_there_with_its_options_and_arguments() -> None:
    found = {}
    for place, text in sentences():
        for line in re.findall(r"`(arena [^`]*)`|: (arena [^`]*)$", text):
            for typed in re.split("[|>;]", "".join(line)):
                if re.match(" *arena ", typed):
                    found[f"{place}: {typed}"] = wrong(typed)
    assert len(found) > 150
    assert {typed: what for typed, what in found.items() if what} == {}
