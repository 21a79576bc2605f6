"""A program written for the kit, as it is handed in: what takes bots takes it by its name."""

import json
from pathlib import Path

import pytest

from arena.store.opening import read_league
from tests.arena.conftest import Arena

PLAIN = "import kit\nkit.run(lambda ask: ask.legal[0])\n"


@pytest.fixture
def plain(public: Path) -> Path:
    for name in ("old", "new"):
        (public / name).mkdir()
        (public / name / "bot.py").write_text(PLAIN + f"# {name}\n")
    return public


def test_a_league_keeps_copies_of_plain_programs(
    arena: Arena, plain: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(plain)
    done = arena("init", "cup", "--game", "khan", "mine=old/bot.py", "new/bot.py", "random")
    assert "old/bot.py is taken as a bot in Python" in done.stderr
    bots = {bot.name: bot.folder for bot in read_league(plain / "cup").bots}
    assert [*bots] == ["bot", "mine", "random"]
    for name, own in ("mine", "old"), ("bot", "new"):
        assert bots[name].parent == plain / "cup" / "bots"
        assert own in (bots[name] / "bot.py").read_text()
        assert {path.name for path in bots[name].iterdir()} == {"bot.py", "kit.py", "bot.toml"}


def test_what_is_no_bot_leaves_no_league(arena: Arena, plain: Path) -> None:
    (plain / "kit.py").write_bytes(Path("bots/templates/python/kit.py").read_bytes())
    done = arena("init", plain / "cup", "--game", "khan", plain / "kit.py")
    assert done.exit_code == 2
    assert "is the kit, and no bot" in done.stderr
    assert not (plain / "cup").exists()


@pytest.mark.usefixtures("inline")
def test_a_comparison_of_plain_programs_goes_on(
    arena: Arena, plain: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(plain)
    words = ("old/bot.py", "new/bot.py", "--game", "khan", "--seed", "1", "--keep", "kept")
    for deals in 1, 2:
        assert "new/bot.py" in arena("compare", *words, "--deals", deals).stderr
        kept = read_league(plain / "kept").bots
        assert [bot.name for bot in kept] == ["new/bot.py", "old/bot.py"]
        assert {bot.folder.parent for bot in kept} == {plain / "kept" / "bots"}


@pytest.mark.slow
def test_a_plain_program_is_checked_and_plays(arena: Arena, plain: Path) -> None:
    file = plain / "old" / "bot.py"
    done = arena("check", file, "--game", "khan", "--seconds", 0.1, "--format", "json")
    assert json.loads(done.stdout)["fit"]
    played = arena("play", "khan", file, plain / "new" / "bot.py", "--quiet")
    assert played.exit_code == 0
