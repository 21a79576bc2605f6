"""What holds of all formats that choose by results: they are functions of the rounds alone."""

from dataclasses import replace
from fractions import Fraction
from random import Random

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.schedule.deal import Entrant
from arena.schedule.elimination import (
    BracketOptions,
    DoubleElimination,
    DoubleEliminationOptions,
    Knockout,
)
from arena.schedule.rounds import Frame, Over, RoundDeal, RoundTerms
from arena.schedule.swiss import Swiss, SwissOptions
from tests.arena.schedule.cases import calm
from tests.arena.schedule.tournaments import Luck, Make, Played, all_draw, begun, entrants

FORMATS: dict[str, tuple[Make, msgspec.Struct]] = {
    "swiss": (Swiss, SwissOptions()),
    "dutch": (Swiss, SwissOptions(pairing="dutch")),
    "share": (Swiss, SwissOptions(points="share")),
    "knockout": (Knockout, BracketOptions()),
    "rated": (Knockout, BracketOptions(seeding="rating", tiebreak_deals=1)),
    "sure": (Knockout, BracketOptions(decide="sure", most_deals=6)),
    "double": (DoubleElimination, DoubleEliminationOptions()),
    "rated double": (DoubleElimination, DoubleEliminationOptions(seeding="rating")),
}
few = settings(calm, max_examples=10)
"""As each example is a tournament."""
OF_TWO = {"dutch", "sure"}


@st.composite
def tournaments(draw: st.DrawFn) -> Played:
    name = draw(st.sampled_from(sorted(FORMATS)))
    seats = 2 if name in OF_TWO else draw(st.integers(2, 4))
    make, options = FORMATS[name]
    played = begun(make, options, draw(st.integers(2, 13)), seats, draw(st.integers(1, 2)))
    luck = Luck(
        draw(st.integers(0, 10**6)),
        draws=draw(st.sampled_from([0.1, 0.5])),
        out=draw(st.sampled_from([0.0, 0.1])),
        late=draw(st.sampled_from([0.0, 0.2])),
    )
    return luck.whole(played)


def test_shares_are_those_of_the_others_beaten_and_half_of_those_tied_with() -> None:
    deal = RoundDeal(entrants(3), 0, ((1, 2, 2), (3, 1, 2)))
    assert deal.shares() == (Fraction(1, 2), Fraction(5, 8), Fraction(3, 8))


def test_options_can_be_stored_and_read() -> None:
    for _, options in FORMATS.values():
        assert msgspec.convert(msgspec.to_builtins(options), type(options)) == options


@few
@given(tournaments())
def test_it_draws_of_the_rounds_before_what_it_drew_then(played: Played) -> None:
    for at, each in enumerate(played.past):
        then = replace(played, past=played.past[:at], field=each.field)
        assert then.lineups() == [deal.lineup for deal in each.deals]


@few
@given(tournaments(), st.randoms(use_true_random=False))
def test_the_order_of_the_field_and_of_the_deals_changes_neither_the_next_round_nor_the_standings(
    played: Played, rng: Random
) -> None:
    cut = rng.randint(0, len(played.past))
    field = played.past[cut].field if cut < len(played.past) else played.field
    now = replace(played, past=played.past[:cut], field=field)

    def mixed(bots: tuple[Entrant, ...]) -> tuple[Entrant, ...]:
        return tuple(rng.sample(bots, len(bots)))

    past = tuple(
        replace(each, field=mixed(each.field), deals=tuple(rng.sample(each.deals, len(each.deals))))
        for each in now.past
    )
    other = replace(now, past=past, field=mixed(field))
    assert other.next() == now.next()
    standings = now.standings
    assert other.standings == standings
    for grid in standings.grids:
        assert {len(row) for row in grid.rows} <= {len(grid.headers)}
    if standings.grids:
        first = standings.grids[0]
        names = [row[first.headers.index("bot")] for row in first.rows]
        assert len(set(names)) == len(names)


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_it_draws_by_the_seed_as_many_deals_as_the_terms_say_and_nothing_beyond_its_end(
    name: str,
) -> None:
    make, options = FORMATS[name]
    played = begun(make, options, 12)
    if "rated" in name:
        played = played.after(all_draw)
    once = played.keyed()
    assert replace(played, format=make(Frame(2, 2, lambda: "another"))).keyed() != once
    thrice = replace(played, terms=RoundTerms(3, options)).keyed()
    assert thrice == [lineup for lineup in once for _ in range(3)]
    whole = Luck(5).whole(begun(make, options, 6))
    longer = replace(whole, past=(*whole.past, whole.past[-1]))
    assert isinstance(longer.next(), Over)
