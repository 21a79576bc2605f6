"""A league that lives: bots join, leave, change, are renamed and disqualified between runs."""

import json
import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from arena.store.opening import read_league, read_played
from protocol.errors import ArenaError
from tests.arena.conftest import Arena, League
from tests.golden import Golden

pytestmark = pytest.mark.usefixtures("inline")

FILE = """\
game = "guerra"
seed = 1
deals = 2
options.max_turns = 10
limits.sandbox = "none"
"""
ONE, TWO, THREE = (
    f'[[bot]]\nname = "{name}"\nshipped = "{shipped}"\n'
    for name, shipped in [("one", "random"), ("two", "rusher"), ("three", "turtle")]
)
SOURCE = "import kit, guerra_random\nkit.run(guerra_random.choose)\n"


def renamed(entry: str, before: str, after: str) -> str:
    return entry.replace(f'name = "{before}"', f'name = "{after}"\nkey = "{before}"')


def told(arena: Arena, league: League, word: str, *words: str) -> Any:
    return json.loads(arena(word, league.folder, *words, "--format", "json").stdout)


def rows(arena: Arena, league: League, *words: str) -> dict[str, Any]:
    return {row["bot"]: row for row in told(arena, league, "rank", *words)["standings"]}


def said(arena: Arena, league: League, *words: str) -> str:
    return " ".join(arena(words[0], league.folder, *words[1:]).output.split())


def play(arena: Arena, league: League, *entries: str, file: str = FILE) -> Result:
    league.write(file + "\n".join(entries))
    result = arena("run", league.folder)
    assert result.exit_code == 0, result.output
    return result


def test_a_bot_that_leaves_takes_its_matches_off_the_table_and_back_on(
    arena: Arena, league: League, golden: Golden
) -> None:
    play(arena, league, ONE, TWO, THREE)
    whole = rows(arena, league)
    play(arena, league, ONE, TWO)
    assert {row["matches"] for row in rows(arena, league).values()} == {4}
    for words in (["run"], ["rank"], ["table"], ["rank", "--live"]):
        assert "three has left the league: its matches do not" in said(arena, league, *words), words
    assert "three" in arena("rank", league.folder, "--versions").stdout
    assert "Nothing is missing" in play(arena, league, ONE, TWO, THREE).stderr
    assert rows(arena, league) == whole
    play(arena, league, *(ONE.replace('"one"', f'"gone{number}"') for number in range(7)))
    play(arena, league, ONE, TWO)
    ranked = said(arena, league, "rank")
    golden(ranked[ranked.index("gone0") :].partition(").")[0])


def test_a_renamed_bot_keeps_its_deals_and_its_results(arena: Arena, league: League) -> None:
    play(arena, league, ONE, TWO, THREE)
    before = rows(arena, league)
    result = play(arena, league, renamed(ONE, "one", "zero"), TWO, THREE)
    assert "Nothing is missing" in result.stderr
    before["zero"] = {**before.pop("one"), "bot": "zero"}
    assert rows(arena, league) == before
    listed = told(arena, league, "matches")["matches"]
    assert {seat["bot"] for match in listed for seat in match["seats"]} == {"zero", "two", "three"}
    assert told(arena, league, "matches", "--bot", "zero")["count"] == 8
    match = next(match["match"] for match in listed if "zero" in str(match))
    assert "[zero]" in arena("show", league.folder, match).stdout


def test_a_bot_that_was_perhaps_renamed_is_asked_about_and_a_copy_is_not(
    arena: Arena, league: League, golden: Golden
) -> None:
    play(arena, league, ONE, TWO)
    assert "has the files" not in play(arena, league, ONE, TWO, ONE.replace("one", "copy")).stderr
    (league.folder / "league.db").unlink()
    play(arena, league, ONE, TWO)
    asked = play(arena, league, ONE.replace('"one"', '"zero"'), TWO).stderr
    golden(next(line for line in asked.splitlines() if "has the files" in line))


def test_a_key_that_nothing_was_played_under_is_asked_about(
    arena: Arena, league: League, golden: Golden
) -> None:
    league.write(FILE + renamed(ONE, "none", "one").replace("name", 'key = "zzz"\nname') + TWO)
    assert "no match was played under" not in arena("run", league.folder).stderr
    asked = play(arena, league, renamed(ONE, "one", "zero").replace('"one"', '"onne"'), TWO).stderr
    golden(next(line for line in asked.splitlines() if "no match was played" in line))
    again = play(arena, league, ONE.replace("name", 'key = "zzz"\nname'), TWO).stderr
    assert "no match was played" not in again


def test_swapped_names_are_asked_about_once(arena: Arena, league: League) -> None:
    play(arena, league, ONE, TWO, THREE)
    before = rows(arena, league)
    keys = [renamed(ONE, "one", "two"), renamed(TWO, "two", "one"), THREE]
    assert "Nothing is missing" in play(arena, league, *keys).stderr
    after = rows(arena, league)
    assert after["two"] == before["one"] | {"bot": "two"}
    assert after["one"] == before["two"] | {"bot": "one"}
    swapped = [ONE.replace('"one"', '"two"'), TWO.replace('"two"', '"one"'), THREE]
    asked = play(arena, league, *swapped).stderr
    assert "one has the files that played as two, and two has others now." in asked
    assert "two has the files that played as one, and one has others now." in asked
    assert "has the files" not in play(arena, league, *swapped).stderr


def test_a_new_bot_under_an_old_name_is_another(arena: Arena, league: League) -> None:
    play(arena, league, ONE, TWO)
    play(arena, league, renamed(TWO, "two", "one"), THREE)
    listed = told(arena, league, "matches")["matches"]
    names = {seat["bot"] for match in listed for seat in match["seats"]}
    assert names == {"one", "one (left)", "three"}


@pytest.fixture
def finished(arena: Arena, league: League) -> League:
    """A league that was played by `mine`, first in another version, and `two`."""
    entry = league.bot("mine", SOURCE)
    play(arena, league, entry, TWO)
    with closing(sqlite3.connect(league.folder / "league.db")) as db, db:
        db.execute("UPDATE record SET played_at = '2026-01-01T00:00:00'")  # long before the others
    (league.home / "mine" / "bot.py").write_text(SOURCE + "# better\n")
    play(arena, league, entry, TWO)
    return league


def test_a_league_is_read_without_a_bots_folder(arena: Arena, finished: League) -> None:
    readers = [
        ("rank",),
        ("rank", "--versions"),
        ("table", "--between", "mine", "two"),
        ("matches",),
    ]
    before, match = [said(arena, finished, *words) for words in readers], finished.stored()[0][0]
    (version,) = {
        bot.version[:6] for bot in read_league(finished.folder).bots if bot.name == "mine"
    }
    (finished.home / "mine").rename(finished.home / "mine_")
    note = r"Bot 'mine': there is no folder .*? results are those of the version that played last "
    for words, was in zip(readers, before, strict=True):
        after = said(arena, finished, *words)
        rest, count = re.subn(rf" *{note}\({version}\)\.", "", after)
        assert (rest.split(), count) == (was.split(), 1), after
    fed = arena("show", finished.folder, match.id, "--feed", "mine")
    assert (fed.exit_code, fed.stdout) == (2, ""), fed.output
    assert "bot 'mine': there is no folder" in fed.stderr
    result = arena("run", finished.folder)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "league.toml:7: bot 'mine': there is no folder" in result.stderr


def test_the_last_version_is_the_one_that_played_last_in_a_merged_league_too(
    arena: Arena, finished: League, tmp_path: Path
) -> None:
    """Whatever the order of the file's header, where a bot's versions stand by hash."""
    ranked = rows(arena, finished)
    (tmp_path / "all.jsonl").write_text(arena("export", finished.folder).stdout)
    (finished.folder / "league.db").unlink()
    (finished.home / "mine").rename(finished.home / "mine_")
    imported = arena("import", finished.folder, tmp_path / "all.jsonl")
    assert (imported.exit_code, imported.stderr) == (0, ""), imported.output
    assert rows(arena, finished) == ranked


def test_a_league_that_most_bots_have_left_is_read(arena: Arena, league: League) -> None:
    play(arena, league, ONE, TWO)
    match = league.stored()[0][0].id
    for stay in ("", TWO):
        league.write(FILE + stay)
        assert len(rows(arena, league, "--versions")) == 2
        assert told(arena, league, "matches")["count"] == 4
        for words in (["rank"], ["table"], ["show", match], ["show", match, "--messages"]):
            more = ["--seat", "0"] if "--messages" in words else []
            assert arena(words[0], league.folder, *words[1:], *more).exit_code == 0
        assert "needs at least 2 bots" in arena("run", league.folder).stderr


def test_a_league_without_its_file_is_told_the_way_back(
    arena: Arena, league: League, tmp_path: Path
) -> None:
    play(arena, league, TWO.replace('"two"', '"rusher"'), ONE.replace('"one"', '"random"'))
    ranked = told(arena, league, "rank")["standings"]
    (league.folder / "league.toml").unlink()
    init = ["init", "--game", "guerra", "random", "rusher"]
    for words in (["rank"], ["table"], ["matches"], ["run"], ["show", "3f9a"], init):
        refused = arena(words[0], league.folder, *words[1:])
        assert refused.exit_code == 2
        assert "league.toml is gone" in refused.stderr
    lines = arena("export", league.folder).stdout
    assert arena("import", tmp_path / "new", "-", typed=lines).exit_code == 0
    again = json.loads(arena("rank", tmp_path / "new", "--format", "json").stdout)
    assert again["standings"] == ranked


def test_old_versions_are_shown_and_linked_when_asked_for(arena: Arena, league: League) -> None:
    bot = league.bot("mine", SOURCE)
    program = league.home / "mine" / "bot.py"
    versions = []
    for change in range(2):
        program.write_text(f"{program.read_text()}# change {change}\n")
        play(arena, league, bot, TWO)
        versions.append(rows(arena, league)["mine"]["version"])
    first = f"mine @{versions[0][:6]}"
    every = rows(arena, league, "--versions")
    assert {*every} == {"mine", "two", first}
    assert (every[first]["version"], every["mine"]["version"]) == (*versions,)
    assert (every[first]["matches"], every["two"]["matches"]) == (4, 8)
    assert told(arena, league, "rank", "--linked")["linked"] == [[first, "mine"]]
    assert "Linked: a new version is taken for as" in said(arena, league, "rank", "--linked")
    program.write_text(f"{program.read_text()}# not played yet\n")
    unplayed = told(arena, league, "rank", "--linked")
    second = f"mine @{versions[1][:6]}"
    assert unplayed["linked"] == [[first, second], [second, "mine"]]
    own = {row["bot"]: row["rating"] for row in unplayed["standings"]}
    assert own["mine"] == pytest.approx(own[second], abs=0.1)
    assert "step" not in told(arena, league, "rank")


CHEAT = THREE + 'disqualified = "it opened the others\' files"\n'
SAID = "three was disqualified: it opened the others' files. Its matches do not count."


def test_matches_of_a_disqualified_bot_do_not_count_and_every_table_says_why(
    arena: Arena, league: League, tmp_path: Path
) -> None:
    play(arena, league, ONE, TWO, THREE)
    assert "Nothing is missing" in play(arena, league, ONE, TWO, CHEAT).stderr
    assert league.count() == 12
    assert {bot: row["matches"] for bot, row in rows(arena, league).items()} == {"one": 4, "two": 4}
    for words in (["run"], ["rank"], ["rank", "--by", "seat"], ["table"], ["rank", "--live"]):
        printed = said(arena, league, *words)
        assert SAID in printed, words
        assert "left the league" not in printed
    page = tmp_path / "page.html"
    assert arena("report", league.folder, "-o", page).exit_code == 0
    assert "three was disqualified: it opened the others&#39; files." in page.read_text()
    assert told(arena, league, "table")["disqualified"] == {"three": "it opened the others' files"}
    listed = said(arena, league, "matches", "--bot", "three")
    assert "three was disqualified: it opened the others' files." in listed
    assert "three*" in listed


def test_matches_of_a_disqualified_bot_are_kept(arena: Arena, league: League) -> None:
    play(arena, league, ONE, TWO, THREE)
    whole, before = rows(arena, league), {match.id: replay for match, replay in league.stored()}
    play(arena, league, ONE, TWO, renamed(CHEAT, "three", "drei"))
    assert SAID.replace("three", "drei") in said(arena, league, "rank")
    assert told(arena, league, "matches", "--bot", "drei")["count"] == 8
    play(arena, league, ONE, TWO, THREE)
    assert rows(arena, league) == whole
    (league.folder / "league.db").unlink()
    assert "4 matches to play" in play(arena, league, ONE, TWO, CHEAT).stderr
    played = {match.id: replay for match, replay in league.stored()}
    assert played.items() <= before.items()  # byte for byte


def test_files_of_a_disqualified_bot_may_be_gone(arena: Arena, league: League) -> None:
    gone = '[[bot]]\nname = "gone"\nfolder = "nowhere"\ndisqualified = "it never came!"\n'
    play(arena, league, ONE, TWO, gone)
    ranked = said(arena, league, "rank")
    assert "gone was disqualified: it never came! Too few" in ranked  # and no second full stop
    assert "do not count" not in ranked  # as there are no matches
    assert [bot.name for bot in read_league(league.folder).bots] == ["one", "two"]


def test_an_import_with_a_disqualified_bot_names_no_stranger_and_its_name_stays_its_own(
    arena: Arena, league: League, tmp_path: Path
) -> None:
    play(arena, league, ONE, TWO, THREE)
    arena("export", league.folder, tmp_path / "all.jsonl")
    (league.folder / "league.db").unlink()
    league.write(FILE + ONE + TWO + CHEAT)
    imported = arena("import", league.folder, tmp_path / "all.jsonl")
    assert imported.exit_code == 0, imported.output
    assert "is not in" not in imported.stderr
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
