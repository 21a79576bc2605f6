"""The steps of a final; one that was made too early is discarded, as long as nothing was shown."""

import re
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from arena.cli.final import next_step
from arena.folders import locked
from arena.handin.database import HandIns
from arena.handin.final import TOLD, is_over, sealed
from arena.league.file import read_asked
from tests.arena.conftest import Arena
from tests.arena.handin.conftest import LEAGUE, drawn_seed

pytestmark = pytest.mark.usefixtures("inline")

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


def step(arena: Arena, cup: Path, *words: str) -> str:
    """Do the next step of a final, and return what is said."""
    result = arena("run", cup, "--final", *words)
    assert result.exit_code == 0, result.output
    return result.stdout


def discarded(arena: Arena, cup: Path, code: int = 0) -> str:
    result = arena("run", cup, "--discard-final")
    assert result.exit_code == code, result.output
    return result.stderr if code else result.stdout


def test_a_final_needs_to_be_said_and_its_seed_drawn_before_the_closing(
    arena: Arena, cup: Path
) -> None:
    file = cup / "league.toml"
    file.write_text(LEAGUE)
    assert "cup has no final: write final_deals" in arena("run", cup, "--final").stderr
    write(cup)
    said = arena("run", cup, "--final").stderr
    assert "the final is played after the closing: say when that is, with closes." in said
    write(cup, closes=EARLIER)
    said = step(arena, cup)
    assert (
        "It was drawn only now, after the closing. The next `arena run cup --final` makes" in said
    )
    assert not (cup / "final").exists()


def test_a_final_has_the_limits_and_the_door_of_its_league(cup: Path) -> None:
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
    assert [next_step(cup), next_step(cup)] == [None, cup / "final"]
    made = read_asked(cup / "final")
    assert (made.door, made.environments) == (league.door, league.environments)
    assert [made.limits_of(bot).memory_mb for bot in made.bots] == [made.limits.memory_mb, 77]


def test_each_call_does_one_step_and_an_ordinary_run_does_none(arena: Arena, cup: Path) -> None:
    assert arena("run", cup).exit_code == 0
    assert not (cup / "handin.db").exists()
    [published] = re.findall("[0-9a-f]{64}", step(arena, cup))
    assert "`arena run cup --final` makes the final after the closing, " in step(arena, cup)
    write(cup, closes=EARLIER)
    assert arena("run", cup).exit_code == 0
    assert not (cup / "final").exists()
    said = step(arena, cup)
    assert "It is made now, of the 2 bots in cup: house, old. " in said
    assert arena("rank", cup / "final").stdout in said
    assert said.endswith("The final is played. `arena run cup --final` publishes its seed.\n")
    assert arena("run", cup / "final").exit_code == 0
    with HandIns(cup) as db:
        assert not is_over(db)
    seed = drawn_seed(cup)
    assert seed not in said
    said = step(arena, cup)
    assert said.splitlines()[1:] == [
        f"The final is over. Its seed: {seed}",
        f"Everybody who has cup/final can check it: `arena verify cup/final --sealed {published}`.",
    ]
    assert step(arena, cup) == said
    with HandIns(cup) as db:
        assert (is_over(db), sealed(db)) == (True, published)


def test_a_final_that_was_made_too_early_is_discarded(arena: Arena, cup: Path) -> None:
    said = step(arena, cup)
    published = re.findall("[0-9a-f]{64}", said)
    assert drawn_seed(cup) not in said
    assert "cup has no final; there is nothing" in discarded(arena, cup, 2)
    write(cup, closes=EARLIER, release=LATER)
    assert next_step(cup) == cup / "final"
    said = step(arena, cup, "--for", "1s")
    assert "It is made now" not in said
    shutil.rmtree(cup / "final")
    said = step(arena, cup)
    assert "It is made now, of the 2 bots in cup, in which nothing was played before: house" in said
    assert "set closes to a later time, then: `arena run cup --discard-final`.\n" in said
    refused = discarded(arena, cup, 2)
    assert f"cup is closed since {EARLIER}, so that its final would be made again" in refused
    assert (cup / "final" / "league.toml").is_file()
    write(cup, closes=LATER, release=LATER)
    assert discarded(arena, cup) == (
        f"The final is discarded, 4 matches of it with it. Its seed stays. Its SHA-256: "
        f"{published[0]}\nThe next one is made after the closing, {LATER}.\n"
    )
    assert sorted(path.name for path in cup.iterdir()) == ["handin.db", "league.toml"]
    write(cup, closes=EARLIER, release=LATER)
    assert next_step(cup) == cup / "final"
    assert discarded(arena, cup, 2)  # unplayed, and closed
    write(cup, closes=LATER, release=LATER)
    assert discarded(arena, cup).startswith("The final is discarded, unplayed. Its seed stays.")


def test_one_that_was_held_back_is_discarded_with_all_of_it(arena: Arena, cup: Path) -> None:
    step(arena, cup)
    write(cup, closes=EARLIER, release=LATER)
    step(arena, cup)
    said = step(arena, cup)
    assert "The final is over." in said
    assert "held back until" in said
    assert drawn_seed(cup) not in said
    with HandIns(cup) as db, db.transaction():
        for fact in TOLD.values():
            db.note_fact(fact, "told")
    write(cup, closes=LATER, release=LATER)
    with locked(cup / "final"):
        refused = discarded(arena, cup, 2)
    assert "cup/final is in use by another run or import" in refused
    assert "discarded, 4 matches of it with it." in discarded(arena, cup)
    assert not (cup / "final").exists()
    with HandIns(cup) as db:
        assert not is_over(db)
        assert not any(db.fact(fact) for fact in TOLD.values())
    write(cup, closes=EARLIER, release=EARLIER)
    step(arena, cup)
    assert f"The final is over. Its seed: {drawn_seed(cup)}\n" in step(arena, cup)
    with HandIns(cup) as db:
        seal = sealed(db)
    assert arena("verify", cup / "final", "--sealed", seal).exit_code == 0


@pytest.mark.parametrize("is_noted", [False, True])
def test_one_of_which_matches_were_shown_stays(arena: Arena, cup: Path, is_noted: bool) -> None:
    step(arena, cup)
    write(cup, closes=EARLIER)
    step(arena, cup)
    if is_noted:
        assert "The final is over. Its seed: " in step(arena, cup)
        write(cup, closes=LATER, release=LATER)  # which hides nothing that was seen
    else:
        write(cup, closes=LATER)
    assert discarded(arena, cup, 2) == (
        "arena: the matches of cup/final were not held back, and the next final would have the "
        "same cards. Make a new league: it draws a seed of its own.\n"
    )
    assert arena("rank", cup / "final").exit_code == 0
