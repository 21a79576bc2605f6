"""Leagues from before a game got an option: they open, verify, go on, and are exported as ever."""

import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.arena.conftest import ROOT, Arena, League

pytestmark = pytest.mark.usefixtures("inline")

VECTORS = ROOT / "tests" / "vectors"


class Older(NamedTuple):
    """A league that commit 602c485 exported, and an option that its game did not have yet."""

    game: str
    bots: str
    settings: str
    option: str
    usual: str
    other: str

    @property
    def export(self) -> Path:
        return VECTORS / f"before_options_{self.game}.jsonl"

    def write(self, league: League, deals: int = 1, option: str = "") -> None:
        """Write the file of the league, perhaps with a value of the option."""
        bots = self.bots.split()
        chosen = f'options.{self.option} = "{option}"\n' if option else ""
        entries = (f'[[bot]]\nname = "{bot}"\nshipped = "{bot}"\n' for bot in bots)
        league.write(
            f'game = "{self.game}"\nseats = {len(bots)}\nseed = 12345678901234567\n'
            f'deals = {deals}\noptions.{self.settings}\n{chosen}limits.sandbox = "none"\n'
            + "".join(entries)
        )


LEAGUES = [
    Older(
        "cold_war", "echo loyal random sensible", "max_rounds = 4", "null_plays", "hidden", "shown"
    ),
    Older("world_war", "random cautious sensible", "max_rounds = 1", "trading", "choose", "must"),
    Older(
        "guerra", "random rusher", "max_turns = 12", "joint_attack", "strongest_lives", "small_die"
    ),
    Older("guerra", "random rusher", "max_turns = 12", "archers", "volley", "aimed"),
    Older("steal_war", "random sensible", "max_tricks = 20", "steal_back", "never", "at_once"),
]
each_league = pytest.mark.parametrize("older", LEAGUES, ids=lambda older: older.option)


def lines(text: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return the header and the matches of an export."""
    header, *matches = map(json.loads, text.splitlines())
    return header, matches


@pytest.fixture
def opened(older: Older, league: League, arena: Arena) -> League:
    """The league as it was, in a folder."""
    older.write(league)
    assert arena("import", league.folder, older.export).exit_code == 0
    return league


@each_league
def test_it_is_exported_as_it_was(older: Older, opened: League) -> None:
    assert opened.call("export").stdout == older.export.read_text()


@pytest.mark.quick(2)
@each_league
def test_it_verifies_goes_on_and_what_it_plays_is_stored_alike(
    older: Older, opened: League, arena: Arena
) -> None:
    old, known = lines(older.export.read_text())
    assert f"{len(known)} matches verified; none differs." in opened.call("verify").stdout
    older.write(opened, deals=2, option=older.usual)
    opened.call("run")
    header, matches = lines(opened.call("export").stdout)
    assert header["settings"] == old["settings"]
    assert len(matches) > len(known)
    assert all(each["replay"]["options"] == old["settings"]["options"] for each in matches)
    assert "none differs" in opened.call("verify").stdout
    assert arena("import", opened.folder, older.export).exit_code == 0


@each_league
def test_its_new_option_may_not_change(older: Older, opened: League) -> None:
    older.write(opened, deals=2, option=older.other)
    had, has = (json.dumps(value) for value in (older.usual, older.other))
    words = f"[options] had {older.option} = {had}, not {has}, when the first"
    assert words in opened.call("run", code=2).stderr
