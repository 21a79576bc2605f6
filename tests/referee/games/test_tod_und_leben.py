"""Tod und Leben: its worked examples through a stacked deck, rounds, places and texts."""

from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.games.tod_und_leben.game import PACK, TodUndLeben, TodUndLebenOptions, cards_won
from referee.games.war_family.cards import strength
from referee.rules.chance import Chance
from referee.rules.game import plain


def new_game(seed="a deal", rounds=1) -> TodUndLeben:
    return TodUndLeben(seats=2, options=TodUndLebenOptions(rounds=rounds), chance=Chance(seed))


class Stacked(Chance):
    """Deals the packs given."""

    def __init__(self, packs) -> None:
        super().__init__("stacked")
        self.packs = packs

    def shuffled(self, items, *event):
        assert sorted(items) == sorted(card for pack in self.packs for card in pack)
        return [card for pack in self.packs for card in pack]


def stacked(first="/", last="/") -> TodUndLeben:
    """Return a game that begins or ends with these pairs, and B has the higher of all others."""
    rest = sorted(PACK, key=strength)

    def named(ranks):
        return [rest.pop(next(i for i, c in enumerate(rest) if c[0] == r)) for r in ranks.split()]

    begins, ends = ([named(part) for part in text.split("/")] for text in (first, last))
    half = len(rest) // 2
    middle = (rest[:half], rest[half:])
    assert all(strength(a) < strength(b) for a, b in zip(*middle, strict=True))
    packs = [[*b, *m, *e] for b, m, e in zip(begins, middle, ends, strict=True)]
    return TodUndLeben(seats=2, options=TodUndLebenOptions(), chance=Stacked(packs))


@pytest.mark.parametrize(
    ("first", "last", "won"),
    [
        pytest.param("9 A / 9 K", "/", [4, 28], id="T16, by the next pair"),
        pytest.param("7 8 9 T / 7 8 9 7", "/", [8, 24], id="a chain of ties"),
        pytest.param("/", "9 / 9", [1, 31], id="T17, shared"),
        pytest.param("/", "9 J / 9 J", [2, 30], id="H20, two shared"),
    ],
)
def test_a_tie_is_decided_by_the_next_pair_and_shared_at_the_end(first, last, won):
    assert stacked(first, last).cards_won == won


def test_more_cards_win_the_round():
    game = stacked("9 A / 9 K")
    assert (game.rounds_won, game.places(), game.reason) == ([0, 1], [2, 1], "rounds")


def test_sixteen_cards_each_count_for_nobody():
    game = next(g for g in map(new_game, map(str, range(1000))) if g.cards_won == [16, 16])
    assert (game.rounds_won, game.places()) == ([0, 0], [1, 1])


def test_rounds_are_dealt_apart_and_added_up():
    games = [new_game(rounds=rounds) for rounds in range(1, 12)]
    for before, after in pairwise(games):
        won = [after.cards_won[seat] > 16 for seat in (0, 1)]
        assert after.packs != before.packs
        gained = [b - a for a, b in zip(before.rounds_won, after.rounds_won, strict=True)]
        assert gained == won
    assert games[-1].places() == [
        1 + (games[-1].rounds_won[1 - seat] > games[-1].rounds_won[seat]) for seat in (0, 1)
    ]


@given(st.permutations(PACK))
def test_all_cards_are_won_and_seats_are_alike(cards):
    a, b = cards[:16], cards[16:]
    won = cards_won([a, b])
    assert sum(won) == 32
    assert {card[0] for card in cards} == set("789TJQKA")
    assert cards_won([b, a]) == won[::-1]


def test_h25_the_chance_of_a_first_tie():
    pairs = [(a, b) for a in PACK for b in PACK if a != b]
    ties = sum(strength(a) == strength(b) for a, b in pairs)
    assert Fraction(ties, len(pairs)) == Fraction(3, 31)


def test_the_view_of_the_page_is_the_one_of_its_cards():
    page = Path(__file__).parents[3] / "referee" / "games" / "tod_und_leben" / "rules.md"
    text = page.read_text(encoding="utf-8").split("```json\n")[1].partition("```")[0]
    view = msgspec.json.decode(text)
    game = TodUndLeben(seats=2, options=TodUndLebenOptions(), chance=Stacked(view["packs"]))
    assert plain(game.view(0)) == view
