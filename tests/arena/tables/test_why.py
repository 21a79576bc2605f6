"""Why a bot lost: its rivals, the worst first, whatever is known of them; and who does not play."""

import json
from pathlib import Path
from typing import Any

import pytest

from arena.cli.rating import rated
from arena.store.opening import open_store, read_played
from arena.tables.field import Field
from arena.tables.head_to_head import head_to_head
from arena.tables.meetings import read_why
from arena.tables.table import render
from arena.tables.why import Subject, why_table
from protocol.errors import ArenaError
from tests.arena.conftest import Arena
from tests.arena.tables.fields import field
from tests.arena.tables.test_head_to_head import DUELS, TABLES, deals

WORSE = field([*deals(4, "A1 B2", "B2 A1"), *deals(4, "C1 A2", "A2 C1"), *deals(1, "A1 D1")])


def why(found: Field, bot: str = "A", against: str | None = None) -> dict[str, Any]:
    table = why_table(found, Subject(bot=bot, name=bot), against)
    return json.loads(render(table, "json"))  # type: ignore[no-any-return]


@pytest.mark.parametrize("found", [DUELS, TABLES])
def test_shares_are_those_of_two_bots_against_each_other(found: Field) -> None:
    """With the same errors, in all seats and in each."""
    [row] = why(found, "A", "B")["rivals"]
    both = json.loads(render(head_to_head(found, rated(found), "A", "B"), "json"))["encounters"]
    its = {each["seat"]: each for each in both if each["bot"] == "A"}
    assert {key: row[key] for key in its[None] if key != "seat"} | {"seat": None} == its[None]
    assert [{key: each[key] for key in its[0]} for each in row["seats"]] == [its[0], its[1]]


def test_the_worst_rival_comes_first() -> None:
    told = why(WORSE)
    assert [row["other"] for row in told["rivals"]] == ["C", "D", "B"]
    text = render(why_table(WORSE, Subject(bot="A", name="A")), "simple")
    assert text.startswith("A lost 8.5 of 17 points: 8 to C, 0.5 to D.\n\nAgainst")
    assert render(why_table(WORSE, Subject(bot="B", name="B"), "A"), "csv").count("\n") == 1


def test_of_a_bot_that_met_nobody_nothing_is_said() -> None:
    found = field(deals(1, "A1 B2"), bots="Z")
    text = render(why_table(found, Subject(bot="Z", name="Z")), "simple")
    assert text.startswith("No deal of Z was played whole")
    for bot, against in (("A", "Z"), ("A", "A"), ("A", "nobody")):
        with pytest.raises(ArenaError):
            why(found, bot, against)


def test_of_a_league_it_says_lengths_faults_times_and_matches(played: Path) -> None:
    told = json.loads(render(read_why(played, "illegal"), "json"))
    assert {row["other"] for row in told["rivals"]} == {"one", "two"}
    with open_store(read_played(played)) as store:
        stored = {match.id: match for match in store.matches()}
    for row in told["rivals"]:
        assert sum(sum(each.values()) for each in row["endings"].values()) == 4
        assert row["faults"]["illegal"] == sum(
            kinds.get("illegal", 0)
            for match in stored.values()
            if {bot.name for bot in match.bots} == {"illegal", row["other"]}
            for kinds in match.faults
        )
        assert row["other_faults"] == {}
        assert row["decisions"] > 0
        assert row["length_lost"] > 0
        names = {bot.name for bot in stored[row["faulty"]].bots}
        assert names == {"illegal", row["other"]}
    others = {row["other"]: row for row in read_why(played, "one").rows}
    assert others["illegal"]["other_faults"]["illegal"] > 0
    assert others["two"]["other_faults"] == others["illegal"]["faults"] == {}
    wide = render(read_why(played, "illegal"), "simple").splitlines()
    assert max(map(len, wide)) <= 80
    detail = render(read_why(played, "illegal", "one"), "simple")
    assert all(len(line) <= 80 for line in detail.splitlines())
    assert "two" not in detail.split("Points:")[0].split()


def test_a_file_of_results_says_what_it_knows(tmp_path: Path) -> None:
    file = tmp_path / "results.csv"
    file.write_text("match,bot,place\n1,ann,1\n1,bob,2\n")
    [row] = read_why(file, "bob").rows
    assert (row["other"], row["points"], row["seats"]) == ("ann", 0.0, [])
    assert "faults" not in row


@pytest.mark.usefixtures("inline")
def test_it_begins_with_the_reason_why_a_bot_does_not_play(copy: Path, arena: Arena) -> None:
    version = next(bot.version for bot in read_played(copy).bots if bot.name == "two")[:6]
    file = copy / "league.toml"
    usual = file.read_text()

    def begins(bot: str) -> str:
        result = arena("why", copy, bot)
        assert result.exit_code == 0, result.output
        return " ".join(result.stdout.split())

    file.write_text(usual.replace('"rusher"', '"turtle"'))
    assert begins("two").startswith(
        f"This is version {version} of two; another one plays now. two @{version} lost "
    )
    file.write_text(usual.replace('name = "two"', 'name = "six"'))
    assert begins("two").startswith("two left the league: its matches do not count. This is")
    file.write_text(usual)
    arena("remove", copy, "two", "--because", "it copied")
    assert begins("two").startswith(f"two was disqualified: it copied. two @{version} lost ")
    assert begins(f"two @{version}") == begins("two")
    assert begins("one").startswith("one lost ")
    missing = arena("why", copy, "tow")
    assert (missing.exit_code, "Did you mean 'two'?" in missing.stderr) == (2, True), missing.stderr
