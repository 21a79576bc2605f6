"""Places when seats have forfeited: the others by the rules, then the forfeits, latest first."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.judging import final_places


@pytest.mark.parametrize(
    ("by_rules", "forfeits", "expected"),
    [
        pytest.param([2, 1, 3], {}, [2, 1, 3], id="without a forfeit the rules alone decide"),
        pytest.param([1, 1, 3], {}, [1, 1, 3], id="ties of the rules are kept"),
        pytest.param([1, 2], {0: 5}, [2, 1], id="a forfeit is behind who lost"),
        pytest.param(None, {0: 5}, [2, 1], id="who is left alone is first"),
        pytest.param(None, {0: 0}, [2, 1], id="a bot that did not start is last"),
        pytest.param(
            [1, 2, 3, 4], {0: 9, 1: 4}, [3, 4, 1, 2], id="the earlier forfeit is the lower"
        ),
        pytest.param([1, 2, 3, 4], {0: 4, 1: 4}, [3, 3, 1, 2], id="the same step shares a place"),
        pytest.param([1, 1, 3, 3], {0: 4}, [4, 1, 2, 2], id="an ally's forfeit moves others up"),
        pytest.param(
            None, {0: 3, 2: 3, 3: 1}, [2, 1, 2, 4], id="forfeits share places behind who is left"
        ),
        pytest.param(None, {0: 1, 1: 1}, [1, 1], id="if all forfeit together all are first"),
        pytest.param(None, {0: 1, 1: 7, 2: 3}, [1, 1, 1], id="if all forfeit in turn too"),
        pytest.param([1, 2], {0: 1, 1: 1}, [1, 1], id="even if the rules had an end"),
        pytest.param(None, {0: 1}, [1], id="a seat by itself is first whatever it does"),
    ],
)
def test_places(by_rules: list[int] | None, forfeits: dict[int, int], expected: list[int]) -> None:
    assert final_places(by_rules, forfeits, len(expected)) == expected


@st.composite
def matches(draw: st.DrawFn) -> tuple[list[int] | None, dict[int, int], int]:
    """Return places by the rules, forfeits, and the number of seats, as a match can have them."""
    seats = draw(st.integers(1, 8))
    forfeits = draw(st.dictionaries(st.integers(0, seats - 1), st.integers(0, 20)))
    scores = draw(st.lists(st.integers(0, 3), min_size=seats, max_size=seats))
    by_rules = [1 + sum(other < score for other in scores) for score in scores]
    stopped = seats - len(forfeits) <= 1 and draw(st.booleans())
    return None if stopped else by_rules, forfeits, seats


@given(matches())
def test_places_rank_those_still_in_by_the_rules_and_then_the_later_forfeit_before_the_earlier(
    match: tuple[list[int] | None, dict[int, int], int],
) -> None:
    by_rules, forfeits, seats = match
    places = final_places(*match)
    assert len(places) == seats
    assert all(place == 1 + sum(other < place for other in places) for place in places)
    still_in = [seat for seat in range(seats) if seat not in forfeits]
    if not still_in:
        assert places == [1] * seats
        return
    for one, step in forfeits.items():
        assert all(places[seat] < places[one] for seat in still_in)
        for two, other in forfeits.items():
            assert (step > other) == (places[one] < places[two])
    for one in still_in if by_rules else ():
        for two in still_in:
            assert by_rules is not None
            assert (by_rules[one] < by_rules[two]) == (places[one] < places[two])
