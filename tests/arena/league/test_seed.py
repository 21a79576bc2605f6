"""The seed: nothing that a bot is told leads back to it, and older leagues stay as they were."""

import json
import shutil
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest

from arena.league.finding import BUNDLED
from arena.league.seed import deal_behind, is_guessable, league_key
from arena.play import run
from arena.play.messages import Setup
from arena.schedule.deal import Schedule
from arena.store.opening import open_store, read_league
from referee.chance import Chance
from tests.arena.conftest import ROOT, Arena, League
from tests.golden import Golden

pytestmark = pytest.mark.usefixtures("inline")

SEED = "271828"
FILE = f"""\
game = "duel"
seed = {SEED}
deals = 3
limits = {{ sandbox = "none" }}

[[bot]]
name = "random"
shipped = "random"

[[bot]]
name = "turtle"
shipped = "turtle"
"""
OLD_EXPORT = ROOT / "tests" / "vectors" / "derivation_1.jsonl"
"""What commit ad13075 exported of that league: the seed was the key then."""
OLD_DATABASE = ROOT / "tests" / "vectors" / "derivation_1.sql"
"""The database of the same league at the same commit, when it asked for two deals only."""


def old_matches() -> list[dict[str, Any]]:
    """Return what the old code played in three deals."""
    return [json.loads(line) for line in OLD_EXPORT.read_text().splitlines()[1:]]


@pytest.fixture
def old(league: League) -> League:
    """A league that the old code began."""
    league.write(FILE)
    with closing(sqlite3.connect(league.folder / "league.db")) as db:
        db.executescript(OLD_DATABASE.read_text())
    return league


@pytest.fixture
def new(league: League) -> League:
    """The same league, begun and played now."""
    league.write(FILE)
    league.call("run")
    return league


# --- what bots are told


def test_nothing_of_a_league_is_what_the_seed_alone_gives(league: League) -> None:
    source = (
        "import kit, duel_random\nkit.run(duel_random.choose, lambda match: print(match.seed))\n"
    )
    league.write(FILE + league.bot("spy", source))
    shutil.copy(BUNDLED / "duel" / "duel_random.py", league.home / "spy")
    league.call("run")
    plan = read_league(league.folder)
    ours = plan.schedule
    theirs = Schedule("duel", SEED, 2, "cyclic", ours.entrants)
    (spy,) = (number for number, bot in enumerate(ours.entrants) if bot.key == "spy")
    played = league.stored()
    deals = list(plan.asked.plan())
    assert {match.id for match, _ in played} == {
        ours.match_id(deal, number) for deal in deals for number in range(2)
    }
    foreign = {theirs.match_id(deal, number) for deal in deals for number in range(2)}
    assert foreign.isdisjoint(match.id for match, _ in played)
    cards = {theirs.deal_seed(deal) for deal in deals}
    assert cards.isdisjoint(replay.seed for _, replay in played)
    with open_store(plan) as store:
        said = {
            match.id: int(text)
            for match in store.matches()
            for bot, text in zip(match.bots, store.whole(match).evidence.stderr, strict=True)
            if bot.name == "spy"
        }
    assert len(said) == 12
    for match_id, seed in said.items():
        assert seed == ours.bot_seed(match_id, spy) != theirs.bot_seed(match_id, spy)


@pytest.mark.slow  # it stretches a seed twice
def test_the_deal_of_a_match_is_the_same_by_the_seed_that_is_shown_of_it(
    arena: Arena, tmp_path: Path
) -> None:
    """And nothing of it is what the seed alone gives, unless that was drawn."""

    def saved(word: str) -> Any:
        words = ("play", "duel", "random", "turtle", "--sandbox", "none", "--quiet")
        arena(*words, "--seed", word, "--save", tmp_path / word)
        return json.loads((tmp_path / word).read_text())

    found = saved(SEED)
    shown = found["replay"]["seed"]
    assert shown == deal_behind("duel", SEED) != SEED
    assert found["seats"][0]["seed"] != Chance(SEED).below(2**53, "bot", 0)
    again = saved(shown)
    assert (again["replay"], again["replay"]["seed"]) == (found["replay"], shown)


def test_workers_are_told_the_key_and_not_the_seed(
    league: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    league.write(FILE.replace(SEED, '"a word that stays here"'))
    found: list[Setup] = []
    monkeypatch.setattr(run, "Setup", lambda **words: found.append(Setup(**words)) or found[-1])
    asked = read_league(league.folder)
    with run.open_run(asked, 1, None):
        sent = msgspec.msgpack.encode(found[0])
    assert b"a word that stays here" not in sent
    assert asked.schedule.key.encode() in sent
    assert msgspec.msgpack.decode(sent, type=Setup).schedule == asked.schedule


# --- the key


def test_a_key_is_the_same_in_every_release() -> None:
    """If this fails, every stored league would be played anew: think twice."""
    assert (
        league_key("guerra", "golden", 2)
        == "726a1e1a2740f0e73619c0c1ac16867ad2899985650e42a366c70eb918fca1b5"
    )
    assert deal_behind("guerra", "golden") == "723617281ba6514219a4bea0845a716b"
    assert league_key("guerra", "golden", 1) == "golden"


def test_a_guess_costs_so_much_that_an_hour_is_too_short_for_six_digits() -> None:
    league_key.cache_clear()
    began = time.process_time()
    league_key("duel", "1", 2)
    assert (time.process_time() - began) * 10**6 > 10 * 3600


# --- leagues from before


def test_an_old_league_verifies_and_goes_on_as_it_began(
    arena: Arena, old: League, golden: Golden
) -> None:
    """Also for a bot that enters it, of which a run says that it can find the seed."""
    words = ("verify", old.folder, "--workers", "1")
    result = arena(*words)
    assert (result.exit_code, result.stdout) == (0, "4 matches verified; none differs.\n")
    old.call("run")
    league = read_league(old.folder)
    assert (league.derivation, league.schedule.key) == (1, SEED)
    seeds = {(match.number, replay.seed) for match, replay in old.stored()}
    assert seeds == {(line["deal"], line["replay"]["seed"]) for line in old_matches()}
    header, *lines = arena("export", old.folder).stdout.splitlines()
    assert "derivation" not in json.loads(header)["settings"]
    assert {json.loads(line)["replay"]["seed"] for line in lines} == {seed for _, seed in seeds}
    entry = old.bot("mine", "import kit, duel_random\nkit.run(duel_random.choose)\n")
    shutil.copy(BUNDLED / "duel" / "duel_random.py", old.home / "mine")
    old.write(FILE + entry)
    said = old.call("run").stderr
    golden(next(line for line in said.splitlines() if "older Bot Arena" in line))
    league = read_league(old.folder)
    found = {(match.id, replay.seed) for match, replay in old.stored()}
    for deal in league.asked.plan():
        for number in range(2):
            id_ = league.schedule.match_id(deal, number)
            assert (id_, league.schedule.deal_seed(deal)) in found
    assert arena(*words).exit_code == 0


def test_an_old_export_makes_an_old_league(arena: Arena, league: League) -> None:
    league.write(FILE.replace("deals = 3", "deals = 4"))
    result = arena("import", league.folder, OLD_EXPORT)
    assert (result.exit_code, result.stdout) == (0, "6 matches imported.\n")
    assert read_league(league.folder).derivation == 1
    again = [json.loads(line) for line in arena("export", league.folder).stdout.splitlines()]
    for line in again[1:]:
        line["clock"] = [seat[:3] for seat in line["clock"]]  # without the time on the wall
    assert again == [json.loads(line) for line in OLD_EXPORT.read_text().splitlines()]


def test_a_league_that_played_nothing_yet_is_a_new_one(old: League) -> None:
    with closing(sqlite3.connect(old.folder / "league.db")) as db, db:
        for table in ("match", "record", "result", "deal", "lineup"):
            db.execute(f"DELETE FROM {table}")
    old.call("run")
    league = read_league(old.folder)
    assert league.derivation == 2
    with open_store(league) as store:
        assert store.settings()["derivation"] == 2


def test_results_of_both_derivations_are_not_mixed(
    arena: Arena, new: League, tmp_path: Path, golden: Golden
) -> None:
    before = arena("export", new.folder).stdout
    (tmp_path / "new.jsonl").write_text(before)
    result = arena("import", new.folder, OLD_EXPORT)
    assert result.exit_code == 2
    golden(result.stderr.replace(str(OLD_EXPORT), "OLD"))
    assert arena("export", new.folder).stdout == before
    empty = tmp_path / "empty"
    empty.mkdir()
    (empty / "league.toml").write_text(FILE)
    files = [OLD_EXPORT, tmp_path / "new.jsonl"]
    for each in (files, files[::-1]):
        result = arena("import", empty, *each)
        assert (result.exit_code, "derivation was" in result.stderr) == (2, True)
        assert [path.name for path in empty.iterdir()] == ["league.toml"]


def test_a_wrong_mark_is_found(arena: Arena, new: League) -> None:
    change = "UPDATE setting SET value = {} WHERE key = 'derivation'"
    for statement, says in (
        (change.format("'1'"), "its deal: "),
        (change.format("'3'"), "the setting derivation"),
        (change.format("'null'"), "the setting derivation"),
        ("DELETE FROM setting WHERE key = 'derivation'", "its deal: "),
    ):
        with closing(sqlite3.connect(new.folder / "league.db")) as db, db:
            db.execute(statement)
        result = arena("verify", new.folder, "--workers", "1")
        assert result.exit_code == 1
        assert says in result.stdout


# --- warnings


def test_short_seeds_can_be_guessed_and_long_ones_are_not_said_to_be() -> None:
    short = [0, 1, SEED, 10**12 - 1, "spring", "springtime!!", "0" * 30 + SEED]
    assert all(map(is_guessable, short))
    assert not any(map(is_guessable, [10**12, 2**53 - 1, "9" * 5000, "a longer word"]))


@pytest.mark.parametrize("words", ["", f"--seed {SEED}", "--seed spring"])
def test_init_and_a_run_warn_of_a_short_seed_where_strangers_may_play(
    arena: Arena, league: League, words: str
) -> None:
    league.bot("mine", "import kit, guerra_random as r\nkit.run(r.choose)\n")
    (league.home / "mine" / "bot.toml").write_text('command = ["{python}", "bot.py"]\n')
    short = "--game guerra --deals 1 --option max_turns=20 --sandbox none"
    for folder, other in (("ours", "random"), ("theirs", league.home / "mine")):
        league.folder = league.home / folder
        begun = arena("init", league.folder, "rusher", other, *short.split(), *words.split())
        for said in (begun.stderr, league.call("run").stderr):
            warned = "is so short that authors of bots may find it by trying" in said
            assert warned == (folder == "theirs" and words != "")
            assert "older Bot Arena" not in said
        assert "trying" not in league.call("run").stderr  # nothing is missing
