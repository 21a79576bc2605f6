"""A league that lives: bots join, leave, change and are renamed between runs."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from arena.league import read_league
from protocol.errors import ArenaError
from tests.arena.conftest import League

Arena = Callable[..., Result]

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
    assert "Nothing is missing" in play(arena, league, ONE, TWO, THREE).stderr
    assert rows(arena, league) == whole


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
    league.write(FILE + renamed(ONE, "one", "zero") + "\n" + THREE.replace("three", "one") + TWO)
    with pytest.raises(ArenaError, match=r"league.toml:\d+: the results of 'one' belong to 'zero'"):
        read_league(league.folder)


def test_a_key_is_a_name(league: League) -> None:
    league.write(FILE + ONE.replace("shipped", 'key = ""\nshipped') + TWO)
    with pytest.raises(ArenaError, match="a bot's name is 1 to 40"):
        read_league(league.folder)


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
    assert "--part is K/N" in result.stderr


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
        assert "or make a new league: only bots, deals and share may change" in result.stderr
