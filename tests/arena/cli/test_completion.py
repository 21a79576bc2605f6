"""What shells complete: by real shells, which read the script that the command prints."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from arena.cli.completion import check_asked
from protocol.errors import ArenaError
from tests.arena.conftest import ARENA, ROOT
from tests.golden import Golden

COMPLETE = """\
source {script}
compopt() {{ printf 'compopt %s %s\\n' "$@"; }}
COMP_WORDS=({words})
COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
"$(complete -p arena | sed 's/.*-F \\([a-z_]*\\) .*/\\1/')" arena
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
"""What bash does when somebody types Tab, files aside; what it is told to do goes before words."""


@pytest.fixture
def shelled(tmp_path: Path) -> dict[str, str]:
    """The environment of a shell that finds `arena`."""
    program = tmp_path / "bin" / "arena"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m arena "$@"\n')
    program.chmod(0o755)
    path = f"{program.parent}:{os.environ['PATH']}"
    return os.environ | {"PATH": path, "PYTHONPATH": str(ROOT), "HOME": str(tmp_path)}


def script(shell: str, folder: Path, environment: dict[str, str]) -> Path:
    if shutil.which(shell) is None:
        pytest.skip(f"THE COMPLETION OF {shell.upper()} IS NOT TESTED HERE: it is not installed")
    words = ["arena", "completion", shell]
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=True)
    file = folder / f"arena.{shell}"
    file.write_text(done.stdout)
    return file


def completed(words: str, file: Path, environment: dict[str, str]) -> list[str]:
    done = subprocess.run(
        ["bash", "--norc", "-c", COMPLETE.format(script=file, words=words)],
        env=environment,
        cwd=file.parent,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
    return [line for line in done.stdout.splitlines() if line]


@pytest.mark.slow
def test_bash_completes_commands_options_games_and_bots(
    tmp_path: Path, shelled: dict[str, str]
) -> None:
    file = script("bash", tmp_path, shelled)
    bots = '[[bot]]\nname = "ada"\n[[bot]]\nname = "ben"\n'
    (tmp_path / "cup").mkdir()
    (tmp_path / "cup" / "league.toml").write_text(bots)
    for words, wanted in {
        "arena ma": ["matches"],
        "arena completion z": ["zsh"],
        "arena run cup --wor": ["--workers"],
        "arena init cup --game ste": ["steal_war"],
        "arena init cup --game khan war": ["warlord"],
        "arena play khan hu": ["human"],
        "arena games pya": ["pyanitsa"],
        "arena matches cup --bot ''": ["ada", "ben"],
        "arena remove cup b": ["ben"],
        "arena matches nowhere --bot ''": [],
        "arena new mine --lang ja": ["javascript", "java"],
        "arena new-game mine --lang ru": ["rust"],
        "arena play khan random --limit mo": ["compopt -o nospace", "move_time="],
        "arena doctor --limit sa": [],
        "arena grant cup ada th": ["compopt -o nospace", "threads="],
        "arena check ./m": ["compopt -o default"],
    }.items():
        assert completed(words, file, shelled) == wanted, words


@pytest.mark.slow
def test_zsh_can_read_its_script(tmp_path: Path, shelled: dict[str, str]) -> None:
    file = script("zsh", tmp_path, shelled)
    assert "_ARENA_COMPLETE" in file.read_text()
    subprocess.run(["zsh", "-n", str(file)], env=shelled, check=True)


@pytest.mark.slow
def test_fish_completes_commands_paths_and_keys(tmp_path: Path, shelled: dict[str, str]) -> None:
    fish = script("fish", tmp_path, shelled)
    (tmp_path / "mine").mkdir()
    for words, wanted in {
        "arena ma": ["matches\tList the matches that were played"],
        "arena check ./mi": ["./mine/"],
        "arena play khan mi": ["mine/"],
        "arena play khan random --limit mo": ["move_time="],
    }.items():
        line = ["fish", "--no-config", "-c", f"source {fish}; complete -C '{words}'"]
        done = subprocess.run(line, env=shelled, cwd=tmp_path, capture_output=True, check=True)
        assert done.stdout.decode().splitlines() == wanted, words


def test_what_no_script_asks_is_refused_in_a_line(
    monkeypatch: pytest.MonkeyPatch, golden: Golden
) -> None:
    monkeypatch.setenv("COMP_WORDS", "arena ma")
    for complete, word in (("zsh_complete", ""), ("bash_complete", "x"), ("1", "1")):
        monkeypatch.setenv("_ARENA_COMPLETE", complete)
        if word:
            monkeypatch.setenv("COMP_CWORD", word)
        with pytest.raises(ArenaError) as caught:
            check_asked()
        golden(str(caught.value))
    done = subprocess.run(ARENA, cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"arena: {caught.value}\n"
