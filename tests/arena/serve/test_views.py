"""What pages of a league show: the numbers of the commands, and nothing that is not to be known."""

import base64
import gzip
import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import datetime
from pathlib import Path

import msgspec
import pytest

from arena.handin.submissions import Submission
from arena.league.contest import HandIn
from arena.serve.careers import bot_view
from arena.serve.replays import (
    MatchesView,
    ReplayView,
    matches_view,
    own_view,
    replay_view,
)
from arena.serve.shown import calendar_of, milestones, queue_view, submission_view
from arena.serve.views import table_view
from arena.store.opening import open_store, read_league, read_played
from protocol.errors import Refusal
from tests.arena.conftest import Arena, League
from tests.arena.report.test_summary import league_of, play, rewrite
from tests.arena.serve.hostile import submission

NAMES = ("ann", "bob", "cat")
DAY = "2026-01-02T03:04:05+00:00"
"""When made-up matches were stored."""


@pytest.fixture
def cup(tmp_path: Path) -> Path:
    return league_of(tmp_path / "cup", NAMES)


@pytest.fixture
def duo(tmp_path: Path) -> Path:
    return league_of(tmp_path / "duo", ("ann", "bob"))


def replaced(folder: Path) -> None:
    """Play the duo with another bob, on a later day."""
    rewrite(folder, ('name = "bob"\nshipped = "random"', 'name = "bob"\nshipped = "rusher"'))
    play(folder, ("bob", "ann"))
    dated(folder, after=8, day="2026-02-03T00:00:00+00:00")


def dated(folder: Path, *, after: int, day: str) -> None:
    """Say of the matches after the first so many that they were stored on another day."""
    with closing(sqlite3.connect(folder / "league.db")) as db:
        db.execute("UPDATE record SET played_at = ? WHERE id > ?", (day, after))
        db.commit()


# --- the table


@pytest.mark.slow
def test_the_table_has_the_rows_of_arena_rank(arena: Arena, played: Path) -> None:
    said = json.loads(arena("rank", played, "--by", "score", "--format", "json").stdout)
    view = table_view(played)
    rows = json.loads(msgspec.json.encode(view.rows))
    known = {row["bot"]: row for row in said["standings"]}
    assert len(rows) == len(known) == 3
    for row in rows:
        for key, value in known[row["bot"]].items():
            assert row[key] == (
                pytest.approx(value, abs=1e-4) if isinstance(value, float) else value
            )
    assert (view.matches, view.asked, view.missing, view.stored) == (12, 12, 0, 12)
    assert (view.game, view.seats, view.duels, view.scored) == ("guerra", 2, True, True)


def test_a_league_that_was_not_played_has_its_bots(tmp_path: Path) -> None:
    folder = league_of(tmp_path / "cup", NAMES)
    (folder / "league.db").unlink()
    view = table_view(folder)
    assert [row["bot"] for row in view.rows] == list(NAMES)
    assert {row["rank"] for row in view.rows} == {None}
    assert (view.matches, view.missing, view.asked, view.last) == (0, 24, 24, "")
    assert bot_view(folder, "ann").versions == []
    with pytest.raises(Refusal, match="there is no bot 'dan' in this league"):
        bot_view(folder, "dan")
    assert matches_view(folder).rows == []
    assert own_view(folder, "ann").said == []
    with pytest.raises(Refusal, match="nothing was played yet"):
        replay_view(folder, "3f9a")


def test_nothing_says_where_a_league_is_or_what_its_seed_is(cup: Path) -> None:
    rewrite(cup, ('name = "cat"\nshipped = "random"', 'name = "cat"\nfolder = "/nowhere/secret"'))
    play_more = league_of(cup.parent / "other", NAMES, missing=5)
    for folder in (cup, play_more):
        views = [table_view(folder), *(bot_view(folder, name) for name in NAMES)]
        views.append(matches_view(folder))
        text = msgspec.json.encode(views).decode()
        assert str(folder.parent) not in text
        assert "nowhere" not in text
        assert "sesame" not in text
    assert "cat cannot be run: its files are not as they should be." in table_view(cup).notes
    view = table_view(play_more)
    assert (view.missing, "missing" in "".join(view.notes)) == (5, False)


def test_who_is_disqualified_is_said_with_the_reason(cup: Path) -> None:
    rewrite(cup, ('name = "bob"', 'name = "bob"\ndisqualified = "It was ann."'))
    view = table_view(cup)
    assert [row["bot"] for row in view.rows] == ["ann", "cat"]
    assert "bob was disqualified: It was ann. Its matches do not count." in view.notes
    assert any("more matches in all" in note for note in view.notes), "what would settle ranks"
    bot = bot_view(cup, "bob")
    assert (bot.present, bot.row) == (False, None)
    assert bot.disqualified == "bob was disqualified: It was ann."
    assert bot.versions[0].matches > 0
    honest = bot_view(cup, "ann")
    [now] = honest.versions
    assert honest.row is not None
    assert [honest.row[key] for key in ("rating", "points", "matches")] == [
        now.rating,
        now.points,
        now.matches,
    ]
    assert honest.points[-1].matches == view.matches


# --- a bot


@pytest.mark.slow
def test_a_bots_versions_are_distinguished_with_their_dates(duo: Path) -> None:
    old = bot_view(duo, "bob").versions[0].version
    replaced(duo)
    view = bot_view(duo, "bob")
    now, before = view.versions
    assert (now.present, now.matches, now.first) == (True, 8, "2026-02-03T00:00:00+00:00")
    assert (before.present, before.matches, before.version) == (False, 8, old)
    assert (before.first, before.last) == (DAY, DAY)
    assert now.rating > before.rating
    assert before.title == f"bob @{old[:6]}"
    assert [row["other"] for row in view.opponents] == ["ann"]
    assert view.row is not None
    assert view.row["matches"] == 8
    drawn = [set(point.ratings) for point in view.points]
    assert {before.title} in drawn
    assert drawn[-1] == {"bob"}
    assert "<svg" in view.picture
    assert before.title in view.picture
    assert ">Matches of the league</text>" in view.picture


def test_a_bot_that_left_keeps_its_page(cup: Path) -> None:
    rewrite(cup, ('\n[[bot]]\nname = "cat"\nshipped = "random"\n', ""))
    view = bot_view(cup, "cat")
    assert not view.present
    assert view.row is None
    assert [(each.present, each.matches) for each in view.versions] == [(False, 16)]
    assert "cat is no longer in the league: its matches do not count." in table_view(cup).notes


# --- matches


def test_matches_come_newest_first_page_by_page(cup: Path) -> None:
    with open_store(read_played(cup)) as store:
        ids = [match.id for _, _, match in store.newest()]
        assert sorted(ids) == sorted(match.id for match in store.matches())
        places = [place for place, _, _ in store.newest()]
    assert places == sorted(places, reverse=True)
    found, before = [], 0
    while True:
        view = matches_view(cup, before=before, limit=7)
        found += [row.id for row in view.rows]
        before = view.older
        if not before:
            break
    assert found == ids


def versions(folder: Path, name: str) -> list[tuple[str, str]]:
    """Return the bot of a name, with its version, as what somebody has handed in."""
    return [(bot.name, bot.version) for bot in read_league(folder).bots if bot.name == name]


def test_an_author_sees_the_matches_of_own_bots_alone(cup: Path) -> None:
    def sat(view: MatchesView) -> set[frozenset[str]]:
        return {frozenset(seat.bot for seat in row.seats) for row in view.rows}

    ann, bob, cat = ({name} for name in NAMES)
    of_cat = versions(cup, "cat")
    assert sat(matches_view(cup, own=of_cat)) == {frozenset(ann | cat), frozenset(bob | cat)}
    assert sat(matches_view(cup, bot="ann")) == {frozenset(ann | cat), frozenset(ann | bob)}
    assert sat(matches_view(cup, bot="ann", own=of_cat)) == {frozenset(ann | cat)}
    assert matches_view(cup, own=[("cat", "another program of this name")]).rows == []
    assert matches_view(cup, own=[]).rows == []


def test_only_matches_with_faults_are_listed_if_wanted(played: Path) -> None:
    faulty = matches_view(played, faulty=True).rows
    assert 0 < len(faulty) < len(matches_view(played).rows)
    assert all(any(seat.faults for seat in row.seats) for row in faulty)


TALKER = """
import sys, kit, guerra_random
sys.stderr.write("stderr of {name}")
turns = 0
def choose(ask):
    global turns
    turns += 1
    ask.note = "note of {name}"
    if turns % 3 == 2:
        return {{"line": "line of {name}"}}
    return guerra_random.choose(ask)
kit.run(choose)
"""


@pytest.fixture(scope="module")
def talkers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A league of two bots that say much."""
    league = League(tmp_path_factory.mktemp("talkers"))
    entries = [league.bot(name, TALKER.format(name=name)) for name in ("ann", "bob")]
    league.write('game = "guerra"\nseed = 1\ndeals = 1\noptions.max_turns = 6\n' + "".join(entries))
    league.call("run")
    yield league.folder
    league.close()


def unpacked(view: ReplayView) -> str:
    """Return all that a browser gets of a match."""
    (match,) = json.loads(view.payload)["matches"]
    return gzip.decompress(base64.b64decode(match["data"])).decode()


@pytest.mark.slow
def test_what_a_bot_says_is_for_its_author(talkers: Path) -> None:
    match = matches_view(talkers).rows[0].id
    everything = unpacked(replay_view(talkers, match))
    mine = unpacked(replay_view(talkers, match, own=versions(talkers, "ann")))
    strangers = unpacked(replay_view(talkers, match, own=[("ann", "another program")]))
    for what in ("note of {}", "stderr of {}", "line of {}"):
        for name in ("ann", "bob"):
            said = what.format(name)
            assert said in everything
            assert (said in mine) == (name == "ann")
            assert said not in strangers
    assert own_view(talkers, "ann", own=[("ann", "another program")]).said == []
    own = own_view(talkers, "ann", own=versions(talkers, "ann"))
    text = msgspec.json.encode(own).decode()
    assert "note of ann" in text
    assert "stderr of ann" in text
    assert "line of ann" in text
    assert "of bob" not in text
    assert own.said[0].faults[0]["kind"] == "illegal"
    assert own_view(talkers, "ann", since="2020-01-01T00:00:00+00:00").said == []


# --- results that are held back


def test_results_after_the_freeze_are_held_back(duo: Path) -> None:
    frozen = table_view(duo)
    old = bot_view(duo, "bob")
    replaced(duo)
    since = "2026-02-01T00:00:00+01:00"
    assert table_view(duo, since) == frozen
    assert table_view(duo) != frozen
    assert bot_view(duo, "bob", since) == old
    assert {row.at for row in matches_view(duo, since=since, limit=100).rows} == {DAY}
    newest = matches_view(duo).rows[0]
    assert newest.at != DAY
    with pytest.raises(Refusal, match="there is no match"):
        replay_view(duo, newest.id, since=since)
    before = table_view(duo, "2026-01-01T00:00:00+00:00").rows
    assert [(row["bot"], row["matches"]) for row in before] == [("ann", 0), ("bob", 0)]


# --- submissions and the calendar


def test_the_stages_of_a_submission() -> None:
    for state, step, reached, looks in (
        ("received", "", 1, "now left left left"),
        ("building", "build", 2, "done now left left"),
        ("checking", "check", 3, "done done now left"),
        ("playing", "", 4, "done done done done"),
        ("refused", "unpack", 1, "failed left left left"),
        ("refused", "build", 2, "done failed left left"),
        ("refused", "check", 3, "done done failed left"),
        ("refused", "enter", 3, "done done done failed"),
        ("replaced", "", 4, "done done done done"),
        ("replaced", "", 1, "done left left left"),
    ):
        states = ["received", "building", "checking", "playing"][:reached]
        history = [(each, DAY) for each in dict.fromkeys([*states, state])]
        found = milestones(submission(state=state, step=step, history=history))
        assert [each.look for each in found] == looks.split()


def test_a_calendar_has_zones_a_queue_no_authors_and_a_submission_what_is_its_own() -> None:
    hand_in = HandIn(closes=datetime.fromisoformat("2026-12-02T12:00:00+01:00"), final_deals=5)
    view = calendar_of(hand_in, [])
    assert (view.closes, view.opens, view.final_deals) == ("2026-12-02T12:00:00+01:00", "", 5)
    text = msgspec.json.encode(queue_view([submission(author="ada", bot="Castle")])).decode()
    assert ("Castle" in text, "ada" in text) == (True, False)
    places = {"filename": "secret.py", "folder": "/secret", "arrived": "secret"}
    one = msgspec.structs.asdict(submission(3, state="refused", output=""))
    stored = Submission(**one, **places)
    found = submission_view(stored)
    assert (found.number, found.state, found.output) == (3, "refused", "")
    assert "secret" not in msgspec.json.encode(found).decode()


def test_a_beginning_of_an_id_means_a_match_that_may_be_seen(played: Path) -> None:
    rows = matches_view(played).rows
    own = versions(played, "illegal")
    found = 0
    for begins in (f"{digit}-0" for digit in "0123456789abcdef"):
        ids = [row.id for row in rows if row.id[0] + row.id[-2:] == begins]
        its = [row.id for row in rows if row.id in ids and "illegal" in {s.bot for s in row.seats}]
        if len(its) == 1:
            assert replay_view(played, begins, own=own, only_own=True).row.id == its[0]
        if len(its) == 1 < len(ids):
            found += 1
            with pytest.raises(Refusal, match=ids[0]):  # without that, it may be any of them
                replay_view(played, begins, own=own)
    assert found


def test_a_table_from_before_the_first_match_has_the_bots_without_results(tmp_path: Path) -> None:
    folder = league_of(tmp_path / "cup", ("ann", "bob"))
    view = table_view(folder, "2000-01-01T00:00:00+00:00")
    assert {row["bot"] for row in view.rows} == {"ann", "bob"}
    assert (view.stored, view.last, [row["matches"] for row in view.rows]) == (0, "", [0, 0])
