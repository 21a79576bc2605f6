"""`arena matches`: which ones, in which order, and which options need another."""

import json
from pathlib import Path
from typing import Any

from tests.arena.conftest import Arena
from tests.golden import Golden


def listed(arena: Arena, league: Path, *words: str) -> list[dict[str, Any]]:
    result = arena("matches", league, *words, "--format", "json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)["matches"]  # type: ignore[no-any-return]


def test_matches_are_chosen_by_how_a_bot_fared(arena: Arena, played: Path) -> None:
    rows = listed(arena, played, "--bot", "illegal")
    assert len(rows) == 8

    def place(row: dict[str, Any], bot: str) -> int:
        return next((seat["place"] for seat in row["seats"] if seat["bot"] == bot), 0)

    lost = [row for row in rows if place(row, "illegal") > 1]
    assert listed(arena, played, "--bot", "illegal", "--lost") == lost
    against = ("--against", "one", "--lost", "--faulty")
    both = [row for row in lost if place(row, "one")]
    assert listed(arena, played, "--bot", "illegal", *against) == both
    assert listed(arena, played, "--bot", "one", "--against", "illegal", "--won") == both
    close = listed(arena, played, "--closest")
    apart = [abs(row["scores"][0] - row["scores"][1]) for row in close if row["scores"]]
    assert apart == sorted(apart)
    assert not any(row["scores"] for row in close[len(apart) :])
    assert listed(arena, played, "--closest", "--most", "2") == close[:2]


def test_options_that_need_another_say_so(arena: Arena, played: Path, golden: Golden) -> None:
    for words in (
        ("--lost",),
        ("--won",),
        ("--against", "one"),
        ("--bot", "one", "--lost", "--won"),
        ("--bot", "one", "--against", "one"),
        ("--bot", "one", "--against", "tow"),
    ):
        result = arena("matches", played, *words)
        assert (result.exit_code, result.stdout) == (2, "")
        golden(result.stderr)


def test_where_there_is_none_it_says_of_what(arena: Arena, played: Path, golden: Golden) -> None:
    for words in (
        ("--won", "--against", "two"),
        ("--won", "--faulty"),
        ("--against", "two", "--won", "--faulty"),
    ):
        golden(arena("matches", played, "--bot", "illegal", *words).stdout)
    golden(arena("matches", played, "--bot", "one", "--faulty").stdout)
