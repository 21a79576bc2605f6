"""The seed: nothing that a bot is told leads back to it."""

import json
import shutil
import time
from pathlib import Path
from typing import Any

import msgspec
import pytest

from arena.league.finding import BUNDLED
from arena.league.seed import deal_behind, is_guessable, league_key
from arena.play import run, staffing
from arena.play.messages import Setup
from arena.schedule.deal import Schedule
from arena.store.opening import open_store, read_league
from referee.rules.chance import Chance
from tests.arena.conftest import Arena, League

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
    cards = {theirs.seed(deal, number) for deal in deals for number in range(2)}
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
    monkeypatch.setattr(
        staffing, "Setup", lambda **words: found.append(Setup(**words)) or found[-1]
    )
    asked = read_league(league.folder)
    with run.open_run(asked, staffing.RunTerms(1)):
        sent = msgspec.msgpack.encode(found[0])
    assert b"a word that stays here" not in sent
    assert asked.schedule.key.encode() in sent
    assert msgspec.msgpack.decode(sent, type=Setup).schedule == asked.schedule


# --- the key


def test_a_key_is_the_same_in_every_release() -> None:
    """If this fails, every stored league would be played anew: think twice."""
    assert (
        league_key("guerra", "golden")
        == "726a1e1a2740f0e73619c0c1ac16867ad2899985650e42a366c70eb918fca1b5"
    )
    assert deal_behind("guerra", "golden") == "723617281ba6514219a4bea0845a716b"


def test_a_guess_costs_so_much_that_an_hour_is_too_short_for_six_digits() -> None:
    league_key.cache_clear()
    began = time.process_time()
    league_key("duel", "1")
    assert (time.process_time() - began) * 10**6 > 10 * 3600


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
        assert "trying" not in league.call("run").stderr  # nothing is missing
