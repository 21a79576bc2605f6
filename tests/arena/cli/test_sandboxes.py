"""Sandboxes as they are met on the command line: by default, refused and told."""

import json
from pathlib import Path

import pytest

from arena.cli import main
from referee.sandbox import SANDBOXES
from referee.sandbox.kinds import LandlockSandbox
from tests.arena.conftest import Arena, League
from tests.arena.play.sandboxed_leagues import LEAGUE, OTHERS, TWO, WITHOUT, refused
from tests.golden import Golden
from tests.referee.sandbox.sandboxed import need


@pytest.fixture
def leaking(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take the filter of system calls out of the default sandbox."""
    need("landlock")
    whole = LandlockSandbox.around
    monkeypatch.setattr(LandlockSandbox, "around", lambda *words: whole(*words) | {"seccomp": None})


# Which sandbox


def test_landlock_is_the_default(arena: Arena, tmp_path: Path) -> None:
    for command in ("init", "play", "demo"):
        (option,) = (each for each in main.commands[command].params if each.name == "sandbox")
        assert option.default == SANDBOXES[0] == "landlock"
    assert arena("init", tmp_path / "cup", "random", "rusher", "--game", "guerra").exit_code == 0
    assert 'sandbox = "landlock"' in (tmp_path / "cup" / "league.toml").read_text()


@pytest.mark.usefixtures("inline")
def test_no_sandbox_at_all_is_warned_of(arena: Arena, league: League) -> None:
    warning = "Warning: bots run unprotected (sandbox none): they can do whatever you can.\n"
    league.write(f'{LEAGUE}limits.sandbox = "none"\n{TWO}')
    assert warning in arena("run", league.folder, "--workers", "1").stderr
    words = ("play", "guerra", "random", "random", "--quiet", "--option", "max_turns=20")
    assert warning in arena(*words, "--sandbox", "none").stderr
    need("landlock")
    assert "Warning" not in arena(*words).stderr


# A run that is refused


@pytest.mark.usefixtures("leaking")
@pytest.mark.parametrize("line", ["run LEAGUE", "play guerra random random", "demo --keep DEMO"])
def test_a_wall_that_does_not_hold_refuses_every_run(
    arena: Arena, league: League, line: str
) -> None:
    league.write(LEAGUE + TWO)
    words = line.replace("LEAGUE", str(league.folder)).replace("DEMO", str(league.home / "demo"))
    result = arena(*words.split())
    refused(result, "sandbox: the self test failed: a sandboxed process could open a socket.")
    refused(result, "No match was played.", WITHOUT)
    assert result.stdout == "", "what is refused has no title"
    assert league.count() == 0


def test_a_sandbox_that_is_not_there_is_not_replaced_by_another(
    arena: Arena, league: League
) -> None:
    league.write(f'{LEAGUE}limits.sandbox = "bwrap"\n{TWO}')
    old = league.home / "bin" / "bwrap"
    old.parent.mkdir()
    old.write_text("#!/bin/sh\necho bubblewrap 0.4.1\n")
    old.chmod(0o755)
    result = arena("run", league.folder, env={"PATH": str(old.parent)})
    remedy = "Install bubblewrap 0.8 or newer (apt-get install bubblewrap)"
    refused(result, "sandbox: bwrap 0.4 is too old. ", remedy, OTHERS, WITHOUT)
    assert league.count() == 0


# What is the same whatever the sandbox


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "words"),
    [
        ("guerra", ("random", "sensible", "--option", "max_turns=10")),
        ("cold_war", ("random", "sensible", "echo", "again=random", "--seats", "4")),
    ],
)
def test_the_sandbox_changes_no_result(
    arena: Arena, tmp_path: Path, game: str, words: tuple[str, ...]
) -> None:
    tables = {}
    more = ("--game", game, "--seed", "7", "--deals", "1", "--limit", "move_time=10")
    for sandbox in SANDBOXES:
        _ = sandbox == "none" or need(sandbox)
        folder = tmp_path / sandbox
        assert arena("init", folder, *words, *more, "--sandbox", sandbox).exit_code == 0
        assert arena("run", folder).exit_code == 0
        tables[sandbox] = json.loads(arena("rank", folder, "--format", "json").stdout)
    assert tables["none"].pop("sandboxes").keys() == {"none"}
    assert tables["landlock"] == tables["none"]
    assert tables["bwrap"] == tables["none"]


def test_a_sandbox_among_the_limits_is_not_passed_over(arena: Arena, golden: Golden) -> None:
    words = "random random", "random --game guerra", "random rusher --game guerra", ""
    for command, more in zip(("play guerra", "check", "compare", "doctor"), words, strict=True):
        told = arena(*command.split(), *more.split(), "--limit", "sandbox=bwrap")
        assert told.exit_code == 2
        golden(told.stderr)


@pytest.mark.slow
def test_what_bots_need_is_told_where_options_give_all_of_them_more(
    arena: Arena, public: Path
) -> None:
    for name in ("one", "two"):
        (public / name).mkdir()
        toml = f'command = ["true", "{name}"]\nneeds = {{ memory_mb = 1024 }}\n'
        (public / name / "bot.toml").write_text(toml)
    for command in ("play guerra {0}/one {0}/two", "compare {0}/one {0}/two --game guerra"):
        told = arena(*command.format(public).split())
        assert told.exit_code != 0  # they say nothing
        for name in ("one", "two"):
            assert (
                f"{name} needs memory_mb = 1024, and has 512; `--limit memory_mb=1024`"
                in told.stderr
            )
