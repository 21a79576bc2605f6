"""Saves its stamina, and attacks where an answer costs the rival more than the attack costs it."""

from __future__ import annotations

import kit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Hands = list[dict[str, int]]

TRAITS = (6, 1, 8, 2, 3, 4, 5, 7)
"""The traits, the one we like best first."""
LETHAL = 7
END = 4
COST = {"B": 1, "E": 2, "O": 1, "C": 2}
"""What a suit costs in dexterity."""

# Everything is weighed in points of stamina; a point of dexterity is worth as much.
FENCING = 4.2
"""What a point of fencing is worth: about what a die wins back."""
CARD = 0.3
POTENTIATOR = {"B": 0.1, "E": 0.06, "O": 0.07, "C": 0.08}
"""What a potentiator in play is worth for each point of fencing, which is time left."""
HARM = (0.0, 1.2, 2.6, 4.2, 50.0)
"""By the points retreated so far, how bad that is."""
LOSS = HARM[-1]
REST = 2
"""Of stamina or dexterity, what is low enough for a rest: before that a die is half wasted."""
HANDS = 12
"""The hands of the rival that we imagine."""


def choose(ask: kit.Ask) -> kit.Move:
    """Answer each of the four decisions."""
    if ask.decision == "choose_trait":
        return min(ask.legal, key=lambda move: TRAITS.index(move["trait"]))
    me, rival = (Fencer(ask.view, seat) for seat in (ask.seat, 1 - ask.seat))
    if ask.decision == "action":
        hands = imagined(ask)
        return max(ask.legal, key=lambda move: worth(ask, me, rival, move, hands))
    if ask.decision == "defend":
        strength = ask.view["attack"]["strength"]
        answers = {length(move): move for move in ask.legal}
        return answers[min(answers, key=lambda answer: toll(rival, me, strength, *answer))]
    points = ask.view["attack"]["retreat"][ask.seat]
    return {"use": me.stamina > 2 and me.parry() < me.harm(points)}


class Fencer:
    """What the view tells of one seat, and what things are worth to it."""

    def __init__(self, view: dict[str, Any], seat: int) -> None:
        self.stamina: int = view["stamina"][seat]
        self.dexterity: int = view["dexterity"][seat]
        self.tired: int = view["max_stamina"][seat] - self.stamina
        self.clumsy: int = view["max_dexterity"][seat] - self.dexterity
        self.fencing: int = view["fencing"][seat]
        self.cards: int = view["hand_size"][seat]
        self.bonus: dict[str, int] = view["bonus"][seat]
        self.lethal = int(view["trait"][seat] == LETHAL)
        self.retreated = view["pawn"] if seat == 0 else -view["pawn"]

    def stamina_price(self, points: int) -> float:
        """Return what so many points of stamina are worth; the last ones are dear."""
        return dear(points, self.stamina - points)

    def dexterity_price(self, points: int) -> float:
        """Return what so many points of dexterity are worth."""
        return dear(points, self.dexterity - points)

    def harm(self, points: int) -> float:
        """Return how bad it is to retreat so many points."""
        return HARM[max(0, min(END, self.retreated + points))] - HARM[max(0, self.retreated)]

    def parry(self) -> float:
        """Return what an emergency parry costs."""
        return self.stamina_price(2)


def dear(points: int, left: int) -> float:
    """Return what `points` are worth, each of them that takes us below three left twice as much."""
    return LOSS if left <= 0 else points + max(0, min(points, 3 - left))


def length(move: kit.Move) -> tuple[str, int]:
    """Return the suit and the number of cards of a defence."""
    cards = move["cards"]
    return (cards[0][0], len(cards)) if cards else ("", 0)


def toll(attacker: Fencer, own: Fencer, strength: int, suit: str, cards: int) -> float:
    """Return what an attack costs `own` if it is answered so; below 0 is a gain."""
    if not cards:
        return min(own.harm(strength + attacker.lethal), own.parry())
    surplus = cards + own.bonus[suit] - strength
    price = own.dexterity_price(COST[suit]) + CARD * cards
    if surplus < 0:
        return price + min(own.harm(attacker.lethal - surplus), own.parry())
    if surplus and suit == "C":
        return price - attacker.harm(surplus + own.lethal)
    return price


def worth(ask: kit.Ask, own: Fencer, rival: Fencer, move: kit.Move, hands: Hands) -> float:
    """Return what an action is worth to us, its price deducted."""
    action = move["action"]
    if action == "end_turn":
        return 0.0
    price = own.stamina_price(ask.view["price"][action])
    if action == "breathe":
        return won(own.tired) - FENCING - price if own.stamina <= REST else -LOSS
    if action == "footwork":
        return won(own.clumsy) - FENCING - price if own.dexterity <= REST else -LOSS
    if action == "feint":
        return CARD * max(0, own.fencing - own.cards) - price
    if action == "observe":
        return POTENTIATOR[move["card"][0]] * own.fencing - price
    suit, cards = length(move)
    price += own.dexterity_price(COST[suit]) + CARD * cards
    if suit == "E":
        price -= rival.stamina_price(1)
    return expected(own, rival, cards + own.bonus[suit], hands) - price


def won(room: int) -> float:
    """Return what a die wins back on average, where there is room for so much."""
    return sum(min(roll, room) for roll in range(1, 9)) / 8


def expected(own: Fencer, rival: Fencer, strength: int, hands: Hands) -> float:
    """Return what an attack costs the rival on average, who answers as we would."""
    total = 0.0
    for longest in hands:
        answers = [("", 0)]
        answers += [(suit, n) for suit in "OC" for n in range(1, longest[suit] + 1)]
        total += min(toll(own, rival, strength, *answer) for answer in answers)
    return total / len(hands)


def imagined(ask: kit.Ask) -> Hands:
    """Return, for hands that the rival may hold, their longest ladders of coins and of cups."""
    view = ask.view
    unseen = ask.table["cards"] * 2
    for card in (*view["hand"], *view["discards"], *view["in_play"][0], *view["in_play"][1]):
        unseen.remove(card)
    count = view["hand_size"][1 - ask.seat]
    hands = [set(ask.rng.sample(unseen, count)) for _ in range(HANDS)]
    return [{suit: longest_ladder(suit, hand) for suit in "OC"} for hand in hands]


def longest_ladder(suit: str, hand: set[str]) -> int:
    """Return the length of the longest ladder of a suit."""
    best = run = 0
    for rank in range(1, 10):
        run = run + 1 if f"{suit}{rank}" in hand else 0
        best = max(best, run)
    return best


if __name__ == "__main__":
    kit.run(choose, samples=0)
