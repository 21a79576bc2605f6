"""Tables, keys and files that pages name are those of the code."""

import re
import tomllib
from collections.abc import Callable, Iterator

import msgspec
import pytest

import referee
from arena.archive.export import ExportedBot, FixedSettings, Header, MatchLine
from arena.environment.settings import EnvironmentSettings
from arena.league.settings import Settings
from arena.play.forfeits import FORFEITS_IN_A_ROW
from protocol.errors import ArenaError
from referee.games import GAMES
from referee.limits import Limits, WorkLimits
from referee.match.evidence import Evidence
from referee.match.replay import Replay
from referee.rules.options import fields, new_game, read_options
from referee.training.actions import AllMoves, actions_of
from referee.turn.answer import Fault
from tests.docs.pages import ROOT
from tests.referee.testing.faulty import FAULTS
from tests.referee.testing.figures import faults, steps
from tests.rooms import MODULES, nodes, picture, purposes


def page(name: str) -> str:
    return (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")


# --- architecture.md

HOMES = ("", "arena", "referee", "arena/league", "docs", "docs/dev")
"""Where a file may be that is named without its folder."""


@pytest.fixture(scope="module")
def _all_read() -> None:
    """Read the modules before a test's time is measured."""
    for module in MODULES:
        nodes(module)


@pytest.mark.usefixtures("_all_read")
def test_the_pictures_and_tables_of_rooms_are_those_of_the_code() -> None:
    """If not: `python -m tests.rooms` prints them."""
    for package in ("arena", "referee"):
        assert picture(package) in page("dev/architecture")
        assert purposes(package) in page("dev/architecture")


def test_the_page_on_leagues_says_after_how_many_forfeits_a_bot_is_suspended() -> None:
    said = re.findall(r"(\S+) (?:matches|forfeits) in a\s+row", page("leagues"))
    assert said == [f"{FORFEITS_IN_A_ROW}"] * 2


def test_the_files_and_folders_of_the_architecture_are_there() -> None:
    prose = page("dev/architecture").replace(purposes("arena"), "").replace(purposes("referee"), "")
    named = set(re.findall(r"`([\w/]+(?:\.py|\.md|/))`", prose))
    assert len(named) > 20
    for name in named:
        assert any((ROOT / home / name).exists() for home in HOMES), name


# --- check-game.md


@pytest.mark.parametrize("table", [steps, faults])
def test_the_steps_and_faults_of_check_game_are_those_of_the_code(
    table: Callable[[], Iterator[str]],
) -> None:
    text = page("check-game")
    assert "\n".join(table()) in text, "python -m tests.referee.testing.figures prints it"
    assert f"has {len(FAULTS)} variants with one fault each" in text


# --- export.md

TABLES = {"the header": Header, "the settings": FixedSettings, "a match": MatchLine}
TABLES |= {"the replay": Replay, "the evidence": Evidence}


@pytest.mark.parametrize("name", TABLES)
def test_a_table_of_an_export_holds_every_key_in_order(name: str) -> None:
    rows = page("export").partition(f"| key of {name} |")[2].partition("\n\n")[0].splitlines()[2:]
    keys = [key for row in rows for key in re.findall(r"`(\w+)`", row.split("|")[1])]
    assert keys == [field.name for field in msgspec.structs.fields(TABLES[name])]


@pytest.mark.parametrize("kind", [ExportedBot, Fault])
def test_the_keys_of_small_objects_of_an_export_are_named(kind: type[msgspec.Struct]) -> None:
    names = [f"`{field.name}`" for field in msgspec.structs.fields(kind)]
    assert re.search("[^.|]*".join(names), page("export"))


# --- leagues.md


def test_settings_limits_options_and_builds_of_a_league_have_their_usual_values() -> None:
    text = page("leagues").split("```toml\n")[1].partition("```")[0]
    settings = fields(Settings)
    told = re.findall(r"^(?:# )?(\w+) = ", text.partition("\n[")[0], re.MULTILINE)
    assert {*told} == {*settings}
    league = tomllib.loads(text)
    for name in settings.keys() & league.keys() - {"game", "seats", "deals", "seed"}:
        assert league[name] == settings[name].default, name
    usual_limits = msgspec.json.decode(msgspec.json.encode(Limits()))
    del usual_limits["remote"]  # of single bots, never of all
    assert league["limits"] == usual_limits
    assert league["build"] == msgspec.to_builtins(WorkLimits())
    assert league["environments"] == msgspec.to_builtins(EnvironmentSettings())
    usual = msgspec.to_builtins(read_options(GAMES[league["game"]], {}))
    assert {**usual, **league["options"]} == usual


# --- ratings.md


def test_a_game_says_what_the_table_of_mirrored_deals_says() -> None:
    told = re.findall(r"^\| (\w+) \| ([\d.]+) ± [^|]*\|", page("ratings"), re.MULTILINE)
    dealt = {name: float(worth) for name, worth in told if name != "cold_war"}
    assert dealt == {name: kind.mirroring for name, kind in GAMES.items() if kind.mirroring}


# --- learn.md


def test_what_pettingzoo_has_for_each_game_is_named() -> None:
    section = page("learn").partition("## PettingZoo\n")[2]
    told = {
        name.lower().replace(" ", "_"): what
        for names, what in re.findall(r"^\| \*(.*?)\* \| (.*?) \|$", section, re.MULTILINE)
        for name in names.split("*, *")
    }
    assert told.keys() == GAMES.keys()
    for name, kind in GAMES.items():
        game = new_game(kind, kind.seat_counts[0], read_options(kind, {}), "1")
        try:
            is_numbered = isinstance(actions_of(game), AllMoves)
        except ArenaError as error:
            endless = re.findall(r'"(\w+)"', str(error))  # or nothing is asked
            is_told = re.findall(r"`(\w+)`", told[name]) == endless
        else:
            is_told = told[name] == ("a number" if is_numbered else "a row of numbers")
        assert is_told, name


def test_the_functions_for_training_are_there_and_the_page_fits_a_terminal() -> None:
    text = page("learn")
    assert {*re.findall(r"^\| `(\w+)\(", text, re.MULTILINE)} <= {*referee.__all__}
    assert {*re.findall(r"from referee import (.*)", text)[1].split(", ")} <= {*referee.__all__}
    assert all(len(line) <= 120 for line in text.splitlines() if line[:1] != "|")
