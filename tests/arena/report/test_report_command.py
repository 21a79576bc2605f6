"""`arena report`: what it writes where, and which matches can be stepped through."""

import dataclasses
import json
import os
import sqlite3
import subprocess
from contextlib import closing
from dataclasses import replace as replace_match
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from arena.archive.show import open_match
from arena.report import choice
from arena.report.choice import PICKS, Candidates, candidates
from arena.report.frames import frames_of
from arena.store.result import Record
from arena.store.rows import BotVersion, StoredMatch
from arena.store.store import Store
from referee.evidence import Played
from referee.games import GAMES
from tests.arena.conftest import ARENA, PLAYED, ROOT, TWO_BOTS, Arena, League

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


# --- the file


def test_it_is_written_and_told(arena: Arena, played: Path, tmp_path: Path) -> None:
    file = tmp_path / "cup.html"
    result = arena("report", played, "-o", file)
    assert result.exit_code == 0
    assert (
        result.stderr
        == f"{file} is written: 12 matches in its tables, 12 to step through, 0.1 MB.\n"
    )
    assert file.read_text().startswith("<!DOCTYPE html>")
    assert [path.name for path in tmp_path.iterdir()] == ["cup.html"]


def test_it_is_the_same_each_time(played: Path) -> None:
    words = [*ARENA, "report", str(played), "-o", "-"]
    pages = {
        subprocess.run(
            words, cwd=ROOT, env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True
        ).stdout
        for seed in ("1", "2")
    }
    (page,) = pages
    assert b'id="matches"' in page


def test_a_page_may_be_made_anew(arena: Arena, played: Path, tmp_path: Path) -> None:
    file = tmp_path / "cup.html"
    for words in ((), ("--replays", "0")):
        assert arena("report", played, "-o", file, *words).exit_code == 0


def test_another_file_is_not_written_over_unless_one_insists(
    arena: Arena, played: Path, tmp_path: Path
) -> None:
    file = tmp_path / "thesis.html"
    file.write_text("<!DOCTYPE html>\nyears of work")
    said = refused(arena, played, "-o", file)
    assert said == f"arena: {file} exists; choose another file, or write over it with --force.\n"
    assert file.read_text().endswith("years of work")
    assert arena("report", played, "-o", file, "--force").exit_code == 0


@pytest.mark.parametrize("name", ["league.db", "league.toml", "league.db-journal", "league.db-wal"])
def test_the_league_itself_is_never_written_over(arena: Arena, copy: Path, name: str) -> None:
    assert "is the league itself" in refused(arena, copy, "-o", copy / name, "--force")


def test_a_folder_is_no_target(arena: Arena, played: Path, tmp_path: Path) -> None:
    assert "is a folder; name a file in it" in refused(arena, played, "-o", tmp_path)


def test_a_league_that_has_not_played_has_no_page(arena: Arena, tmp_path: Path) -> None:
    arena("init", tmp_path / "new", "--game", "guerra", "random", "rusher")
    said = refused(arena, tmp_path / "new", "-o", tmp_path / "new.html")
    assert "has no results yet; `arena run` plays them." in said
    assert not (tmp_path / "new.html").exists()


@pytest.mark.parametrize("size", ["", "2", "2 bytes", "-1", "2GB", "1e6", "many"])
def test_a_size_that_is_none_is_named(arena: Arena, played: Path, size: str) -> None:
    said = refused(arena, played, "-o", "-", "--replays", size)
    assert said == f"arena: --replays takes a size such as 500kB or 2MB, or 0, not {size!r}.\n"


@pytest.mark.parametrize(("text", "word"), [("best,worst", "worst"), ("", ""), ("best,", "")])
def test_a_pick_that_is_none_is_named(arena: Arena, played: Path, text: str, word: str) -> None:
    said = refused(arena, played, "-o", "-", "--pick", text)
    assert said == f"arena: --pick takes words among best, closest, faulty, sample, not {word!r}.\n"


def test_a_pipe_is_refused_at_once(arena: Arena, played: Path, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert "is not a regular file" in refused(arena, played, "-o", tmp_path / "pipe")


def test_a_name_that_no_file_can_have_is_told(arena: Arena, played: Path, tmp_path: Path) -> None:
    said = refused(arena, played, "-o", tmp_path / ("a" * 300), code=1)
    assert said.endswith("cannot be written: File name too long.\n")


def test_a_damaged_record_is_told_in_a_line(arena: Arena, copy: Path, tmp_path: Path) -> None:
    with closing(sqlite3.connect(copy / "league.db")) as db, db:
        db.execute("UPDATE record SET replay = x'00'")
    said = refused(arena, copy, "-o", tmp_path / "cup.html", code=1)
    assert "is damaged: match " in said
    assert "`arena verify" in said
    assert not (tmp_path / "cup.html").exists()


# --- which matches


@pytest.mark.parametrize("room", ["20kB", "50kb", "0.1 MB"])
def test_replays_take_no_more_room_than_they_may(arena: Arena, played: Path, room: str) -> None:
    most = {"20kB": 20_000, "50kb": 50_000, "0.1 MB": 100_000}[room]
    whole, without = (
        len(report(arena, played, "--replays", words).encode()) for words in (room, "0")
    )
    viewer = sum(path.stat().st_size for path in (PAGE / "board.js", *PAGE.glob("viewer.*")))
    assert whole - without <= most + viewer + 1000  # and what is around them


def test_where_none_fits_or_is_wanted_that_is_told(
    arena: Arena, played: Path, tmp_path: Path
) -> None:
    for words in (("--replays", "1kB"), ("--replays", "0.001kB")):
        said = arena("report", played, "-o", tmp_path / "cup.html", *words).stderr
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


def test_what_bots_say_is_cut_to_what_can_be_read(played: Path) -> None:
    with Store(played / "league.db") as store:
        opened = open_match(store, next(iter(store.matches())).id)
    evidence = replace(opened.evidence, stderr=["x" * 50_000, "end"])
    loud = dataclasses.replace(opened, record=Record.of(Played(opened.replay, evidence), 0.0))
    texts = [seat["stderr"] for seat in frames_of(loud, GAMES["guerra"])["seats"]]
    assert texts == ["(46000 characters before) …" + "x" * 4000, "end"]


def test_without_room_there_are_no_replays(arena: Arena, played: Path) -> None:
    page = report(arena, played, "--replays", "0")
    assert 'id="replays"' not in page
    assert 'id="matches"' not in page


def test_faulty_ones_only_if_that_is_asked_for(arena: Arena, played: Path) -> None:
    found = payload(report(arena, played, "--pick", "faulty"))["matches"]
    assert found
    assert all(match["faults"] and match["picked"] == ["faulty"] for match in found)


BOTS = {name: BotVersion(name, "00") for name in "abcd"}
RATINGS = {BOTS["a"]: 40.0, BOTS["b"]: 30.0, BOTS["c"]: 29.0, BOTS["d"]: 10.0}


def a_match(number: int, *names: str, faulty: bool = False) -> StoredMatch:
    faults = ({"late": 1} if faulty else {}, {})
    bots = tuple(BOTS.get(name, BotVersion(name, "00")) for name in names)
    name = f"{number:016x}"
    return StoredMatch(f"{name}-0", name, 0, 0, bots, (1, 2), "over", 3, faults, (), 0)


def test_the_best_meet_first_and_the_closest_before_others() -> None:
    pairs = ("ab", "ac", "ad", "bc", "bd", "cd")
    found = candidates([a_match(n, *pair) for n, pair in enumerate(pairs)], RATINGS).by_pick
    assert [match.bots[0].name + match.bots[1].name for match in found["best"]] == [
        *("ab", "ac", "bc")
    ]
    assert found["closest"][0].bots == (BOTS["b"], BOTS["c"])
    assert found["faulty"] == []


def test_a_line_up_is_shown_again_only_after_all_others() -> None:
    matches = [a_match(n, "a", "b") for n in range(9)] + [a_match(99, "c", "d")]
    assert candidates(matches, RATINGS).by_pick["best"][1].bots == (BOTS["c"], BOTS["d"])


def test_the_choice_does_not_depend_on_the_order_of_the_matches() -> None:
    matches = [a_match(n, *"ab", faulty=n % 3 == 0) for n in range(50)]
    assert candidates(matches, RATINGS) == candidates(matches[::-1], RATINGS)


def test_matches_of_bots_that_left_are_not_shown() -> None:
    found = candidates([a_match(1, "a", "gone")], RATINGS).by_pick
    assert all(not found[pick] for pick in PICKS)


def test_picks_take_turns_and_a_match_is_shown_once_with_all_it_was_picked_for() -> None:
    one, two, three = (a_match(n, *"ab") for n in range(3))
    found = Candidates({"best": [one, two], "closest": [two], "faulty": [three], "sample": [one]})
    assert [(match.id, picked) for match, picked in found.in_turn(PICKS)] == [
        (one.id, ["best", "sample"]),
        (two.id, ["best", "closest"]),
        (three.id, ["faulty"]),
    ]


def test_matches_that_were_over_before_anybody_was_asked_are_no_good_ones() -> None:
    failed = replace_match(a_match(1, *"ab"), forfeits=(0,), decisions=1)
    played = a_match(2, *"ab")
    found = candidates([failed, played], RATINGS).by_pick
    assert found["best"] == found["closest"] == [played]
    assert found["faulty"] == [failed]


def test_many_line_ups_are_not_all_kept() -> None:
    bots = {f"bot {n:03}": BotVersion(f"bot {n:03}", "00") for n in range(60)}
    ratings = {bot: float(n) for n, bot in enumerate(bots.values())}
    pairs = list(combinations(bots.values(), 2))
    matches = [replace_match(a_match(n, *"ab"), bots=pair) for n, pair in enumerate(pairs)]
    best = candidates(Random(1).sample(matches, len(matches)), ratings).by_pick["best"]
    strongest = sorted(pairs, key=lambda pair: -ratings[pair[0]] - ratings[pair[1]])
    assert [sum(ratings[bot] for bot in match.bots) for match in best] == [
        sum(ratings[bot] for bot in pair) for pair in strongest[: (400 + 2) // 3]
    ]


# --- frames


def test_a_frame_is_the_table_before_a_step_with_its_decisions(played: Path) -> None:
    with Store(played / "league.db") as store:
        match = next(iter(store.matches()))
        opened = open_match(store, match.id)
    frames = frames_of(opened, GAMES["guerra"])["frames"]
    entries = [entry for frame in frames for entry in frame["entries"]]
    assert [entry["number"] for entry in entries] == list(range(1, match.decisions + 1))
    assert [entry["seat"] for entry in entries] == [e.seat for e in opened.replay.entries]
    assert frames[-1]["entries"] == []
    assert all(frame["all"] and all(frame["seats"]) for frame in frames)


def test_a_match_of_other_rules_is_told_without_boards(
    played: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Store(played / "league.db") as store:
        opened = open_match(store, next(iter(store.matches())).id)
    monkeypatch.setattr(GAMES["guerra"], "rules_version", 99)
    found = frames_of(opened, GAMES["guerra"])
    (frame,) = found["frames"]
    assert "here is version 99" in found["problem"]
    assert frame["all"] == []
    assert len(frame["entries"]) == len(opened.replay.entries)


def test_it_can_be_made_while_the_league_is_being_written(arena: Arena, copy: Path) -> None:
    with closing(sqlite3.connect(copy / "league.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert report(arena, copy).startswith("<!DOCTYPE html>")
        other.execute("ROLLBACK")


STARTS_ONCE = """
import pathlib, sys, kit, guerra_random
started = pathlib.Path({flag!r})
if started.exists():
    sys.exit(3)
started.touch()
kit.run(guerra_random.choose)
"""


@pytest.mark.slow
def test_a_seat_that_was_out_before_the_first_step_is_told(arena: Arena, league: League) -> None:
    source = STARTS_ONCE.format(flag=str(league.home / "started"))
    league.write(PLAYED.partition("[[bot]]")[0] + TWO_BOTS + league.bot("once", source))
    league.call("run", "--workers", "1")
    page = payload(report(arena, league.folder, "--pick", "faulty"))
    with Store(league.folder / "league.db") as store:
        opened = open_match(store, page["matches"][0]["id"])
    first = frames_of(opened, GAMES["guerra"])["frames"][0]["entries"][0]
    assert first["fault"]["kind"] == "startup"
    assert first["words"] == ""
