"""A final that was made too early: discarded, as long as nothing of it was shown."""

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from arena.folders import locked
from arena.handin.database import HandIns
from arena.handin.final import TOLD, is_over, sealed
from arena.league.file import read_asked
from tests.arena.conftest import Arena
from tests.arena.handin.conftest import LEAGUE, drawn_seed

EARLIER, LATER = (datetime.now(UTC) + timedelta(hours=hours) for hours in (-1, 1))


@pytest.fixture
def cup(cup: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A league that is about to close, named as a person would."""
    monkeypatch.chdir(cup.parent)
    write(Path("cup"), closes=LATER, release=LATER)
    return Path("cup")


def write(cup: Path, **dates: datetime) -> None:
    lines = "".join(f"{key} = {date.isoformat()}\n" for key, date in dates.items())
    (cup / "league.toml").write_text(
        LEAGUE.replace("[hand_in]\n", f"[hand_in]\nfinal_deals = 2\n{lines}")
    )


def test_a_final_needs_to_be_said_and_its_seed_drawn_before_the_closing(
    arena: Arena, cup: Path
) -> None:
    file = cup / "league.toml"
    file.write_text(LEAGUE)
    assert "cup has no final: write final_deals" in arena("final", cup).stderr
    write(cup)
    said = arena("final", cup).stderr
    assert "the final is played after the closing: say when that is, with closes." in said
    write(cup, closes=EARLIER)
    assert "It was drawn only now, after the closing." in arena("final", cup).stdout
    assert "only now" not in arena("final", cup).stdout


def test_a_final_has_the_limits_and_the_door_of_its_league(arena: Arena, cup: Path) -> None:
    write(cup, closes=EARLIER, release=LATER)
    file = cup / "league.toml"
    text = file.read_text().replace('name = "old"\n', 'name = "old"\nmemory_mb = 77\n')
    door = (
        '[door]\nallow = ["POST https://api.example.org/v1"]\n'
        'keys = { "https://api.example.org" = "KEY" }\n'
        'prices = { "model-x" = { input = 2.5, output = 10.0 } }\n'
    )
    limits = '[limits]\npace = "slow"\ndoor = ["POST https://api.example.org/v1"]\n'
    file.write_text(f"{text}\n{limits}{door}[environments]\nfetch = true\n")
    league = read_asked(cup)
    assert league.door is not None
    assert arena("final", cup).exit_code == 0
    made = read_asked(cup / "final")
    assert (made.door, made.environments) == (league.door, league.environments)
    assert [made.limits_of(bot).memory_mb for bot in made.bots] == [made.limits.memory_mb, 77]


def test_a_final_that_was_made_too_early_is_discarded(arena: Arena, cup: Path) -> None:
    said = arena("final", cup).stdout
    published = re.findall("[0-9a-f]{64}", said)
    assert "The final is made after the closing, " in said
    assert drawn_seed(cup) not in said
    assert "cup has no final; there is nothing" in arena("final", cup, "--discard").stderr
    write(cup, closes=EARLIER, release=LATER)
    said = arena("final", cup).stdout
    assert "It is made now, of the 2 bots in cup, in which nothing was played before: house" in said
    assert "set closes to a later time, then: `arena final cup --discard`.\n" in said
    assert "It is made now" not in arena("final", cup).stdout
    refused = arena("final", cup, "--discard")
    assert refused.exit_code == 2
    assert f"cup is closed since {EARLIER}, so that its final would be made again" in refused.stderr
    assert (cup / "final" / "league.toml").is_file()
    write(cup, closes=LATER, release=LATER)
    assert arena("final", cup, "--discard").stdout == (
        f"The final is discarded, unplayed. Its seed stays. Its SHA-256: {published[0]}\n"
        f"The next one is made after the closing, {LATER}.\n"
    )
    assert sorted(path.name for path in cup.iterdir()) == ["handin.db", "league.toml"]
    write(cup, closes=EARLIER, release=LATER)
    assert re.findall("[0-9a-f]{64}", arena("final", cup).stdout) == published
    assert arena("verify", cup / "final", "--sealed", published[0]).exit_code == 2  # no match yet


@pytest.mark.slow
def test_one_that_was_held_back_is_discarded_with_all_of_it(arena: Arena, cup: Path) -> None:
    write(cup, closes=EARLIER, release=LATER)
    arena("final", cup)
    arena("run", cup / "final", "--workers", "1")
    said = arena("final", cup).stdout
    assert "The final is over." in said
    assert "held back until" in said
    assert drawn_seed(cup) not in said
    with HandIns(cup) as db, db.transaction():
        for fact in TOLD.values():
            db.note_fact(fact, "told")
    write(cup, closes=LATER, release=LATER)
    with locked(cup / "final"):
        refused = arena("final", cup, "--discard")
    assert "cup/final is in use by another run or import" in refused.stderr
    assert "discarded, 4 matches of it with it." in arena("final", cup, "--discard").stdout
    assert not (cup / "final").exists()
    with HandIns(cup) as db:
        assert not is_over(db)
        assert not any(db.fact(fact) for fact in TOLD.values())
    write(cup, closes=EARLIER, release=EARLIER)
    assert "4 matches are missing" in arena("final", cup).stdout
    arena("run", cup / "final", "--workers", "1")
    assert f"The final is over. Its seed: {drawn_seed(cup)}\n" in arena("final", cup).stdout
    with HandIns(cup) as db:
        seal = sealed(db)
    assert arena("verify", cup / "final", "--sealed", seal).exit_code == 0


@pytest.mark.slow
@pytest.mark.parametrize("is_noted", [False, True])
def test_one_of_which_matches_were_shown_stays(arena: Arena, cup: Path, is_noted: bool) -> None:
    write(cup, closes=EARLIER)
    arena("final", cup)
    arena("run", cup / "final", "--workers", "1")
    if is_noted:
        assert "The final is over. Its seed: " in arena("final", cup).stdout
        write(cup, closes=LATER, release=LATER)  # which hides nothing that was seen
    else:
        write(cup, closes=LATER)
    refused = arena("final", cup, "--discard")
    assert refused.exit_code == 2
    assert refused.stderr == (
        "arena: the matches of cup/final were not held back, and the next final would have the "
        "same cards. Make a new league: it draws a seed of its own.\n"
    )
    assert arena("rank", cup / "final").exit_code == 0
