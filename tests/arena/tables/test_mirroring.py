"""What tables say of deals with the same cards, and of bots with several versions."""

import json

import pytest

from arena.stats.memory import Later
from arena.tables.circumstances import mirroring_facet
from arena.text import PLAIN
from tests.arena.conftest import League

NOTE = "bots that are not bundled {} mirrored: who could remember a match"


@pytest.mark.parametrize(
    ("found", "said"),
    [
        ((0, 3), ""),
        ((4, 0), f"All deals of {NOTE.format('are')}"),
        ((1, 3), f"1 deal of 4 of {NOTE.format('is')}"),
        ((2, 3), f"2 deals of 5 of {NOTE.format('are')}"),
    ],
)
def test_a_reader_is_told_where_cards_come_twice(found: tuple[int, int], said: str) -> None:
    notes = mirroring_facet(*found, {}, PLAIN).notes
    assert len(notes) == bool(said)
    assert all(note.startswith(said) for note in notes)


def test_who_does_better_in_last_rotations_is_told_with_the_count() -> None:
    found = mirroring_facet(9, 0, {"mine": Later(better=8, worse=1, most=7.0)}, PLAIN)
    assert "(better in 8 deals, worse in 1)" in found.notes[1]
    assert found.facts["mirroring"]["remembering"] == {"mine": {"better": 8, "worse": 1}}


@pytest.mark.usefixtures("inline")
def test_how_many_versions_a_bot_has_had_is_told_of_those_that_are_not_bundled(
    league: League,
) -> None:
    source = "import kit\nkit.run(lambda ask: ask.legal[0])\n"
    bots = league.bot("mine", source) + '[[bot]]\nname = "random"\nshipped = "random"\n'
    head = 'game = "guerra"\nseed = 1\ndeals = 1\noptions.max_turns = 9\nlimits.sandbox = "none"\n'
    league.write(head + bots)
    league.call("run")
    assert "versions_so_far" not in json.loads(league.rank())
    (league.home / "mine" / "bot.py").write_text(f"{source}# another\n")
    league.call("run")
    assert json.loads(league.rank())["versions_so_far"] == {"mine": 2}
    said = " ".join(league.call("rank").stdout.split())
    assert "Versions that have played so far: mine 2." in said
