"""Bots that are built in a sandbox before they play: by runs, checks, single matches."""

import json
import os
import shutil
import time
from pathlib import Path

import pytest

from arena.league.finding import KIT, bot_folder
from arena.play.building import Builder
from protocol.errors import ArenaError, Refusal
from referee.limits import WorkLimits
from referee.sandbox import kept
from referee.sandbox.errors import SandboxError
from tests.arena.conftest import Arena
from tests.golden import Golden

MADE = "#!/usr/bin/env python3\nimport kit\nkit.run(lambda ask: ask.legal[0])\n"
BUILD = "cp source.py bot.py && chmod +x bot.py && echo it is made\n"


@pytest.fixture(autouse=True)
def _cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def source(folder: Path, build: str = BUILD, more: str = "") -> Path:
    """Make the folder of a bot that a script of the shell builds."""
    folder.mkdir()
    shutil.copy(KIT, folder)
    (folder / "source.py").write_text(MADE)
    (folder / "build.sh").write_text(build)
    (folder / "bot.toml").write_text(
        'command = ["./bot.py"]\nbuild = ["sh", "build.sh"]\nfiles = ["bot.py", "kit.py"]\n'
        f'sources = ["source.py", "build.sh", "kit.py"]\n{more}'
    )
    return folder


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    return source(tmp_path / "mine")


def built(folder: Path) -> Path:
    with Builder(WorkLimits()).open() as builder:
        return builder.built(bot_folder(folder)).bot.folder


def failure(folder: Path) -> Refusal:
    with pytest.raises(Refusal) as caught:
        built(folder)
    return caught.value


def test_what_a_build_leaves_is_run_under_the_version_of_its_sources_and_built_once(
    mine: Path, tmp_path: Path
) -> None:
    bot = bot_folder(mine)
    with Builder(WorkLimits()).open() as builder:
        made = builder.built(bot)
        assert made.outcome is not None
        assert "it is made" in made.outcome.output
        assert builder.where
    assert made.bot.version == bot.version
    assert made.bot.files == ("bot.py", "kit.py")
    assert sorted(path.name for path in made.bot.folder.iterdir()) == ["bot.py", "kit.py"]
    assert made.bot.program.argv == (str(made.bot.folder / "bot.py"),)
    assert not (mine / "bot.py").exists()
    shutil.copytree(mine, tmp_path / "copy")
    with Builder(WorkLimits()).open() as builder:
        again = builder.built(bot_folder(tmp_path / "copy"))
        assert again.outcome is None
        assert again.bot.folder == made.bot.folder
        assert not builder.where
    (mine / "source.py").write_text(MADE + "# slower\n")
    assert (changed := bot_folder(mine).version) != bot.version
    assert built(mine) != made.bot.folder
    text = (mine / "bot.toml").read_text()
    (mine / "bot.toml").write_text(text.replace('"build.sh"]\nfiles', '"build.sh", "x"]\nfiles'))
    assert bot_folder(mine).version not in (bot.version, changed)


def test_what_nobody_uses_goes_after_a_month_or_sooner_if_there_is_much(
    mine: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    builds = tmp_path / "cache" / "bot-arena" / "built"
    days = {"old": 31, "week": 7, "hour": 0.05, ".new-left": 2}
    for name, age in days.items():
        (builds / name).mkdir(parents=True)
        (builds / name / "file").write_bytes(bytes(1000))
        os.utime(builds / name, (time.time() - age * 86_400,) * 2)
    built(mine)
    assert {path.name for path in builds.iterdir()} & {*days} == {"week", "hour"}
    monkeypatch.setattr(kept, "_MOST_BYTES", 1500)
    built(source(tmp_path / "other", BUILD + "true\n"))
    assert {path.name for path in builds.iterdir()} & {*days} == {"hour"}


def test_what_its_author_built_himself_is_not_given_to_the_build(tmp_path: Path) -> None:
    folder = source(tmp_path / "mine")
    toml = (folder / "bot.toml").read_text()
    (folder / "bot.toml").write_text(
        toml.partition("sources")[0].replace(', "kit.py"]\n', ', "made"]\n')
    )
    (folder / "build.sh").write_text(f"mkdir made && cp source.py made/\n{BUILD}")
    bot = bot_folder(folder)
    (folder / "bot.py").write_text("old")
    (folder / "made").mkdir()
    (folder / "made" / "left.py").write_text("old")
    assert bot_folder(folder).files == bot.files
    assert bot_folder(folder).version == bot.version
    assert (built(folder) / "bot.py").read_text() == MADE
    assert not (built(folder) / "made" / "left.py").exists()


@pytest.mark.slow
def test_a_build_that_fails_says_why_and_keeps_nothing(
    mine: Path, tmp_path: Path, golden: Golden
) -> None:
    script = "echo no bot today; echo x.c:7: error: a brace; echo more errors; exit 3\n"
    (mine / "build.sh").write_text(script)
    error = failure(mine)
    golden(str(error))
    assert "no bot today" in error.said
    assert not list((tmp_path / "cache" / "bot-arena" / "built").iterdir())
    (mine / "build.sh").write_text("true\n")
    assert "was built, but that left no bot.py, which `files` names." in str(failure(mine))
    text = (mine / "bot.toml").read_text()
    (mine / "bot.toml").write_text(text.partition("sources")[0])
    assert "What `files` names is not given to the build" in str(failure(mine))


def test_a_compiler_that_builds_do_not_see_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiler = tmp_path / "tool" / "bin" / "gnarlyc"
    compiler.parent.mkdir(parents=True)
    compiler.write_text(f"#!/bin/sh\n{BUILD}")
    compiler.chmod(0o755)
    for path in (tmp_path, *list(tmp_path.parents)[:-2]):
        path.chmod(0o755)
    monkeypatch.setenv("PATH", f"{compiler.parent}:{os.environ['PATH']}")
    folder = source(tmp_path / "mine", "gnarlyc\n")
    assert f" gnarlyc is here as {compiler}, but builds look only in" in str(failure(folder))
    monkeypatch.setenv("ARENA_TOOLS", str(compiler.parents[1]))
    assert built(folder)


def test_mistakes_in_a_bots_file_are_named(mine: Path, golden: Golden) -> None:
    for line in (
        *("build = 3", "sources = ['x']\nbuild = []", "built = ['make']"),
        "build = ['make']\nsources = ['gone.c']",
    ):
        (mine / "bot.toml").write_text(f'command = ["./bot"]\n{line}\n')
        with pytest.raises(ArenaError) as caught:
            bot_folder(mine)
        golden(str(caught.value))


def test_a_check_builds_first_and_shows_what_the_build_printed(arena: Arena, mine: Path) -> None:
    words = ["--game", "guerra", "--seconds", "0.1", "--format", "json"]
    steps = json.loads(arena("check", mine, *words).stdout)["steps"]
    assert (steps[0]["title"], steps[0]["state"]) == ("can be built", "ok")
    assert steps[1]["state"] == "ok"
    (mine / "build.sh").write_text("echo line 7: a brace is missing; exit 1\n")
    result = arena("check", mine, "--game", "guerra")
    assert result.exit_code == 1
    assert " 1  FAILED     can be built: the build exited with code 1." in result.stdout
    assert "line 7: a brace is missing" in result.stdout
    assert "mine is not fit to play guerra. Step 1 failed: can be built." in result.stdout


@pytest.mark.slow
@pytest.mark.usefixtures("inline")
def test_a_league_plays_on_without_a_bot_that_cannot_be_built(
    arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    good = source(tmp_path / "good")
    bad = source(tmp_path / "bad", "echo a brace is missing; exit 1\n")
    cup = tmp_path / "cup"
    words = ["--game", "guerra", "--deals", 1, "--seed", 1, "--option", "max_turns=10"]
    assert arena("init", cup, good, bad, "random", *words).exit_code == 0
    result = arena("run", cup)
    assert result.exit_code == 0, result.stderr
    assert "bad is suspended for this run: it cannot be built: the build exited with code 1" in (
        " ".join(result.stderr.split())
    )
    assert "2 of 6 matches" in result.stderr
    (bad / "build.sh").write_text(BUILD)
    result = arena("run", cup)
    assert result.exit_code == 0, result.stderr
    assert "4 of 4 matches" in result.stderr
    before = arena("rank", cup).stdout  # which is read without what was built
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "nowhere"))
    assert arena("rank", cup).stdout == before


@pytest.mark.usefixtures("inline")
def test_a_machine_that_can_build_nothing_is_blamed_and_no_bot(
    arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise SandboxError("this kernel has no Landlock.", "sandbox")

    monkeypatch.setattr("referee.sandbox.landlock.abi", broken)
    folder, nowhere = source(tmp_path / "mine"), {"PATH": "/nowhere"}
    here = ("--game", "guerra", "--sandbox", "none")
    checked = arena("check", folder, *here, env=nowhere)
    assert checked.exit_code == 1
    said = " ".join(checked.stdout.split())
    why = "nothing can be built here: bwrap: bwrap not found."
    assert f"can be built: {why}" in said
    assert "Whether mine is fit to play guerra is not known: step 1 failed for what can" in said
    assert "not fit" not in said
    told = json.loads(arena("check", folder, *here, "--format", "json", env=nowhere).stdout)
    assert told["fit"] is None
    assert arena("init", tmp_path / "cup", folder, "random", *here, "--deals", 1).exit_code == 0
    run = " ".join(arena("run", tmp_path / "cup", env=nowhere).stderr.split())
    assert f"it cannot be built, for which this machine is to blame: {why}" in run


@pytest.mark.slow
def test_a_single_match_builds_its_bots(arena: Arena, mine: Path) -> None:
    words = ("play", "guerra", mine, "random", "--quiet", "--option", "max_turns=10")
    assert arena(*words).exit_code == 0
    (mine / "build.sh").write_text("echo a brace is missing; exit 1\n")
    result = arena(*words)
    assert result.exit_code == 2
    assert "bot 'mine' cannot be built: the build exited with code 1.\nThe build" in result.stderr
    assert "printed:\n  a brace" in result.stderr
