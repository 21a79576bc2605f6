"""`arena report`: what it writes where, and which matches can be stepped through."""

import dataclasses
import json
import os
from dataclasses import replace as replace_match
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from arena.archive.show import open_match
from arena.report import choice
from arena.report.choice import PICKS, candidates, in_turn
from arena.report.frames import frames_of
from arena.store.result import Record
from arena.store.rows import BotVersion, StoredMatch, WholeMatch
from arena.store.store import Store
from referee.games import GAMES
from referee.match.evidence import Played
from tests.arena.conftest import Arena
from tests.golden import Golden

PAGE = Path(choice.__file__).with_name("page")


def payload(page: str) -> dict[str, Any]:
    """Return what the page holds for the viewer of replays."""
    begin = page.index('id="matches">') + len('id="matches">')
    return json.loads(page[begin : page.index("</script>", begin)])


def report(arena: Arena, league: Path, *words: object) -> str:
    result = arena("report", league, "-o", "-", *words)
    assert result.exit_code == 0, result.output
    return result.stdout


def refused(arena: Arena, *words: object, code: int = 2) -> str:
    result = arena("report", *words)
    assert result.exit_code == code, result.output
    return result.stderr


def test_it_is_written_and_told_and_written_over_only_if_it_is_a_page(
    arena: Arena, played: Path, tmp_path: Path
) -> None:
    file = tmp_path / "cup.html"
    for words in (("--replays", "0"), ()):
        result = arena("report", played, "-o", file, *words)
        assert result.exit_code == 0
    assert (
        result.stderr
        == f"{file} is written: 12 matches in its tables, 12 to step through, 0.2 MB.\n"
    )
    assert file.read_text().startswith("<!DOCTYPE html>")
    assert [path.name for path in tmp_path.iterdir()] == ["cup.html"]
    file.write_text("<!DOCTYPE html>\nyears of work")
    said = refused(arena, played, "-o", file)
    assert said == f"arena: {file} exists; choose another file, or write over it with --force.\n"
    assert file.read_text().endswith("years of work")
    assert arena("report", played, "-o", file, "--force").exit_code == 0


def test_what_is_no_place_for_a_page_is_refused(arena: Arena, copy: Path, tmp_path: Path) -> None:
    for name in ("league.db", "league.toml", "league.db-journal", "league.db-wal"):
        assert "is the league itself" in refused(arena, copy, "-o", copy / name, "--force")
    assert "is a folder; name a file in it" in refused(arena, copy, "-o", tmp_path)
    arena("init", tmp_path / "new", "--game", "guerra", "random", "rusher")
    said = refused(arena, tmp_path / "new", "-o", tmp_path / "new.html")
    assert "has no results yet; `arena run " in said
    assert not (tmp_path / "new.html").exists()
    os.mkfifo(tmp_path / "pipe")
    assert "is not a regular file" in refused(arena, copy, "-o", tmp_path / "pipe")
    said = refused(arena, copy, "-o", tmp_path / ("a" * 300), code=1)
    assert said.endswith("cannot be written: File name too long.\n")


def test_a_size_or_a_pick_that_is_none_is_named(arena: Arena, played: Path, golden: Golden) -> None:
    for size in ("", "2", "2 bytes", "-1", "2GB", "1e6", "many"):
        golden(refused(arena, played, "-o", "-", "--replays", size))
    for text in ("best,worst", "", "best,"):
        golden(refused(arena, played, "-o", "-", "--pick", text))


@pytest.mark.slow
def test_replays_take_no_more_room_than_they_may(
    arena: Arena, played: Path, tmp_path: Path
) -> None:
    page = report(arena, played, "--pick", "faulty")
    assert "Score: the Troops on the table at the end" in page
    found = payload(page)["matches"]
    assert found
    assert all(match["faults"] and match["picked"] == ["faulty"] for match in found)
    without = report(arena, played, "--replays", "0")
    assert 'id="replays"' not in without
    assert 'id="matches"' not in without
    viewer = sum(path.stat().st_size for path in (PAGE / "board.js", *PAGE.glob("viewer.*")))
    size = len(report(arena, played, "--replays", "0.02 MB").encode()) - len(without.encode())
    assert size <= 20_000 + viewer + 1000  # and what is around them
    said = arena("report", played, "-o", tmp_path / "cup.html", "--replays", "0.001kB").stderr
    assert ", 0 to step through, as there is none of that kind, or none that fits, " in said


def test_a_bot_that_writes_much_does_not_keep_others_matches_out(
    played: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes = {0: 9000, 1: 9000, 2: 9000}
    monkeypatch.setattr(choice, "_row", lambda opened, game, picked: b"x" * sizes.get(opened, 100))
    chosen = [(number, ["best"]) for number in range(50)]
    text, count = choice.replays(GAMES["guerra"], chosen, lambda match: match, 10_000)
    assert count == 47
    assert len(text) <= 10_000


def test_what_bots_say_is_cut_to_what_can_be_read(first: WholeMatch) -> None:
    evidence = replace(first.evidence, stderr=["x" * 50_000, "end"])
    loud = dataclasses.replace(first, record=Record.of(Played(first.replay, evidence), 0.0))
    texts = [seat["stderr"] for seat in frames_of(loud, GAMES["guerra"])["seats"]]
    assert texts == ["(46000 characters before) …" + "x" * 4000, "end"]


BOTS = {name: BotVersion(name, "00") for name in "abcd"}
RATINGS = {BOTS["a"]: 40.0, BOTS["b"]: 30.0, BOTS["c"]: 29.0, BOTS["d"]: 10.0}


def a_match(number: int, *names: str, faulty: bool = False) -> StoredMatch:
    faults = ({"late": 1} if faulty else {}, {})
    bots = tuple(BOTS.get(name, BotVersion(name, "00")) for name in names)
    name = f"{number:016x}"
    return StoredMatch(f"{name}-0", name, 0, None, 0, bots, (1, 2), "over", 3, faults, (), 0)


def test_the_best_meet_first_and_the_closest_before_others() -> None:
    pairs = ("ab", "ac", "ad", "bc", "bd", "cd")
    found = candidates([a_match(n, *pair) for n, pair in enumerate(pairs)], RATINGS)
    assert ["".join(bot.name for bot in match.bots) for match in found["best"]] == [
        "ab",
        "ac",
        "bc",
    ]
    assert found["closest"][0].bots == (BOTS["b"], BOTS["c"])
    assert found["faulty"] == []
    # a line-up again only after all others
    matches = [a_match(n, "a", "b") for n in range(9)] + [a_match(99, "c", "d")]
    assert candidates(matches, RATINGS)["best"][1].bots == (BOTS["c"], BOTS["d"])
    # and none that was over before anybody was asked
    failed = replace_match(a_match(1, *"ab"), forfeits=(0,), decisions=1)
    found = candidates([failed, matches[2]], RATINGS)
    assert found["best"] == found["closest"] == [matches[2]]
    assert found["faulty"] == [failed]
    # in whatever order they come, and none of a bot that left
    matches = [a_match(n, *"ab", faulty=n % 3 == 0) for n in range(50)]
    assert candidates(matches, RATINGS) == candidates(matches[::-1], RATINGS)
    found = candidates([a_match(1, "a", "gone")], RATINGS)
    assert all(not found[pick] for pick in PICKS)


def test_picks_take_turns_and_a_match_is_shown_once_with_all_it_was_picked_for() -> None:
    one, two, three = (a_match(n, *"ab") for n in range(3))
    found = {"best": [one, two], "closest": [two], "faulty": [three], "sample": [one]}
    assert [(match.id, picked) for match, picked in in_turn(found, PICKS)] == [
        (one.id, ["best", "sample"]),
        (two.id, ["best", "closest"]),
        (three.id, ["faulty"]),
    ]


@pytest.fixture
def first(played: Path) -> WholeMatch:
    """The first match of the played league."""
    with Store(played / "league.db") as store:
        return open_match(store, next(iter(store.matches())).id)


def test_a_frame_is_the_table_before_a_step_with_its_decisions(first: WholeMatch) -> None:
    frames = frames_of(first, GAMES["guerra"])["frames"]
    entries = [entry for frame in frames for entry in frame["entries"]]
    assert [entry["number"] for entry in entries] == list(range(1, first.match.decisions + 1))
    assert [entry["seat"] for entry in entries] == [e.seat for e in first.replay.entries]
    assert frames[-1]["entries"] == []
    assert all(frame["all"] and all(frame["seats"]) for frame in frames)


def test_a_match_of_other_rules_is_told_without_boards(
    first: WholeMatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(GAMES["guerra"], "rules_version", 99)
    found = frames_of(first, GAMES["guerra"])
    (frame,) = found["frames"]
    assert "here is version 99" in found["problem"]
    assert frame["all"] == []
    assert len(frame["entries"]) == len(first.replay.entries)
