"""What `resample` keeps besides what the step `resample` of check-game holds for every game."""

from collections import Counter
from random import Random

from referee.games import GAMES
from referee.games.casino_war.shoe import Shoe
from referee.games.duel.fencer import Deck, kinds
from referee.games.war_family.cards import deck
from referee.rules.chance import Chance
from referee.testing.trial import Case


def test_a_duels_deck_holds_only_what_was_reshuffled() -> None:
    """All else that nobody has seen is in the rival's hand: the view shows what was reshuffled."""
    cards = Deck(kinds(40), Chance("deal"))
    cards.cards, cards.reshuffled = ["B1", "B2"], ["B1", "B2", "E3"]
    hands = [["E3", "O4"]]
    for seed in range(20):
        hands.append(cards.exchanged(hands[-1], Random(seed)))
    assert all("O4" in hand and len(hand) == 2 for hand in hands)
    assert {*cards.cards} < {"B1", "B2", "E3"}
    assert len({card for hand in hands for card in hand}) == 4


def test_other_cards_lie_burned_and_the_shoe_stays_in_order() -> None:
    shoe = Shoe(deck())
    for round_ in range(3):
        shoe.burn(Chance("deal"), "burned", round_)
    before, burned = Counter([*shoe.cards, *shoe.burned]), [*shoe.burned]
    shoe.burn_anew(Random(1))
    assert Counter([*shoe.cards, *shoe.burned]) == before
    assert shoe.burned != burned
    assert len(shoe.burned) == 3
    assert shoe.cards == [card for card in deck() if card in shoe.cards]


def test_two_buried_jokers_never_lie_in_one_pack() -> None:
    game = Case(GAMES["war"], 4, {"jokers": "two_buried"}).new("a deal")
    found = set[tuple[int, ...]]()
    for seed in range(40):
        other = game.resample(0, Random(seed))
        packs = [*other.packs]  # type: ignore[union-attr]
        found.add(tuple(sum(card[0] == "X" for card in pack) for pack in packs))
    assert all(max(counts) <= 1 for counts in found)
    assert len(found) > 1
