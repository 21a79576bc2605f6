"""`arena remove`, with and without `--because`, and a league that begins without bots."""

from pathlib import Path

import pytest

from arena.store.opening import read_played
from tests.arena.conftest import STEADY, Arena, League
from tests.arena.organize.conftest import FILE, names, text
from tests.golden import Golden
from tests.referee.process_watch import until

pytestmark = pytest.mark.usefixtures("inline")

QUICK = ("--seconds", "0.1")
BOTS = "".join(f'\n[[bot]]\nname = "{name}"\nshipped = "{name}"\n' for name in ("random", "rusher"))
THIRD = '\n# The third\n[[bot]]\nname = "the third"\nshipped = "turtle"\n'


@pytest.fixture
def played(arena: Arena, cup: Path) -> Path:
    """A league that was played by three."""
    (cup / "league.toml").write_text(FILE + BOTS + THIRD)
    assert arena("run", cup).exit_code == 0
    return cup


def test_a_bot_is_disqualified_and_comes_back(arena: Arena, played: Path, golden: Golden) -> None:
    before = arena("rank", played, "--format", "json").stdout
    reason = 'it read the "answers"'
    golden(arena("remove", played, "the third", "--because", reason).stdout)
    assert text(played) == FILE + BOTS + THIRD + 'disqualified = "it read the \\"answers\\""\n'
    said = " ".join(arena("rank", played).stdout.split())
    assert f"the third was disqualified: {reason}." in said
    arena("remove", played, "the third", "--because", "it read them")
    assert 'disqualified = "it read them"' in text(played)
    golden(arena("remove", played, "the third", "--undo").stdout)
    assert text(played) == FILE + BOTS + THIRD
    assert arena("rank", played, "--format", "json").stdout == before


@pytest.mark.slow  # a run in a process of its own
def test_what_ends_in_an_error_has_changed_nothing(arena: Arena, played: Path) -> None:
    [bot, *_] = read_played(played).names.values()
    for file in played.glob("league.db*"):
        file.write_bytes(b"")
    before = (played / "league.toml").read_text()
    for words in ((), ("--because", "it cheats")):
        assert arena("remove", played, bot, *words).exit_code == 2
        assert (played / "league.toml").read_text() == before


@pytest.mark.slow
def test_a_league_is_changed_while_it_plays(arena: Arena, league: League) -> None:
    slow = STEADY.format(pause=0.1)
    league.write(FILE.replace("deals = 2", "deals = 20") + BOTS + league.bot("slow", slow))
    run = league.start("run", "--workers", "1")
    until(lambda: league.count() > 0, 20)
    told = arena("add", league.folder, "late=turtle", *QUICK)
    assert f"A run is going on (process {run.pid}) with the bots that it began with." in told.stderr
    told = arena("remove", league.folder, "slow", "--because", "it sleeps")
    assert "A run is going on" in told.stderr
    assert "slow was disqualified: it sleeps." in " ".join(
        arena("rank", league.folder).stdout.split()
    )
    run.terminate()
    league.finish(run, 1)
    league.call("run")
    said = " ".join(arena("rank", league.folder).stdout.split())
    assert "late" in said
    assert "missing" not in said


def test_a_mistake_changes_nothing_and_a_disqualified_bot_stays(
    arena: Arena, cup: Path, golden: Golden
) -> None:
    (cup / "league.toml").write_text(FILE + BOTS + THIRD)
    arena("remove", cup, "the third", "--because", "it cheats")
    before = text(cup)
    for words in (
        *(["random", "--undo", "--because", "x"], ["random", "--undo"]),
        *(["the third", "random", "--undo"], ["random", "rondom", "--because", "x"]),
        *(["random", "--because", " "], ["random", "--because", "a\nb"]),
    ):
        told = arena("remove", cup, *words)
        assert told.exit_code == 2
        golden(told.stderr)
        assert text(cup) == before
    for words in (["random", "the third"], ["random", "the thirt"]):
        golden(arena("remove", cup, *words).stderr)
        assert text(cup) == before
    arena("remove", cup, "the third", "--undo")
    both = ("random", "the third", "random")
    told = arena("remove", cup, *both, "--because", "they are one")
    assert told.stderr == "A match needs 2 bots, and the league has 1.\n"
    out = [(bot.name, bot.reason) for bot in read_played(cup).disqualified]
    assert out == [("random", "they are one"), ("the third", "they are one")]
    arena("remove", cup, "random", "the third", "--undo")
    arena("remove", cup, *both)
    assert names(cup) == ["rusher"]
