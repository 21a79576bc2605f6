"""Leagues from before scores or an option: they open, verify, go on, and are exported as ever."""

import json
import sqlite3
from contextlib import closing
from copy import deepcopy
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.arena.archive.test_export import Line, bytes_of, lines_of, merge, write
from tests.arena.archive.test_verify import found
from tests.arena.conftest import ROOT, Arena, League, naughty
from tests.arena.store.test_store import refused

pytestmark = pytest.mark.usefixtures("inline")

VECTORS = ROOT / "tests" / "vectors"
OLD_EXPORT = VECTORS / "version_5.jsonl"
"""What commit 650cb3f exported of a league that it played, before anything was counted."""
CASINO = """\
game = "casino_war"
seed = 12345678901234567
deals = {deals}
options.rounds = 2
limits.sandbox = "none"

[[bot]]
name = "cautious"
shipped = "cautious"

[[bot]]
name = "random"
shipped = "random"
"""


def test_a_database_without_scores_verifies_and_goes_on_with_them(league: League) -> None:
    with closing(sqlite3.connect(league.folder / "league.db")) as db:
        db.executescript((VECTORS / "version_5.sql").read_text())
    league.write(CASINO.format(deals=2))
    assert bytes_of(league.folder) == OLD_EXPORT.read_bytes()
    assert league.call("verify").stdout == "4 matches verified; none differs.\n"
    league.write(CASINO.format(deals=4))
    league.call("run")
    _, lines = lines_of(league.folder)
    assert {line["deal"]: "scores" in line for line in lines} == {
        **dict.fromkeys((0, 1), False),
        **dict.fromkeys((2, 3), True),
    }
    assert league.call("verify").stdout == "8 matches verified; none differs.\n"
    told = league.call("rank", "--by", "score").stdout.replace("\n", " ")
    assert "Left out of the scores: 4 matches have none (a seat forfeited, or they are" in told


def test_a_match_with_scores_is_the_same_one_without(league: League, tmp_path: Path) -> None:
    """What the bots did is the same, and the first one stays."""
    league.write(CASINO.format(deals=2))
    league.call("run")
    new = tmp_path / "new.jsonl"
    new.write_bytes(bytes_of(league.folder))
    for first, second in ((OLD_EXPORT, new), (new, OLD_EXPORT)):
        (league.folder / "league.db").unlink()
        assert merge(league.folder, first) == (4, 0)
        assert merge(league.folder, second) == (0, 4)
        assert bytes_of(league.folder) == first.read_bytes()


def war(league: League, head: str, more: str = "") -> tuple[Line, list[Line]]:
    limits = 'seed = 5\nlimits = { sandbox = "none", startup = 30.0 }\n'
    bots = "".join(f'[[bot]]\nname = "{name}"\nshipped = "random"\n' for name in ("one", "two"))
    league.write(f'game = "war"\n{head}\n{limits}{bots}{more}')
    league.call("run")
    return lines_of(league.folder)


def test_scores_and_numbers_of_a_known_match_are_compared(league: League, tmp_path: Path) -> None:
    header, lines = war(league, "deals = 1")
    for key, value in {"scores": [26, 26], "numbers": {"battles": 1}}.items():
        forged = deepcopy(lines)
        for line in (forged[0], forged[0]["replay"]):
            line[key] = value
        file = write(tmp_path / "forged.jsonl", header, *forged)
        assert f"and {key!r} differs" in refused(lambda file=file: merge(league.folder, file))


def test_scores_in_spite_of_a_forfeit_are_found(league: League, tmp_path: Path) -> None:
    head = 'seats = 3\nrotations = "one"\ndeals = 2'
    header, (line, other) = war(league, head, naughty("crash_mid_match"))
    assert line["reason"] == other["reason"] == "all_cards"
    assert line["forfeits"]
    assert line.keys().isdisjoint({"scores", "numbers"})
    for each in (line, line["replay"]):
        each["scores"] = [52, 0, 0]
    file = write(tmp_path / "forged.jsonl", header, line, other)
    (league.folder / "league.db").unlink()
    merge(league.folder, file)
    told = "its replay's scores: [52, 0, 0] is stored, and it should be nothing."
    assert found(league.folder) == [(line["match"], told)]


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


@pytest.fixture
def opened(older: Older, league: League, arena: Arena) -> League:
    older.write(league)
    assert arena("import", league.folder, older.export).exit_code == 0
    return league


@each_league
def test_an_older_league_is_exported_and_stays_as_it_was(older: Older, opened: League) -> None:
    assert opened.call("export").stdout == older.export.read_text()
    older.write(opened, deals=2, option=older.other)
    had, has = (json.dumps(value) for value in (older.usual, older.other))
    words = f"[options] had {older.option} = {had}, not {has}, when the first"
    assert words in opened.call("run", code=2).stderr


@pytest.mark.quick(2)
@each_league
def test_an_older_league_verifies_and_what_it_plays_is_stored_alike(
    older: Older, opened: League, arena: Arena
) -> None:
    old, *known = map(json.loads, older.export.read_text().splitlines())
    assert f"{len(known)} matches verified; none differs." in opened.call("verify").stdout
    older.write(opened, deals=2, option=older.usual)
    opened.call("run")
    header, matches = lines_of(opened.folder)
    assert header["settings"] == old["settings"]
    assert len(matches) > len(known)
    assert all(each["replay"]["options"] == old["settings"]["options"] for each in matches)
    assert "none differs" in opened.call("verify").stdout
    assert arena("import", opened.folder, older.export).exit_code == 0
