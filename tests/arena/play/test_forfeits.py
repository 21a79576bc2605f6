"""Rows of forfeits: who is in one, and whose it is that ends."""

import pytest

from arena.play.forfeits import FORFEITING, FORFEITS_IN_A_ROW, TOO_SLOW, ForfeitRows
from arena.store.suspensions import is_too_slow


def said_after(matches: str) -> str:
    """Return what is said of a bot that in its matches was late (l), crashed (c), or played (p).

    In some the other's forfeit had ended the match (-).
    """
    rows = ForfeitRows()
    why = ""
    for each in matches:
        faults = {"l": ["late"], "c": ["crash"]}.get(each, [])
        why = rows.note("bot", faults, forfeited=bool(faults), was_left=each == "-")
    return why


ROW = FORFEITS_IN_A_ROW


@pytest.mark.parametrize(
    ("matches", "why"),
    [
        ("c" * ROW, FORFEITING),
        ("c-" * ROW, FORFEITING),
        ("c" * (ROW - 1), ""),
        ("c" * ROW + "p", ""),
        ("c" * ROW + "-", FORFEITING),
        ("c" * (ROW - 1) + "-" * ROW, ""),
        ("cp" * ROW, ""),
        ("l-" * ROW, TOO_SLOW),
        ("l" * (ROW - 1) + "c", FORFEITING),
        ("c" + "l" * ROW, TOO_SLOW),
        ("cl" * ROW, FORFEITING),
    ],
)
def test_a_match_that_the_other_forfeited_neither_lengthens_nor_ends_a_row(
    matches: str, why: str
) -> None:
    assert said_after(matches) == why


def test_what_is_stored_of_a_slow_bot_is_known_whatever_the_number() -> None:
    """So a change of the rule takes no remedy from the bots that are suspended already."""
    for why in (TOO_SLOW, TOO_SLOW.replace(str(ROW), "7")):
        assert is_too_slow(why)
    for why in (FORFEITING, f"its error: {TOO_SLOW}", f"{TOO_SLOW}. It says so"):
        assert not is_too_slow(why)


def test_rows_are_each_bots_own_and_faults_that_were_not_forfeits_are_none() -> None:
    rows = ForfeitRows()
    for _ in range(2 * ROW):
        assert not rows.note(1, ["late"], forfeited=False, was_left=False)
    assert not rows
    for _ in range(ROW):
        assert not rows.note(2, [], forfeited=False, was_left=False)
        said = rows.note(1, ["crash"], forfeited=True, was_left=False)
    assert rows
    assert said == FORFEITING
    assert not rows.note(2, ["crash"], forfeited=True, was_left=False)
