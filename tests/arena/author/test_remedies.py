"""What is said to be done, done to the letter: then the command succeeds, or goes further."""

import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.arena.conftest import Arena
from tests.referee.sandbox.sandboxed import need

ARENA = Path(sys.executable).with_name("arena")
Told = Callable[[str], str]


@pytest.fixture
def told(public: Path, arena: Arena, monkeypatch: pytest.MonkeyPatch) -> Told:
    """Call a command that fails, in a public folder, and return what it says, in one line."""
    monkeypatch.chdir(public)
    monkeypatch.setenv("COLUMNS", "1000")

    def call(words: str) -> str:
        result = arena(*words.split())
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
    assert "try chmod +x, and a first line such as #!/bin/sh" in said
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
