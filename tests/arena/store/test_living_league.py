"""A league that lives: bots join, leave, change and are renamed between runs."""

import json
import re
import shutil
import time
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from arena.store.opening import read_league, read_played
from protocol.errors import ArenaError
from tests.arena.conftest import Arena, League

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


def renamed(entry: str, before: str, after: str) -> str:
    return entry.replace(f'name = "{before}"', f'name = "{after}"\nkey = "{before}"')


def rows(arena: Arena, league: League, *words: str) -> dict[str, Any]:
    told = json.loads(arena("rank", league.folder, *words, "--format", "json").stdout)
    return {row["bot"]: row for row in told["standings"]}


def play(arena: Arena, league: League, *entries: str) -> Result:
    league.write(FILE + "\n".join(entries))
    result = arena("run", league.folder, "--workers", "1")
    assert result.exit_code == 0, result.output
    return result


def test_a_bot_that_joins_changes_nothing_among_the_others(arena: Arena, league: League) -> None:
    play(arena, league, ONE, TWO)
    before = league.stored()
    assert "8 matches to play" in play(arena, league, ONE, TWO, THREE).stderr
    after = {match.id: replay for match, replay in league.stored()}
    assert all(after[match.id] == replay for match, replay in before)


def test_a_bot_that_leaves_takes_its_matches_off_the_table_and_back_on(
    arena: Arena, league: League
) -> None:
    play(arena, league, ONE, TWO, THREE)
    whole = rows(arena, league)
    play(arena, league, ONE, TWO)
    assert {row["matches"] for row in rows(arena, league).values()} == {4}
    told = "three has left the league: its matches do not count (--versions shows them)."
    for words in (["run"], ["rank"], ["table"], ["watch", "--once"]):
        assert told in " ".join(arena(words[0], league.folder, *words[1:]).output.split()), words
    assert "three" in arena("rank", league.folder, "--versions").stdout
    assert "Nothing is missing" in play(arena, league, ONE, TWO, THREE).stderr
    assert rows(arena, league) == whole


def test_bots_that_left_are_named_up_to_five(arena: Arena, league: League) -> None:
    others = [ONE.replace('"one"', f'"gone{number}"') for number in range(7)]
    play(arena, league, ONE, TWO, *others)
    play(arena, league, ONE, TWO)
    told = " ".join(arena("rank", league.folder).output.split())
    assert "gone0, gone1, gone2, gone3, gone4 and 2 more have left the league: their" in told


def test_a_program_under_two_names_is_told_when_the_league_is_made(
    arena: Arena, tmp_path: Path
) -> None:
    words = ("a=random", "b=random", "rusher", "--game", "guerra")
    told = arena("init", tmp_path / "cup", *words).stderr
    assert "a and b are the same program, file by file." in told
    assert (
        "same program" not in arena("init", tmp_path / "cut", "random", "rusher", *words[3:]).stderr
    )


def test_a_renamed_bot_keeps_its_deals_and_its_results(arena: Arena, league: League) -> None:
    play(arena, league, ONE, TWO, THREE)
    before = rows(arena, league)
    result = play(arena, league, renamed(ONE, "one", "zero"), TWO, THREE)
    assert "Nothing is missing" in result.stderr
    after = rows(arena, league)
    assert after == {
        ("zero" if bot == "one" else bot): {**row, "bot": "zero" if bot == "one" else bot}
        for bot, row in before.items()
    }
    listed = json.loads(arena("matches", league.folder, "--format", "json").stdout)["matches"]
    assert {seat["bot"] for match in listed for seat in match["seats"]} == {"zero", "two", "three"}
    assert len(json.loads(
        arena("matches", league.folder, "--bot", "zero", "--format", "json").stdout
    )["matches"]) == 8  # fmt: skip
    assert (
        "[zero]"
        in arena("show", league.folder, listed[0]["match"]).stdout
        + arena("show", league.folder, listed[4]["match"]).stdout
    )


def test_a_renamed_bot_goes_on_playing_the_same_deals(arena: Arena, league: League) -> None:
    play(arena, league, ONE, TWO)
    more = FILE.replace("deals = 2", "deals = 3")
    league.write(more + renamed(ONE, "one", "zero") + TWO)
    assert arena("run", league.folder, "--workers", "1").exit_code == 0
    went_on = {match.id: replay for match, replay in league.stored()}
    (league.folder / "league.db").unlink()
    league.write(more + ONE + TWO)
    assert arena("run", league.folder, "--workers", "1").exit_code == 0
    assert {match.id: replay for match, replay in league.stored()} == went_on


def test_a_bot_that_was_perhaps_renamed_is_asked_about(arena: Arena, league: League) -> None:
    play(arena, league, ONE, TWO)
    told = play(arena, league, ONE.replace('"one"', '"zero"'), TWO).stderr
    assert "zero has the files of one" in told
    assert 'write key = "one" below its name' in told


def test_two_bots_cannot_share_results(league: League) -> None:
    renewed = [renamed(ONE, "one", "zero"), THREE.replace("three", "one")]
    for entries in (renewed, renewed[::-1]):
        league.write(FILE + "\n".join(entries) + TWO)
        line = (FILE + "\n".join(entries)).splitlines().index('key = "one"') + 1
        with pytest.raises(ArenaError) as caught:
            read_league(league.folder)
        assert str(caught.value) == (
            f"{league.folder}/league.toml:{line}: bot 'zero' has key = \"one\", but there is a bot "
            f"named 'one'; a key is the name of a bot before it was renamed. Take the key out, "
            f"or give the other bot another name."
        )


def test_a_key_that_nothing_was_played_under_is_asked_about(arena: Arena, league: League) -> None:
    league.write(FILE + renamed(ONE, "none", "one").replace("name", 'key = "zzz"\nname') + TWO)
    assert "no match was played under" not in arena("run", league.folder).stderr
    told = play(arena, league, renamed(ONE, "one", "zero").replace('"one"', '"onne"'), TWO).stderr
    assert "bot 'zero': no match was played under key \"onne\"" in told
    assert (
        "no match was played"
        not in play(arena, league, ONE.replace("name", 'key = "zzz"\nname'), TWO).stderr
    )


def test_bots_whose_names_were_swapped_are_asked_about_once(arena: Arena, league: League) -> None:
    play(arena, league, ONE, TWO, THREE)
    swapped = [ONE.replace('"one"', '"two"'), TWO.replace('"two"', '"one"'), THREE]
    league.write(FILE + "\n".join(swapped))
    told = play(arena, league, *swapped).stderr
    assert "one has the files that played as two, and two has others now." in told
    assert "two has the files that played as one, and one has others now." in told
    assert "has the files" not in play(arena, league, *swapped).stderr


def test_bots_whose_names_were_swapped_keep_their_results_with_the_keys_that_are_asked_for(
    arena: Arena, league: League
) -> None:
    play(arena, league, ONE, TWO)
    before = rows(arena, league)
    swapped = [renamed(ONE, "one", "two"), renamed(TWO, "two", "one")]
    assert "Nothing is missing" in play(arena, league, *swapped).stderr
    after = rows(arena, league)
    assert after["two"] == before["one"] | {"bot": "two"}
    assert after["one"] == before["two"] | {"bot": "one"}


def test_a_copy_of_a_bot_is_not_taken_for_it(arena: Arena, league: League) -> None:
    play(arena, league, ONE, TWO)
    assert "has the files" not in play(arena, league, ONE, TWO, ONE.replace("one", "copy")).stderr


# --- bots that cannot be run any more


READERS = [
    ("rank",),
    ("rank", "--versions"),
    ("rank", "--by", "seat"),
    ("table",),
    ("table", "--between", "mine", "two"),
    ("matches",),
]
SOURCE = "import kit, guerra_random\nkit.run(guerra_random.choose)\n"


@pytest.fixture
def finished(arena: Arena, league: League) -> League:
    """A league that was played by `mine`, first in another version, and `two`."""
    entry = league.bot("mine", SOURCE)
    play(arena, league, entry, TWO)
    (league.home / "mine" / "bot.py").write_text(SOURCE + "# better\n")
    time.sleep(1.0)  # matches are stored with the second: which came last is to be seen
    play(arena, league, entry, TWO)
    return league


def without_note(text: str) -> list[str]:
    """Return a table without the sentences about the lost bot, as words."""
    return re.sub(r"Bot 'mine': .*\([0-9a-f]{6}\)\.", "", " ".join(text.split())).split()


@pytest.mark.quick(1)
@pytest.mark.parametrize("words", [READERS[0], *READERS[1:]], ids=" ".join)
def test_a_finished_league_is_read_after_a_bots_folder_is_gone(
    arena: Arena, finished: League, words: tuple[str, ...]
) -> None:
    before = arena(words[0], finished.folder, *words[1:])
    (version,) = {
        bot.version[:6] for bot in read_league(finished.folder).bots if bot.name == "mine"
    }
    (finished.home / "mine").rename(finished.home / "mine_")
    after = arena(words[0], finished.folder, *words[1:])
    assert (before.exit_code, after.exit_code) == (0, 0), after.output
    assert without_note(after.stdout) == without_note(before.stdout)
    told = " ".join(after.stdout.split())
    assert "Bot 'mine': there is no folder" in told
    assert f"Its results are those of the version that played last ({version})." in told


@pytest.mark.slow
def test_matches_of_a_lost_bot_are_shown(arena: Arena, finished: League) -> None:
    match = finished.stored()[0][0].id
    before = arena("show", finished.folder, match).stdout
    (finished.home / "mine").rename(finished.home / "mine_")
    assert arena("show", finished.folder, match).stdout == before
    fed = arena("show", finished.folder, match, "--feed", "mine")
    assert (fed.exit_code, fed.stdout.count("\n")) == (2, 0), fed.output
    assert "bot 'mine': there is no folder" in fed.stderr


@pytest.mark.slow
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
    entry = league.bot("mine", "#!/bin/sh\nexec python3 bot.py\n").replace(
        '["{python}", "bot.py"]', '["./bot.py"]'
    )
    league.write(FILE + entry + TWO)
    program = league.home / "mine" / "bot.py"
    program.chmod(0o755)
    before = read_league(league.folder).bots
    program.chmod(0o644)
    assert read_played(league.folder).bots == before
    assert [bot.version for bot in read_played(league.folder).bots] == [
        bot.version for bot in before
    ]
    assert "is not executable; try chmod +x" in arena("run", league.folder).stderr


@pytest.mark.slow
def test_a_lost_bot_stops_those_who_play(arena: Arena, finished: League) -> None:
    (finished.home / "mine").rename(finished.home / "mine_")
    result = arena("run", finished.folder)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "league.toml:11: bot 'mine': there is no folder" in result.stderr
    assert arena("remove", finished.folder, "mine").exit_code == 0


@pytest.mark.parametrize("stay", [[], [TWO]])
def test_a_league_that_most_bots_have_left_is_read(
    arena: Arena, league: League, stay: list[str]
) -> None:
    play(arena, league, ONE, TWO)
    match = league.stored()[0][0].id
    league.write(FILE + "".join(stay))
    assert len(rows(arena, league, "--versions")) == 2
    for words in [("rank",), ("table",)]:
        assert arena(*words, league.folder).exit_code == 0
    listed = json.loads(arena("matches", league.folder, "--format", "json").stdout)
    assert listed["count"] == 4
    assert arena("show", league.folder, match).exit_code == 0
    assert arena("show", league.folder, match, "--messages", "--seat", "0").exit_code == 0
    assert "needs at least 2 bots" in arena("run", league.folder).stderr


@pytest.mark.quick(2)
@pytest.mark.parametrize(
    "words",
    [
        ("rank",),
        ("table",),
        ("matches",),
        ("run",),
        ("show", "3f9a"),
        ("init", "--game", "guerra", "random", "rusher"),
    ],
    ids=lambda words: words[0],
)
def test_a_league_without_its_file_is_told_the_way_back(
    arena: Arena, league: League, tmp_path: Path, words: tuple[str, ...]
) -> None:
    bots = [TWO.replace('"two"', '"rusher"'), ONE.replace('"one"', '"random"')]
    play(arena, league, *bots)
    ranked = rows(arena, league)
    (league.folder / "league.toml").unlink()
    refused = arena(words[0], league.folder, *words[1:])
    assert refused.exit_code == 2
    assert "league.toml is gone" in refused.stderr
    lines = arena("export", league.folder).stdout
    assert arena("import", tmp_path / "new", "-", typed=lines).exit_code == 0
    assert json.loads(arena("rank", tmp_path / "new", "--format", "json").stdout)["standings"] == (
        list(ranked.values())
    )


def test_a_new_bot_under_an_old_name_is_not_taken_for_the_one_that_left(
    arena: Arena, league: League
) -> None:
    play(arena, league, ONE, TWO)
    play(arena, league, renamed(TWO, "two", "one"), THREE)
    listed = json.loads(arena("matches", league.folder, "--format", "json").stdout)["matches"]
    names = {seat["bot"] for match in listed for seat in match["seats"]}
    assert names == {"one", "one (left)", "three"}


def test_old_versions_are_shown_when_asked_for(arena: Arena, league: League) -> None:
    bot = league.bot("mine", "import kit, guerra_random\nkit.run(guerra_random.choose)\n")
    play(arena, league, bot, TWO)
    with (league.home / "mine" / "bot.py").open("a") as file:
        file.write("# better\n")
    play(arena, league, bot, TWO)
    now = rows(arena, league)
    assert set(now) == {"mine", "two"}
    every = rows(arena, league, "--versions")
    (old,) = set(every) - set(now)
    assert old == f"mine @{every[old]['version'][:6]}"
    assert every[old]["version"] != now["mine"]["version"]
    assert (every[old]["matches"], every["two"]["matches"]) == (4, 8)


def test_versions_are_linked_in_the_order_of_their_coming(arena: Arena, league: League) -> None:
    bot = league.bot("mine", "import kit, guerra_random\nkit.run(guerra_random.choose)\n")
    versions = []
    for change in range(3):
        with (league.home / "mine" / "bot.py").open("a") as file:
            file.write(f"# change {change}\n")
        play(arena, league, bot, TWO)
        versions.append(rows(arena, league)["mine"]["version"])
    table = json.loads(arena("rank", league.folder, "--linked", "--format", "json").stdout)
    first, second = (f"mine @{version[:6]}" for version in versions[:2])
    assert table["linked"] == [[first, second], [second, "mine"]]
    assert table["step"] > 0
    text = " ".join(arena("rank", league.folder, "--linked").stdout.split())
    assert "Linked: a new version is taken for as good as the one before" in text
    with (league.home / "mine" / "bot.py").open("a") as file:
        file.write("# not played yet\n")
    unplayed = json.loads(arena("rank", league.folder, "--linked", "--format", "json").stdout)
    assert unplayed["linked"][-1] == [f"mine @{versions[2][:6]}", "mine"]
    own = {row["bot"]: row for row in unplayed["standings"]}
    assert own["mine"]["rating"] == pytest.approx(
        own[f"mine @{versions[2][:6]}"]["rating"], abs=0.1
    )
    assert "step" not in json.loads(arena("rank", league.folder, "--format", "json").stdout)


@pytest.mark.slow
def test_parts_make_up_the_whole(arena: Arena, league: League, tmp_path: Path) -> None:
    league.write(FILE.replace("deals = 2", "deals = 6") + ONE + TWO + THREE)
    copies = [shutil.copytree(league.folder, tmp_path / name) for name in ("first", "second")]
    arena("run", league.folder, "--workers", "1")
    whole = arena("rank", league.folder, "--format", "json").stdout
    for number, copy in enumerate(copies, 1):
        result = arena("run", copy, "--workers", "1", "--part", f"{number}/2")
        assert result.exit_code == 0, result.output
        assert 0 < json.loads(arena("rank", copy, "--format", "json").stdout)["missing"] < 36
    exported = arena("export", copies[1]).stdout
    (tmp_path / "second.jsonl").write_text(exported)
    assert arena("import", copies[0], tmp_path / "second.jsonl").exit_code == 0
    assert arena("rank", copies[0], "--format", "json").stdout == whole
    assert "Nothing is missing" in arena("run", copies[0]).stderr


@pytest.mark.parametrize("word", ["0/2", "3/2", "1", "a/b", "1/0", "1/2/3"])
def test_a_part_that_is_none_is_refused(arena: Arena, league: League, word: str) -> None:
    league.write(FILE + ONE + TWO)
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
