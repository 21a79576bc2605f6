"""The library: leagues made, played and read by a program."""

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from arena import ArenaError, League, Started, Stored
from tests.arena.conftest import Arena
from tests.docs.pages import ROOT

pytestmark = pytest.mark.usefixtures("inline")

GUERRA: dict[str, Any] = {"options": {"max_turns": 20}, "limits": {"sandbox": "none"}, "seed": 1}


def played(events: Iterable[object]) -> int:
    """Return how many matches were played."""
    return sum(event.played for event in events if isinstance(event, Stored))


@pytest.fixture
def cup(tmp_path: Path) -> League:
    return League.make(tmp_path / "cup", "guerra", ["random", "rusher"], deals=4, **GUERRA)


def test_a_program_gets_what_the_commands_print(cup: League, arena: Arena) -> None:
    events = list(cup.run())
    assert played(events) == 8
    assert sorted(event.bot for event in events if isinstance(event, Started)) == cup.bots
    last = [event for event in events if isinstance(event, Stored)][-1]
    assert str(last).endswith(" played, 0 missing.")
    ranking = cup.rank()
    assert f"{ranking}\n" == arena("rank", cup.folder).stdout
    assert f"{cup.table()}\n" == arena("table", cup.folder).stdout
    told = json.loads(arena("rank", cup.folder, "--format", "json").stdout)
    rows = [(row["bot"], row["rating"], row["wins"]) for row in told["standings"]]
    assert [(row.bot, round(row.mu, 4), row.wins) for row in ranking.standings] == rows
    for match, replay in (found := list(cup.replays())):
        assert (list(match.places), len(replay.entries)) == (replay.places, match.decisions)
        assert cup.replay(match.id) == replay
    assert [match.id for match in cup.matches()] == [match.id for match, _ in found]
    assert (list(cup.matches(faulty=True)), cup.plan.seats) == ([], 2)
    with pytest.raises(ArenaError, match="there is no match 'zz'"):
        cup.replay("zz")
    assert ranking.missing == 0
    assert ranking._repr_html_().startswith("<table>")


@pytest.mark.slow
def test_bots_are_checked_and_entered_as_by_the_command(cup: League, arena: Arena) -> None:
    told = json.loads(arena("add", cup.folder, "turtle", "nobody", "--format", "json").stdout)
    arena("remove", cup.folder, "turtle")
    verdicts = cup.add("turtle", "nobody", seconds=0.1)
    assert [(each.name, each.state, each.why) for each in verdicts] == [
        (row["bot"], row["verdict"], row["why"] or "") for row in told["bots"]
    ]
    assert [each.state for each in verdicts] == ["entered", "refused"]
    assert cup.bots == ["random", "rusher", "turtle"]


def test_the_same_seed_gives_the_same_league_as_the_command(
    cup: League, arena: Arena, tmp_path: Path
) -> None:
    list(cup.run())
    words = ("--game", "guerra", "--deals", 4, "--seed", 1, "--option", "max_turns=20")
    other = tmp_path / "other"
    arena("init", other, "random", "rusher", *words, "--sandbox", "none")
    assert (other / "league.toml").read_bytes() == (cup.folder / "league.toml").read_bytes()
    arena("run", other)
    listed = [arena("matches", folder, "--most", 0).stdout for folder in (cup.folder, other)]
    assert listed[0] == listed[1]


def test_a_run_that_is_left_or_stopped_goes_on_where_it_ended_and_meets_no_other(
    cup: League,
) -> None:
    left = cup.run(workers=1)
    first = next(event for event in left if isinstance(event, Stored))
    assert 0 < first.played == len(list(cup.matches())) == 8 - first.missing
    run = cup.run(workers=1)
    stopped = []
    for event in run:
        stopped.append(event)
        if isinstance(event, Stored):
            with pytest.raises(ArenaError, match="in use by another run"):
                next(iter(cup.run()))
            run.stop()
    assert 0 < first.played + played(stopped) == len(list(cup.matches())) < 8
    run.stop()  # which was over
    parts = [played(cup.run(part=(number, 2))) for number in (1, 2)]
    assert len(list(cup.matches())) == first.played + played(stopped) + sum(parts) == 8
    assert list(cup.run()) == []


TWO = ["random", "rusher"]
WRONG: Any = 1.5


def test_mistakes_are_told_in_words(tmp_path: Path, cup: League) -> None:
    new = tmp_path / "new"
    for said, mistake in (
        ("there is no league", lambda: League(tmp_path / "none")),
        ("there is no game 'chess'", lambda: League.make(new, "chess", ["random", "random"])),
        ("2 of 3 bots cannot", lambda: League.make(new, "guerra", ["random", "nobody", "none"])),
        (r"league\.toml exists", lambda: League.make(cup.folder, "guerra", ["random", "rusher"])),
        ("setting 'seed' cannot be 1.5", lambda: League.make(new, "guerra", TWO, seed=WRONG)),
        ("setting 'rotations' cannot be", lambda: League.make(new, "guerra", TWO, rotations="x")),
        ("no setting 'deal'. Did you", lambda: League.make(new, "guerra", TWO, deal=3)),
        ("leave one out", lambda: League.make(new, "guerra", TWO, deals=3, matches_per_bot=9)),
        ("swiss has none", lambda: League.make(new, "guerra", TWO, tournament="swiss", share=0.5)),
        ("the seed is empty", lambda: League.make(new, "guerra", TWO, seed="")),
        ("has no results yet", lambda: list(cup.matches())),
        (r"a part is \(K, N\)", lambda: cup.run(part=(3, 2))),
    ):
        with pytest.raises(ArenaError, match=said):
            mistake()
    assert not new.exists()


@pytest.mark.slow
def test_what_commands_print_for_programs_has_the_keys_that_the_page_names(
    arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    arena("init", "cup", "sensible", "rusher", "random", "--game", "guerra", "--deals", 3)
    text = (
        (ROOT / "docs" / "library.md")
        .read_text(encoding="utf-8")
        .partition("## Commands that a program calls")[2]
    )
    rows = [
        [re.findall("`([^`]+)`", cell) for cell in line.split("|")[1:-1]]
        for line in text.splitlines()
        if line.startswith("| `arena ")
    ]
    for [command], [listed], keys, facts in rows:
        quick = ["--deals", "5"] if "compare" in command else []
        result = arena(*command.split()[1:], *quick, "--format", "json")
        told = json.loads(result.stdout)
        assert result.exit_code == 0, command
        assert {*facts, listed} <= {*told}, command
        found = {key for row in told[listed] for key in row}
        assert {*keys} - {"arena rank"} <= found, command
    assert len(rows) > 10
