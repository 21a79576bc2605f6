"""A disqualified bot: its matches are kept and count no more, every table says why, and back."""

import json
from pathlib import Path

import pytest

from arena.store.opening import read_league, read_played
from protocol.errors import ArenaError
from tests.arena.conftest import Arena, League
from tests.arena.store.test_living_league import FILE, ONE, THREE, TWO, play, renamed, rows, said

pytestmark = pytest.mark.usefixtures("inline")
CHEAT = THREE + 'disqualified = "it opened the others\' files"\n'
SAID = (
    "three was disqualified: it opened the others' files. Its matches do not count (--versions "
    "shows them)."
)


def test_its_matches_are_kept_and_do_not_count_and_every_table_says_why(
    arena: Arena, league: League, tmp_path: Path
) -> None:
    play(arena, league, ONE, TWO, THREE)
    whole = rows(arena, league)
    assert "Nothing is missing" in play(arena, league, ONE, TWO, CHEAT).stderr
    assert league.count() == 12
    assert {bot: row["matches"] for bot, row in rows(arena, league).items()} == {"one": 4, "two": 4}
    for words in (["run"], ["rank"], ["rank", "--by", "seat"], ["table"], ["watch", "--once"]):
        printed = said(arena, league, *words)
        assert SAID in printed, words
        assert "left the league" not in printed
    page = tmp_path / "page.html"
    assert arena("report", league.folder, "-o", page).exit_code == 0
    assert "three was disqualified: it opened the others&#39; files." in page.read_text()
    told = json.loads(arena("table", league.folder, "--format", "json").stdout)
    assert told["disqualified"] == {"three": "it opened the others' files"}
    assert "three @" in arena("rank", league.folder, "--versions").stdout
    listed = said(arena, league, "matches", "--bot", "three")
    assert "three was disqualified: it opened the others' files." in listed
    assert "three*" in listed
    play(arena, league, ONE, TWO, THREE)
    assert rows(arena, league) == whole


def test_the_others_play_the_same_matches_byte_for_byte(arena: Arena, league: League) -> None:
    play(arena, league, ONE, TWO)
    without = league.stored()
    (league.folder / "league.db").unlink()
    assert "4 matches to play" in play(arena, league, ONE, TWO, CHEAT).stderr
    assert league.stored() == without


def test_it_is_not_run_and_its_files_may_be_gone(arena: Arena, league: League) -> None:
    gone = '[[bot]]\nname = "gone"\nfolder = "nowhere"\ndisqualified = "it never came!"\n'
    play(arena, league, ONE, TWO, gone)
    ranked = said(arena, league, "rank")
    assert "gone was disqualified: it never came! Sandbox" in ranked  # and no second full stop
    assert "do not count" not in ranked  # as there are no matches
    assert [bot.name for bot in read_league(league.folder).bots] == ["one", "two"]


def test_a_renamed_one_goes_by_its_present_name(arena: Arena, league: League) -> None:
    play(arena, league, ONE, TWO, THREE)
    play(arena, league, ONE, TWO, renamed(CHEAT, "three", "drei"))
    ranked = said(arena, league, "rank")
    assert SAID.replace("three", "drei") in ranked
    assert "left" not in ranked
    listed = arena("matches", league.folder, "--bot", "drei", "--format", "json").stdout
    assert json.loads(listed)["count"] == 8


def test_an_import_of_its_matches_names_no_stranger_and_its_name_key_and_files_stay_its_own(
    arena: Arena, league: League, tmp_path: Path
) -> None:
    play(arena, league, ONE, TWO, THREE)
    arena("export", league.folder, tmp_path / "all.jsonl")
    (league.folder / "league.db").unlink()
    league.write(FILE + ONE + TWO + CHEAT)
    told = arena("import", league.folder, tmp_path / "all.jsonl")
    assert told.exit_code == 0, told.output
    assert "is not in" not in told.stderr
    assert league.count() == 12
    asked = play(arena, league, ONE, TWO, CHEAT, THREE.replace('"three"', '"four"')).stderr
    assert "four has the files of three, which was disqualified." in asked
    assert "write key" not in asked
    league.write(FILE + ONE + TWO + CHEAT + THREE)
    with pytest.raises(ArenaError, match="two bots are called 'three'"):
        read_played(league.folder)
    league.write(FILE + ONE + TWO.replace('"two"\n', '"two"\nkey = "three"\n', 1) + CHEAT)
    with pytest.raises(ArenaError, match="there is a bot named 'three'"):
        read_played(league.folder)
