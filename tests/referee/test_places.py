"""Places when seats have forfeited: the others by the rules, then the forfeits, latest first."""

from hypothesis import given
from hypothesis import strategies as st

from referee.judging import final_places


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
