"""Leagues that go by results: rounds drawn, stored and gone on with, whatever happens between."""

import json
import shutil
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from arena.league.plan import LeaguePlan
from arena.play.forfeits import FORFEITS_IN_A_ROW, TOO_SLOW
from arena.schedule.deal import Deal
from arena.store.opening import open_store, read_league
from arena.store.raw import RawStore
from arena.store.rounds import Drawn, StoredRound
from arena.store.sqlite_file import Damage
from arena.store.store import Store
from arena.store.tournament import Tournament, wrong_rounds
from tests.arena.conftest import League, naughty
from tests.benchmarks.ready_worker import ready

pytestmark = pytest.mark.usefixtures("inline")

HEAD = """\
game = "guerra"
tournament = "{form}"
seed = "a seed of some length"
deals = 1
options.max_turns = 20
limits = {{ sandbox = "none"{limits} }}
{more}
"""
BOTS = ("one", "two", "three", "four", "five")


def shipped(name: str, program: str = "random") -> str:
    return f'\n[[bot]]\nname = "{name}"\nshipped = "{program}"\n'


def text(*entries: str, form: str = "swiss", more: str = "", limits: str = "") -> str:
    return HEAD.format(form=form, more=more, limits=limits) + "".join(entries)


def of_five(form: str = "swiss", more: str = "") -> str:
    return text(*map(shipped, BOTS), form=form, more=more)


def rounds(league: League) -> list[StoredRound]:
    with open_store(read_league(league.folder, "read")) as store:
        return store.rounds.all()


def run(league: League, text: str = "", *words: str) -> str:
    if text:
        league.write(text)
    return league.call("run", *words).stderr


def alter(league: League, statement: str, *values: object) -> None:
    with closing(sqlite3.connect(league.folder / "league.db")) as db, db:
        db.execute(statement, values)


def names(drawn: StoredRound) -> list[str]:
    return [key for key, _ in drawn.drawn.field]


def verified(league: League, code: int = 0) -> str:
    return " ".join(league.call("verify", code=code).stdout.split())


def standings(league: League) -> Any:
    return json.loads(league.call("rank", "--format", "json").stdout)


def change(league: League, old: str, new: str) -> None:
    file = league.folder / "league.toml"
    found = file.read_text()
    assert old in found
    file.write_text(found.replace(old, new))


def store_results(plan: LeaguePlan, store: Store, deals: Iterable[Deal]) -> None:
    played = [
        ready(plan.schedule, deal, number)
        for deal in deals
        for number in range(plan.rotation_count)
    ]
    store.add(played, store.bots.rows(plan.bots), played_at="2026-01-01T00:00:00")


@pytest.fixture
def swiss(league: League) -> Iterator[tuple[LeaguePlan, Store]]:
    """A Swiss tournament of five and its store, in which nothing was played."""
    league.write(of_five())
    plan = read_league(league.folder)
    with open_store(plan, create=True) as store:
        store.settings.keep(plan.conditions())
        yield plan, store


def play_round(plan: LeaguePlan, store: Store) -> Deal:
    tournament = Tournament(plan, store)
    assert isinstance(tournament.advance((), is_part=False), Drawn)
    deals = [*tournament.latest.plan()]
    store_results(plan, store, deals)
    return deals[0]


def test_no_later_round_is_ended_for_matches_that_an_earlier_one_lost(
    swiss: tuple[LeaguePlan, Store],
) -> None:
    plan, store = swiss
    first = play_round(plan, store)
    play_round(plan, store)
    with closing(sqlite3.connect(plan.database)) as db, db:
        db.execute("DELETE FROM match WHERE record <= 2")
    before = store.rounds.all()
    tournament = Tournament(plan, store)
    assert tournament.advance(first.lineup, is_part=False) is None
    assert (store.rounds.all(), len(tournament.past)) == (before, 0)
    store_results(plan, store, [first])
    assert isinstance(tournament.advance((), is_part=False), Drawn)
    assert store.rounds.all()[:2] == before


def test_a_round_ends_without_the_deals_of_those_that_are_gone(
    swiss: tuple[LeaguePlan, Store],
) -> None:
    plan, store = swiss
    tournament = Tournament(plan, store)
    assert tournament.progress == "Round 1 comes next."
    assert isinstance(first := tournament.advance((), is_part=False), Drawn)
    missing, *others = tournament.latest.plan()
    store_results(plan, store, others)
    gone = missing.lineup[0]
    assert tournament.advance((), is_part=False) is None
    assert tournament.progress == "Round 1 is being played."
    assert tournament.advance([gone], is_part=True) is None
    assert isinstance(second := tournament.advance([gone], is_part=False), Drawn)
    [stored, latest] = store.rounds.all()
    assert (stored.drawn, latest.drawn, latest.out) == (first, second, [])
    assert [first.field[bot][0] for bot in stored.out] == [plan.bots[gone].key]
    assert plan.bots[gone].key not in {key for key, _ in second.field}
    with RawStore(plan.database) as raw, Store(plan.database) as drawn:
        assert [*wrong_rounds(drawn, raw.fixed())] == []


def test_a_stored_round_is_of_bots_of_its_field() -> None:
    field = [(name, "1") for name in "abc"]

    def check(out: list[int], *lineups: list[int]) -> None:
        deals = [(lineup, 0) for lineup in lineups]
        drawn = Drawn(deals_each=1, options={}, field=field, deals=deals)
        StoredRound(drawn=drawn, out=out).check()

    check([2], [0, 1], [1, 2])
    check([])
    for out, *lineups in ([[], [0, 3]], [[], [1, 1]], [[], []], [[3]]):
        with pytest.raises(Damage, match="not in its field"):
            check(out, *lineups)
    with pytest.raises(Damage, match="twice in the field"):
        StoredRound(
            drawn=Drawn(deals_each=1, options={}, field=[*field, ("a", "2")], deals=[])
        ).check()


def test_who_comes_later_and_what_the_file_asks_count_from_the_next_round_on(
    league: League,
) -> None:
    run(league, of_five(more="matches = 8\n"))
    assert len(rounds(league)) == 2
    assert "more than are left of the 8" in league.call("rank").stdout
    six = of_five().replace("deals = 1", "deals = 2") + shipped("six", "sensible")
    run(league, f"{six}\n[swiss]\nrounds = 4\n")
    assert [len(names(each)) for each in rounds(league)] == [5, 5, 6, 6]
    assert [each.drawn.deals_each for each in rounds(league)] == [1, 1, 2, 2]
    assert {row["bot"] for row in standings(league)["standings"]} == {*BOTS, "six"}
    assert "none differs" in verified(league)


def test_who_leaves_loses_what_is_left_and_the_others_go_on(league: League) -> None:
    run(league, of_five("knockout", more="matches = 3\n"))  # a round has two, and one is a bye
    (first,) = rounds(league)
    lineup = first.drawn.deals[0][0]
    remaining = [name for name in names(first) if name != names(first)[lineup[0]]]
    run(league, text(*map(shipped, remaining), form="knockout"))
    found = standings(league)
    assert found["progress"].startswith("The final of the knockout is played: ")
    assert found["standings"][0]["bot"] in remaining
    assert "none differs" in verified(league)


@pytest.mark.slow  # as the bot that is too slow takes its time
@pytest.mark.parametrize("form", ["swiss", "knockout", "double-elimination"])
def test_a_bot_that_is_too_slow_is_out_and_no_round_waits_for_it(league: League, form: str) -> None:
    entries = [*map(shipped, BOTS[:3]), naughty("spin")]
    limits = ", move_time = 0.1, faults_allowed = 0"
    league.write(text(*entries, form=form, limits=limits).replace("deals = 1", "deals = 12"))
    done = league.call("run")
    why = f"it {TOO_SLOW}. Make it faster, take it out, or make a league with a larger move_time."
    assert done.stderr.count(f"spin is suspended for this run: {why}") == 1
    assert f"spin was suspended: {why}" in " ".join(done.stdout.split())
    assert "spin has forfeited" not in done.stderr
    lost = sum(bot.name == "spin" for match, _ in league.stored() for bot in match.bots)
    assert lost >= FORFEITS_IN_A_ROW
    stored = rounds(league)
    out = [{names(each)[bot] for bot in each.out} for each in stored]
    assert {"spin"} in out
    assert all("spin" not in names(each) for each in stored[out.index({"spin"}) + 1 :])
    assert "none differs" in verified(league)
    assert "Nothing is missing." in run(league)
    assert rounds(league) == stored


def test_what_binds_begins_with_the_first_match(league: League) -> None:
    league.write(of_five())
    plan = read_league(league.folder)
    with open_store(plan, create=True) as store:  # a run that is killed before any match
        store.settings.keep(plan.conditions())
        Tournament(plan, store).advance((), is_part=False)
        assert len(store.rounds.all()) == 1
    change(league, "of some length", "of another length")
    run(league)
    assert "none differs" in verified(league)
    change(league, 'tournament = "swiss"', 'tournament = "knockout"')
    assert 'tournament was "swiss", not "knockout"' in league.call("run", code=2).stderr


def test_matches_and_rounds_that_were_lost_come_again_and_edited_ones_are_named(
    league: League,
) -> None:
    league.write(of_five())
    assert "Round 1 comes next." in league.call("rank").stdout
    done = league.call("run")
    assert "4 rounds of the Swiss tournament are played." in done.stdout
    assert "missing" not in done.stdout
    assert "4 matches to play in this round" in done.stderr
    assert (standings(league)["rounds"], len(rounds(league))) == (4, 4)
    assert "Nothing is missing." in run(league)
    before, drawn = league.rank(), rounds(league)
    alter(league, "DELETE FROM match WHERE record <= 3")
    assert json.loads(league.rank())["missing"] == 3
    assert "lacks matches, and others rest on it" in verified(league, 1)
    run(league)
    assert (league.rank(), rounds(league)) == (before, drawn)
    alter(league, "DELETE FROM round WHERE number >= 2")
    assert "4 deals are stored that no round has drawn" in verified(league, 1)
    run(league)
    assert (league.rank(), rounds(league)) == (before, drawn)
    with closing(sqlite3.connect(league.folder / "league.db")) as db:
        (found,) = db.execute("SELECT drawn FROM round WHERE number = 1").fetchone()
    for damage, said in (
        (lambda drawn: drawn["deals"].reverse(), "round 2 is not what follows"),
        (lambda drawn: drawn.update(field=drawn["field"][:1]), "not in its field"),
    ):
        damage(edited := json.loads(found))
        alter(league, "UPDATE round SET drawn = ? WHERE number = 1", json.dumps(edited))
        assert said in verified(league, 1)


def test_only_leagues_whose_rounds_begin_alike_are_merged(league: League, tmp_path: Path) -> None:
    run(league, of_five(more="matches = 4\n"))
    other = League(tmp_path / "other")
    other.is_inline = True
    shutil.copytree(league.folder, other.folder, dirs_exist_ok=True)
    for each, more in ((league, ""), (other, shipped("six"))):
        run(each, of_five() + more)
    file = tmp_path / "other.jsonl"
    other.call("export", str(file))
    before = league.rank()
    refused = league.call("import", str(file), code=2)
    assert "round 2 is another one than in" in refused.stderr
    assert league.rank() == before


def test_an_export_makes_a_league_that_goes_on(league: League, tmp_path: Path) -> None:
    run(league, of_five(more="matches = 8\n") + "\n[swiss]\nrounds = 5\n")
    file = tmp_path / "cup.jsonl"
    league.call("export", str(file))
    new = League(tmp_path / "new")
    new.is_inline = True
    new.folder.rmdir()
    new.call("import", str(file))
    assert rounds(new) == rounds(league)
    assert "rounds = 5" in (new.folder / "league.toml").read_text()
    change(league, "matches = 8\n", "")
    for each in (league, new):
        run(each)
    assert rounds(new) == rounds(league)
    one, other = (json.loads(each.rank())["standings"] for each in (league, new))
    assert [row["rating"] for row in one] == [row["rating"] for row in other]


def test_rounds_that_no_run_could_have_drawn_are_not_imported(
    league: League, tmp_path: Path
) -> None:
    run(league, of_five())
    file = tmp_path / "cup.jsonl"
    league.call("export", str(file))
    header, *lines = file.read_text().splitlines()
    new = League(tmp_path / "new")
    new.is_inline = True
    shutil.copy(league.folder / "league.toml", new.folder)
    for damage, said in (
        (lambda found: found["rounds"].pop(), "rounds: 2 deals are stored that no round has drawn"),
        (lambda found: found["rounds"][1]["drawn"]["deals"].reverse(), "rounds: round 2 is not"),
        (lambda found: found["rounds"][0].update(out=[0]), "rounds: `out` of round 1 names one"),
        (lambda found: found["rounds"][3].update(out=[0]), "rounds: `out` of round 4 names one"),
        (lambda found: found["rounds"][3].update(out=[1, 0]), "rounds[3]: the bots that are out"),
        (of_drawn(deals_each=10**18), "<= 2000000"),
        (of_drawn(options={"rounds": "two"}), "rounds[1]: the options of a round cannot be read"),
        (of_drawn(options={"goal": "best"}), "rounds[1]: the options of a round are not all"),
        (of_drawn(field=[["one", "1"]] * 5), "rounds[1]: a bot is twice in the field"),
        (of_drawn(field=[[str(at), "1"] for at in range(5)]), "is not among the bots"),
        (lambda found: found["settings"].update(tournament="round-robin"), "'round-robin' have no"),
    ):
        damage(edited := json.loads(header))
        file.write_text("\n".join((json.dumps(edited), *lines)) + "\n")
        refused = new.call("import", str(file), code=2).stderr
        assert refused.startswith(f"arena: {file}:1: ")
        assert said in refused
        assert not (new.folder / "league.db").exists()
    file.write_text("\n".join((header, *lines)) + "\n")
    new.call("import", str(file))
    assert (rounds(new), "none differs" in verified(new)) == (rounds(league), True)


def test_out_of_the_last_round_is_who_lacks_matches_of_it_until_they_come_from_elsewhere(
    league: League, tmp_path: Path
) -> None:
    run(league, of_five() + "\n[swiss]\nrounds = 1\n")
    (only,) = rounds(league)
    file = tmp_path / "whole.jsonl"
    league.call("export", str(file))
    alter(league, "DELETE FROM match WHERE record = 1")
    (lacking,) = (
        sorted(lineup) for lineup, _ in only.drawn.deals if is_out(league, sorted(lineup))
    )
    for bot in range(5):
        assert is_out(league, [bot]) == (bot in lacking)
    assert not is_out(league, [*range(5)])
    assert is_out(league, lacking[:1])
    league.call("import", str(file))
    assert rounds(league) == [only]


def is_out(league: League, out: list[int]) -> bool:
    """Say in the database who is out of its first round; return whether that may be."""
    alter(league, "UPDATE round SET out = ? WHERE number = 0", json.dumps(out))
    database = league.folder / "league.db"
    with RawStore(database) as raw, Store(database) as drawn:
        return not [*wrong_rounds(drawn, raw.fixed())]


def of_drawn(**values: Any) -> Callable[[Any], None]:
    return lambda found: found["rounds"][1]["drawn"].update(values)


def test_what_does_not_go_with_rounds_is_refused(league: League) -> None:
    for more, said in (
        ("share = 0.5\n", "share does not go with tournament = 'swiss'"),
        ("matches_per_bot = 4\n", "matches_per_bot does not go with"),
        ("matches = 3\n", "matches = 3 is less than the first round, which has 4"),
        ("matches = 1\n", "less than the 2 matches of a deal"),
    ):
        league.write(of_five(more=more))
        assert said in league.call("run", code=2).stderr
    league.write(text(shipped("one"), form="knockout"))
    assert "BOT...` enters some" in league.call("run", code=2).stderr
    league.write(text(shipped("one"), shipped("two"), form="round-robin"))
    assert "leave out --by" in league.call("rank", "--by", "standings", code=2).stderr


def test_while_its_first_round_is_played_a_bracket_is_the_one_that_was_drawn(
    league: League,
) -> None:
    six_deals = of_five("knockout").replace("deals = 1", "deals = 6")
    league.write(six_deals)
    league.call("run", "--part", "1/2")  # which cannot end the round
    before = standings(league)
    assert before["tables"]["Round 1"]
    league.write(six_deals + shipped("six"))
    after = standings(league)
    assert after["tables"] == before["tables"]
    assert [row["bot"] for row in after["standings"]] == [row["bot"] for row in before["standings"]]


# --- what rank shows of a tournament


@pytest.mark.parametrize("form", ["swiss", "knockout", "settled", "round-robin"])
def test_a_run_ends_with_what_rank_shows(league: League, form: str) -> None:
    league.write(of_five(form))
    at_the_end = league.call("run").stdout
    assert league.call("rank").stdout == at_the_end
    first, _, below = at_the_end.partition("\nRatings\n")
    if form == "round-robin":
        assert not below
        return
    assert "Rating ± 2σ" in first
    assert below.splitlines()[0].split()[:2] == ["Rank", "Bot"]
    alone = league.call("rank", "--by", "rating").stdout
    assert alone.splitlines()[:7] == below.splitlines()[:7]
    assert league.call("rank", "--by", "standings").stdout == at_the_end
    assert "rounds" in standings(league)
    assert "rounds" not in json.loads(league.rank())
    faults = league.call("rank", "--faults").stdout  # an option about ratings
    assert faults.splitlines()[0].split()[-1] == "Forfeits"
    notes = " ".join(at_the_end.split())
    assert notes.count(standings(league)["progress"]) == 1


@pytest.mark.slow
def test_the_ratings_of_a_settled_league_tell_no_more_bots_apart_than_its_standings(
    league: League,
) -> None:
    bots = [shipped(name, name) for name in ("random", "rusher", "sensible")]
    league.write(text(*bots, form="settled").replace("deals = 1", "deals = 6"))
    league.call("run")
    known = {row["bot"]: row["rank"] for row in standings(league)["standings"]}
    rows = json.loads(league.rank())["standings"]
    for row in rows:
        first, last = row["rank"]
        assert known[row["bot"]] == (f"{first}" if first == last else f"{first}-{last}")
    together = json.loads(league.call("rank", "--together", "--format", "json").stdout)
    assert [row["rank"] for row in together["standings"]] != [row["rank"] for row in rows]
