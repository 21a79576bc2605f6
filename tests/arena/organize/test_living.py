"""`arena remove`, `arena disqualify` and a league that begins without bots."""

from pathlib import Path

import pytest

from arena.store.opening import read_played
from tests.arena.conftest import STEADY, Arena, League
from tests.arena.organize.conftest import FILE
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


def text(cup: Path) -> str:
    return (cup / "league.toml").read_text()


@pytest.mark.slow
def test_a_league_begins_without_bots(arena: Arena, cup: Path, golden: Golden) -> None:
    told = arena("init", "new", "--game", "guerra", "--sandbox", "none", "--deals", "1")
    assert told.exit_code == 0
    golden(told.stdout)
    assert arena("run", "new").exit_code == 2
    assert "A match needs 2 bots; there are 1." in arena("add", "new", "random", *QUICK).stdout
    assert "Next: arena run new" in arena("add", "new", "rusher", *QUICK).stdout
    assert arena("run", "new").exit_code == 0


def test_a_removed_bot_has_its_results_back_when_it_returns(
    arena: Arena, played: Path, golden: Golden
) -> None:
    before = arena("rank", played, "--format", "json").stdout
    golden(arena("remove", played, "the third").stdout)
    assert text(played) == FILE + BOTS
    arena("add", played, "the third=turtle", *QUICK)
    assert arena("rank", played, "--format", "json").stdout == before


def test_several_are_removed_or_disqualified_for_one_reason_or_none(
    arena: Arena, cup: Path
) -> None:
    (cup / "league.toml").write_text(FILE + BOTS + THIRD)
    for command in (["disqualify", "--reason", "they are one"], ["remove"]):
        told = arena(command[0], cup, "random", "the thirt", *command[1:])
        assert told.exit_code == 2
        assert "there is no bot 'the thirt' in cup. Did you mean 'the third'?" in told.stderr
        assert text(cup) == FILE + BOTS + THIRD
        told = arena(command[0], cup, "random", "the third", "random", *command[1:])
        assert told.stderr == "A match needs 2 bots; there are 1.\n"
        assert [bot.name for bot in read_played(cup).bots] == ["rusher"]
        if command != ["remove"]:
            out = [(bot.name, bot.reason) for bot in read_played(cup).disqualified]
            assert out == [("random", "they are one"), ("the third", "they are one")]
            told = arena("disqualify", cup, "random", "rusher", "--undo")
            assert "rusher is not disqualified; nothing was changed." in told.stderr
            assert len(read_played(cup).disqualified) == 2
            arena("disqualify", cup, "random", "the third", "--undo")


def test_a_bot_is_disqualified_and_comes_back(arena: Arena, played: Path, golden: Golden) -> None:
    before = arena("rank", played, "--format", "json").stdout
    reason = 'it read the "answers"'
    golden(arena("disqualify", played, "the third", "--reason", reason).stdout)
    assert text(played) == FILE + BOTS + THIRD + 'disqualified = "it read the \\"answers\\""\n'
    said = " ".join(arena("rank", played).stdout.split())
    assert f"the third was disqualified: {reason}." in said
    arena("disqualify", played, "the third", "--reason", "it read them")
    assert 'disqualified = "it read them"' in text(played)
    golden(arena("disqualify", played, "the third", "--undo").stdout)
    assert text(played) == FILE + BOTS + THIRD
    assert arena("rank", played, "--format", "json").stdout == before


def test_a_disqualified_bot_cannot_be_removed_and_no_other_is_then(
    arena: Arena, cup: Path, golden: Golden
) -> None:
    (cup / "league.toml").write_text(FILE + BOTS + THIRD)
    arena("disqualify", cup, "the third", "--reason", "it cheats")
    before = text(cup)
    told = arena("remove", cup, "random", "the third")
    assert told.exit_code == 2
    golden(told.stderr)
    assert text(cup) == before
    arena("disqualify", cup, "the third", "--undo")
    assert arena("remove", cup, "random", "the third").exit_code == 0


def test_a_mistake_changes_nothing(arena: Arena, cup: Path) -> None:
    (cup / "league.toml").write_text(FILE + BOTS)
    for words, says in (
        (["random"], "give either a --reason, which every table shows, or --undo."),
        (["random", "--undo", "--reason", "x"], "give either a --reason"),
        (["random", "--undo"], "random is not disqualified; nothing was changed"),
        (["random", "--reason", " "], "say why a bot is disqualified"),
        (["random", "--reason", "a\nb"], "printable characters on one line"),
        (["rondom", "--reason", "x"], "Did you mean 'random'?"),
    ):
        told = arena("disqualify", cup, *words)
        assert told.exit_code == 2
        assert says in told.stderr
        assert text(cup) == FILE + BOTS


@pytest.mark.slow  # a run in a process of its own
def test_a_league_is_changed_while_it_plays(arena: Arena, league: League) -> None:
    slow = STEADY.format(pause=0.1)
    league.write(FILE.replace("deals = 2", "deals = 20") + BOTS + league.bot("slow", slow))
    run = league.start("run", "--workers", "1")
    until(lambda: league.count() > 0, 20)
    told = arena("add", league.folder, "late=turtle", *QUICK)
    assert f"A run is going on (process {run.pid}) with the bots that it began with." in told.stderr
    told = arena("disqualify", league.folder, "slow", "--reason", "it sleeps")
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
