"""Weighs whole positions: hoards fencing, and keeps its swords for a rival out of breath."""

from __future__ import annotations

from collections import Counter
from itertools import product
from math import fsum

import kit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Hand = list[str]
    Answer = tuple[str, int]

TRAITS = (1, 8, 6, 2, 4, 3, 5, 7)
"""The traits, the one we like best first."""
VERSATILE, LETHAL = 6, 7
END = 4
EMERGENCY = 2
COST = {"B": 1, "E": 2, "O": 1, "C": 2}
"""What a suit costs in dexterity."""
FACES = range(1, 9)
HANDS = 40
"""The hands of the rival that we imagine."""

# Everything is weighed in points of stamina; a point of dexterity is worth as much. These are
# the weights that won most among many tried, in thousands of duels each.
LOSS = 22.0
HARM = (0.0, 1.0, 2.6, 4.9, LOSS)
"""By the points retreated, how bad that is."""
WEAK = {1: 9.5, 2: 3.5, 3: 0.5}
"""What so little stamina costs besides: a cut may kill, an emergency parry will."""
CLUMSY = {1: 5.0, 2: 1.5}
"""What so little dexterity costs besides: there are things that we cannot pay any more."""
REST, BETTER_REST = 7.3, 8.2
"""What points of fencing to be spent are worth, each a die and the cards until then."""
DECLINE = 0.17
"""How much less each of them is worth for every one that there is."""
IN_PLAY = {"B": 0.11, "E": 0.05, "O": 0.14, "C": 0.15}
"""What a potentiator in play is worth for each point of fencing, which is time left."""
CARD = {"B": 0.4, "E": 3.7, "O": 0.3, "C": 0.0}
"""What a number card is worth in the hand: what an attack or a defence must win by it."""
CROWD = 0.03
"""What the square of the hand's size costs: the more cards, the less another one helps."""


def choose(ask: kit.Ask) -> kit.Move:
    """Answer each of the four decisions."""
    if ask.decision == "choose_trait":
        return min(ask.legal, key=lambda move: TRAITS.index(move["trait"]))
    me, rival = (Fencer(ask.view, seat) for seat in (ask.seat, 1 - ask.seat))
    if ask.decision == "action":
        return max(ask.legal, key=Turn(ask, me, rival).worth)
    attack, hand = ask.view["attack"], ask.view["hand"]
    if ask.decision == "emergency_parry":
        points = attack["retreat"][ask.seat]
        parried, yielded = me.shape(-EMERGENCY) + me.ground(), me.shape() + me.ground(points)
        return {"use": me.stamina > EMERGENCY and parried > yielded}

    def worth(move: kit.Move) -> float:
        defence = suit_and_length(move["cards"])
        after = answered(rival, me, attack["strength"], defence)
        return after + in_hand(without(hand, move["cards"]))

    return max(ask.legal, key=worth)


class Fencer:
    """What the view tells of one seat, and what things are worth to it."""

    def __init__(self, view: dict[str, Any], seat: int) -> None:
        self.stamina: int = view["stamina"][seat]
        self.dexterity: int = view["dexterity"][seat]
        self.tired: int = view["max_stamina"][seat] - self.stamina
        self.stiff: int = view["max_dexterity"][seat] - self.dexterity
        self.fencing: int = view["fencing"][seat]
        self.cards: int = view["hand_size"][seat]
        self.bonus: dict[str, int] = view["bonus"][seat]
        self.retreated: int = view["pawn"] if seat == 0 else -view["pawn"]
        self.versatile: bool = view["trait"][seat] == VERSATILE
        self.lethal = int(view["trait"][seat] == LETHAL)
        self.power: float = fsum(IN_PLAY[suit] * more for suit, more in self.bonus.items())

    def shape(self, stamina: int = 0, dexterity: int = 0, fencing: int = 0) -> float:
        """Return what our attributes and bonuses are worth once so much is added to them."""
        stamina += self.stamina
        dexterity += self.dexterity
        fencing += self.fencing
        if stamina <= 0 or dexterity <= 0:
            return -LOSS
        rests = fencing - 1
        rest = (BETTER_REST if self.versatile else REST) - DECLINE * rests
        low = WEAK.get(stamina, 0.0) + CLUMSY.get(dexterity, 0.0)
        return stamina + dexterity - low + rest * rests + self.power * fencing

    def ground(self, points: int = 0) -> float:
        """Return what the pawn's place is worth once we have retreated so many points more."""
        steps = max(-END, min(END, self.retreated + points))
        return -HARM[steps] if steps > 0 else HARM[-steps]


def answered(attacker: Fencer, own: Fencer, strength: int, answer: Answer, cut: int = 0) -> float:
    """Return what `own` is worth after its answer to an attack; a cut is 1 that hits it first."""
    suit, cards = answer
    surplus = cards + own.bonus[suit] - strength if cards else -strength
    price = COST[suit] if cards else 0
    if cut >= own.stamina or price >= own.dexterity:
        return own.ground() - LOSS
    if surplus < 0:
        worths = [own.shape(-cut, -price) + own.ground(attacker.lethal - surplus)]
        if own.stamina - cut > EMERGENCY:
            worths.append(own.shape(-cut - EMERGENCY, -price) + own.ground())
        return max(worths)
    driven = surplus + own.lethal if suit == "C" and surplus else 0
    return own.shape(-cut, -price) + own.ground(-driven)


def in_hand(hand: Hand) -> float:
    """Return what a hand is worth."""
    return fsum(map(card_worth, hand)) - CROWD * len(hand) ** 2


def card_worth(card: str) -> float:
    """Return what a card is worth in the hand; a potentiator, nothing."""
    return CARD[card[0]] if len(card) == 2 else 0.0


def without(hand: Hand, cards: Hand) -> Hand:
    """Return the hand after `cards` have left it."""
    left = list(hand)
    for card in cards:
        left.remove(card)
    return left


def suit_and_length(cards: Hand) -> Answer:
    """Return the suit and the number of cards of an attack or a defence."""
    return (cards[0][0], len(cards)) if cards else ("", 0)


class Turn:
    """What each action is worth that we can take now."""

    def __init__(self, ask: kit.Ask, me: Fencer, rival: Fencer) -> None:
        self.me, self.rival = me, rival
        self.price: dict[str, int] = ask.view["price"]
        self.hand: Hand = ask.view["hand"]
        self.unseen = unseen(ask)
        self.defences: Counter[tuple[int, int]] = Counter()
        """The rival's longest ladders of coins and of cups, counted over imagined hands."""
        for _ in range(HANDS):
            hand = set(ask.rng.sample(self.unseen, rival.cards))
            self.defences[longest("O", hand), longest("C", hand)] += 1
        self.results: dict[Answer, float] = {}

    def worth(self, move: kit.Move) -> float:
        """Return what an action leaves us, less what it leaves the rival."""
        me, action, hand = self.me, move["action"], self.hand
        price = self.price.get(action, 0)
        if price >= me.stamina:
            return -2 * LOSS
        if action == "attack":
            suit, cards = suit_and_length(move["cards"])
            own = me.shape(-price, -COST[suit]) + in_hand(without(hand, move["cards"]))
            return own - self.struck(suit, cards + me.bonus[suit])
        if action in ("breathe", "footwork"):
            own = self.rested(action, price) + in_hand(hand)
        elif action == "observe":
            gain = IN_PLAY[move["card"][0]] * me.fencing
            own = me.shape(-price) + gain + in_hand(without(hand, [move["card"]]))
        elif action == "feint":
            own = me.shape(-price) + self.filled()
        else:
            own = me.shape() + in_hand(hand)
        return own - self.rival.shape() - self.rival.ground()

    def rested(self, action: str, price: int) -> float:
        """Return what we are worth on average, hand apart, after a rest."""
        me = self.me
        rolls = map(max, product(FACES, FACES)) if me.versatile else FACES
        if action == "breathe":
            worths = [me.shape(min(roll - price, me.tired), 0, -1) for roll in rolls]
        else:
            worths = [me.shape(-price, min(roll, me.stiff), -1) for roll in rolls]
        return fsum(worths) / len(worths)

    def filled(self) -> float:
        """Return what our hand is worth on average when it is filled up to our fencing."""
        held = len(self.hand)
        size = max(held, min(self.me.fencing, held + len(self.unseen)))
        average = fsum(map(card_worth, self.unseen)) / max(1, len(self.unseen))
        return fsum(map(card_worth, self.hand)) + average * (size - held) - CROWD * size**2

    def struck(self, suit: str, strength: int) -> float:
        """Return what the rival is worth on average after his best answer to an attack."""
        attack = (suit, strength)
        if attack not in self.results:
            total = 0.0
            for (coins, cups), count in self.defences.items():
                answers = [("", 0), *product("O", range(1, coins + 1))]
                answers += product("C", range(1, cups + 1))
                cut = int(suit == "E")
                worths = [answered(self.me, self.rival, strength, a, cut) for a in answers]
                total += count * max(worths)
            self.results[attack] = total / HANDS
        return self.results[attack]


def unseen(ask: kit.Ask) -> Hand:
    """Return the cards that are in the deck or in the rival's hand."""
    view = ask.view
    cards: Hand = ask.table["cards"] * 2
    for card in (*view["hand"], *view["discards"], *view["in_play"][0], *view["in_play"][1]):
        cards.remove(card)
    return cards


def longest(suit: str, hand: set[str]) -> int:
    """Return the length of the longest ladder of a suit."""
    best = run = 0
    for rank in range(1, 10):
        run = run + 1 if f"{suit}{rank}" in hand else 0
        best = max(best, run)
    return best


if __name__ == "__main__":
    kit.run(choose, samples=0)
