"""A league that lives: bots join, leave, change and are renamed between runs."""

import json
import re
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from arena.store.opening import read_league, read_played
from tests.arena.conftest import Arena, League
from tests.golden import Golden

pytestmark = pytest.mark.usefixtures("inline")

FILE = """\
game = "guerra"
seed = 1
deals = 2

[options]
max_turns = 10

[limits]
sandbox = "none"
"""
ONE, TWO, THREE = (
    f'[[bot]]\nname = "{name}"\nshipped = "{shipped}"\n'
    for name, shipped in [("one", "random"), ("two", "rusher"), ("three", "turtle")]
)
SOURCE = "import kit, guerra_random\nkit.run(guerra_random.choose)\n"


def renamed(entry: str, before: str, after: str) -> str:
    return entry.replace(f'name = "{before}"', f'name = "{after}"\nkey = "{before}"')


def told(arena: Arena, league: League, word: str, *words: str) -> Any:
    """Return what a command says in JSON."""
    return json.loads(arena(word, league.folder, *words, "--format", "json").stdout)


def rows(arena: Arena, league: League, *words: str) -> dict[str, Any]:
    return {row["bot"]: row for row in told(arena, league, "rank", *words)["standings"]}


def said(arena: Arena, league: League, *words: str) -> str:
    """Return what a command prints, in one line."""
    return " ".join(arena(words[0], league.folder, *words[1:]).output.split())


def play(arena: Arena, league: League, *entries: str, file: str = FILE) -> Result:
    league.write(file + "\n".join(entries))
    result = arena("run", league.folder)
    assert result.exit_code == 0, result.output
    return result


def test_a_bot_that_joins_changes_nothing_among_the_others(arena: Arena, league: League) -> None:
    play(arena, league, ONE, TWO)
    before = league.stored()
    assert "8 matches to play" in play(arena, league, ONE, TWO, THREE).stderr
    after = {match.id: replay for match, replay in league.stored()}
    assert all(after[match.id] == replay for match, replay in before)


def test_a_bot_that_leaves_takes_its_matches_off_the_table_and_back_on(
    arena: Arena, league: League, golden: Golden
) -> None:
    play(arena, league, ONE, TWO, THREE)
    whole = rows(arena, league)
    play(arena, league, ONE, TWO)
    assert {row["matches"] for row in rows(arena, league).values()} == {4}
    for words in (["run"], ["rank"], ["table"], ["watch", "--once"]):
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


def test_a_renamed_bot_goes_on_playing_the_same_deals(arena: Arena, league: League) -> None:
    play(arena, league, ONE, TWO)
    more = FILE.replace("deals = 2", "deals = 3")
    play(arena, league, renamed(ONE, "one", "zero"), TWO, file=more)
    went_on = {match.id: replay for match, replay in league.stored()}
    (league.folder / "league.db").unlink()
    play(arena, league, ONE, TWO, file=more)
    assert {match.id: replay for match, replay in league.stored()} == went_on


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


def test_bots_whose_names_were_swapped_are_asked_about_once_and_keep_results_with_the_keys(
    arena: Arena, league: League
) -> None:
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


def test_a_new_bot_under_an_old_name_is_not_taken_for_the_one_that_left(
    arena: Arena, league: League
) -> None:
    play(arena, league, ONE, TWO)
    play(arena, league, renamed(TWO, "two", "one"), THREE)
    listed = told(arena, league, "matches")["matches"]
    names = {seat["bot"] for match in listed for seat in match["seats"]}
    assert names == {"one", "one (left)", "three"}


# --- bots that cannot be run any more


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


def without_note(text: str) -> list[str]:
    """Return a table without the sentences about the lost bot, as words."""
    return re.sub(r"Bot 'mine': .*\([0-9a-f]{6}\)\.", "", " ".join(text.split())).split()


def test_a_finished_league_is_read_after_a_bots_folder_is_gone(
    arena: Arena, finished: League
) -> None:
    match = finished.stored()[0][0].id
    shown = arena("show", finished.folder, match).stdout
    readers = [
        *(("rank",), ("rank", "--versions"), ("rank", "--by", "seat"), ("table",)),
        *(("table", "--between", "mine", "two"), ("matches",)),
    ]
    before = [arena(word, finished.folder, *more).stdout for word, *more in readers]
    (version,) = {
        bot.version[:6] for bot in read_league(finished.folder).bots if bot.name == "mine"
    }
    (finished.home / "mine").rename(finished.home / "mine_")
    for (word, *more), was in zip(readers, before, strict=True):
        after = arena(word, finished.folder, *more)
        assert after.exit_code == 0, after.output
        assert without_note(after.stdout) == without_note(was)
        words = " ".join(after.stdout.split())
        assert "Bot 'mine': there is no folder" in words
        assert f"Its results are those of the version that played last ({version})." in words
    assert arena("show", finished.folder, match).stdout == shown
    fed = arena("show", finished.folder, match, "--feed", "mine")
    assert (fed.exit_code, fed.stdout) == (2, ""), fed.output
    assert "bot 'mine': there is no folder" in fed.stderr
    result = arena("run", finished.folder)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "league.toml:11: bot 'mine': there is no folder" in result.stderr


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


def test_a_program_that_is_not_executable_any_more_keeps_its_version(
    arena: Arena, league: League
) -> None:
    entry = league.bot("mine", "#!/bin/sh\nexec python3 bot.py\n")
    league.write(FILE + entry.replace('["{python}", "bot.py"]', '["./bot.py"]') + TWO)
    program = league.home / "mine" / "bot.py"
    program.chmod(0o755)
    before = read_league(league.folder).bots
    versions = [bot.version for bot in before]
    program.chmod(0o644)
    assert read_played(league.folder).bots == before
    assert [bot.version for bot in read_played(league.folder).bots] == versions
    assert "is not executable; try chmod +x" in arena("run", league.folder).stderr


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


# --- versions


def test_old_versions_are_shown_when_asked_for_and_linked_in_the_order_of_their_coming(
    arena: Arena, league: League
) -> None:
    bot = league.bot("mine", SOURCE)
    versions = []
    for change in range(3):
        with (league.home / "mine" / "bot.py").open("a") as file:
            file.write(f"# change {change}\n")
        play(arena, league, bot, TWO)
        now = rows(arena, league)
        versions.append(now["mine"]["version"])
    names = [f"mine @{version[:6]}" for version in versions]
    every = rows(arena, league, "--versions")
    assert {*now} == {"mine", "two"}
    assert {*every} == {*now, *names[:2]}
    assert every[names[0]]["version"] == versions[0] != now["mine"]["version"]
    assert (every[names[0]]["matches"], every["two"]["matches"]) == (4, 12)
    table = told(arena, league, "rank", "--linked")
    assert table["linked"] == [[names[0], names[1]], [names[1], "mine"]]
    assert table["step"] > 0
    assert "Linked: a new version is taken for as" in said(arena, league, "rank", "--linked")
    with (league.home / "mine" / "bot.py").open("a") as file:
        file.write("# not played yet\n")
    unplayed = told(arena, league, "rank", "--linked")
    assert unplayed["linked"][-1] == [names[2], "mine"]
    own = {row["bot"]: row for row in unplayed["standings"]}
    assert own["mine"]["rating"] == pytest.approx(own[names[2]]["rating"], abs=0.1)
    assert "step" not in told(arena, league, "rank")


# --- what is played


def test_parts_make_up_the_whole(arena: Arena, league: League, tmp_path: Path) -> None:
    league.write(FILE.replace("deals = 2", "deals = 6") + ONE + TWO + THREE)
    copies = [shutil.copytree(league.folder, tmp_path / name) for name in ("first", "second")]
    arena("run", league.folder)
    for number, copy in enumerate(copies, 1):
        assert arena("run", copy, "--part", f"{number}/2").exit_code == 0
        assert 0 < json.loads(arena("rank", copy, "--format", "json").stdout)["missing"] < 36
    (tmp_path / "second.jsonl").write_text(arena("export", copies[1]).stdout)
    assert arena("import", copies[0], tmp_path / "second.jsonl").exit_code == 0
    assert arena("rank", copies[0], "--format", "json").stdout == league.rank()
    assert "Nothing is missing" in arena("run", copies[0]).stderr
    for word in ("0/2", "3/2", "1", "a/b", "1/0", "1/2/3"):
        result = arena("run", league.folder, "--part", word)
        assert (result.exit_code, result.stdout) == (2, "")
        assert "--part takes K/N" in result.stderr


def test_anything_else_that_changes_is_refused_with_the_way_out(
    arena: Arena, league: League
) -> None:
    play(arena, league, ONE, TWO)
    for before, after in [
        ("seed = 1", "seed = 2"),
        ("max_turns = 10", "max_turns = 11"),
        ('sandbox = "none"', 'sandbox = "none"\nmove_time = 2.0'),
        ("deals = 2", 'deals = 2\nrotations = "one"'),
    ]:
        league.write(FILE.replace(before, after) + ONE + TWO)
        result = arena("run", league.folder)
        assert result.exit_code == 2
        assert "or make a new league: only bots and how much is played may change" in result.stderr
