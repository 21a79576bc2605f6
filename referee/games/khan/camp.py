"""Khan's cards and tokens, and what a seat owns and everybody knows of them.

(Rules page, "Cards and tokens" and "A turn".)
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from random import Random
from typing import Any

COPIES = 3
ARMIES = "EBO"
"""The suits of the three armies: horsemen, raiders, archers."""
BEATS = {"E": "B", "B": "O", "O": "E"}
LEADERS = ("C10", "C11", "C12")
GUNPOWDER, POISON, CHAMPION, RETREAT = "O1", "C1", "B1", "E1"
SPECIALS = {
    GUNPOWDER: "gunpowder",
    POISON: "poison",
    CHAMPION: "the champion",
    RETREAT: "the retreat",
}
HIGHEST = {40: 7, 48: 9}
"""By the option `deck`, the highest number card."""
CARDS = (*(f"{suit}{rank}" for suit in ARMIES for rank in range(1, 10)), POISON, *LEADERS)
"""Every card of the larger deck once, in canonical order."""
ORDER = {card: number for number, card in enumerate(CARDS)}
RANK = {card: int(card[1:]) for card in CARDS}

KINDS = (
    "territory",
    "steel",
    "gold",
    "cloth",
    "wood",
    "cattle",
    "water",
    "horses",
    "captives",
)
COUNTED = 3
"""How many tokens of a kind count at most."""

ROUNDS = ("vanguard", "rear", "leader")
VANGUARD, REAR, LEADER = range(3)
SIZE = (3, 2, 1)
"""How many cards stand in the formation of each round."""


def names(deck: int) -> list[str]:
    """Return every card of a deck once, in canonical order."""
    return [card for card in CARDS if card[0] not in ARMIES or RANK[card] <= HIGHEST[deck]]


def in_order(cards: Iterable[str]) -> list[str]:
    """Return `cards` in canonical order: E, B, O, C, then by rank."""
    return sorted(cards, key=ORDER.__getitem__)


def without(cards: Iterable[str], gone: Iterable[str]) -> list[str]:
    """Return `cards` without one copy of each of `gone`."""
    left = list(cards)
    for card in gone:
        left.remove(card)
    return left


def tally(tokens: Sequence[str]) -> dict[str, int]:
    """Return how many tokens there are of each kind there is, the kinds in their order."""
    return {kind: tokens.count(kind) for kind in KINDS if kind in tokens}


def formations(hand: Sequence[str], stage: int, *, champion: bool) -> list[list[str]]:
    """Return what may be shown in round `stage`, nothing first, each in canonical order.

    `champion` is whether a champion in the hand may still be declared.
    """
    if stage == LEADER:
        return [[], *([card] for card in LEADERS if card in hand)]
    found: list[list[str]] = [[]]
    if len(hand) < SIZE[stage]:
        return found
    champion = champion and CHAMPION in hand
    for suit in ARMIES:
        ranks = {RANK[card] for card in hand if card[0] == suit} - {1}
        for low in sorted(ranks):
            found += _ladders(suit, low, ranks, stage)
            if champion:
                found += _with_champion(suit, low, ranks, stage)
    return found


def _ladders(suit: str, low: int, ranks: set[int], stage: int) -> list[list[str]]:
    run = range(low, low + SIZE[stage])
    return [[f"{suit}{rank}" for rank in run]] if ranks.issuperset(run) else []


def _with_champion(suit: str, low: int, ranks: set[int], stage: int) -> list[list[str]]:
    """Return the ladders of the champion and number cards from `low` upwards.

    There is always a missing rank for it: two neighbours have a further one on either side.
    """
    if stage == REAR:
        return [in_order((CHAMPION, f"{suit}{low}"))]
    others = [high for high in (low + 1, low + 2) if high in ranks]
    return [in_order((CHAMPION, f"{suit}{low}", f"{suit}{high}")) for high in others]


def prevails(attack: Sequence[str], defence: Sequence[str], stage: int) -> bool:
    """Return whether the attacker's formation wins round `stage`: all but a real win loses."""
    if not attack or not defence:
        return bool(attack)
    if stage == LEADER:
        return RANK[attack[0]] > RANK[defence[0]]
    return BEATS[army(attack)] == army(defence)


def army(ladder: Sequence[str]) -> str:
    """Return the suit a ladder fights as: that of the cards the champion stands beside."""
    return next((card for card in ladder if card != CHAMPION), CHAMPION)[0]


FACE_UP = 2
"""The most cards face up in front of the screen."""
IN_HAND = 4
"""The most cards a seat keeps in the hand after a draw."""
IN_SIGHT = 4
"""The most tokens in front of the screen."""


class Hoard:
    """Tokens by kind, and the points that they bring."""

    __slots__ = ("count", "points", "worth")

    def __init__(self, worth: Mapping[str, int], tokens: Iterable[str] = ()) -> None:
        self.worth = worth
        """By kind, the points of each token that counts."""
        self.count = dict.fromkeys(KINDS, 0)
        self.points = 0
        for kind in tokens:
            self.add(kind)

    def add(self, kind: str) -> None:
        """Add a token."""
        if self.count[kind] < COUNTED:
            self.points += self.worth[kind]
        self.count[kind] += 1

    def remove(self, kind: str) -> None:
        """Take a token away."""
        self.count[kind] -= 1
        if self.count[kind] < COUNTED:
            self.points -= self.worth[kind]


class Camp:
    """One seat's cards and tokens; the lists of cards are kept in canonical order."""

    __slots__ = ("behind", "face_up", "front", "hand", "known", "looted", "owned", "seen")

    def __init__(self, scarce: Sequence[str]) -> None:
        worth = {kind: 2 if kind in scarce else 1 for kind in KINDS}
        self.face_up: list[str] = []
        self.hand: list[str] = []
        self.seen: list[str] = []
        """Cards of the hand that everybody has seen go there."""
        self.front: list[str] = []
        self.behind = dict.fromkeys(KINDS, 0)
        self.looted = dict.fromkeys(KINDS, 0)
        """The tokens behind the screen that everybody has seen go there."""
        self.owned = Hoard(worth)
        """All tokens, in front and behind."""
        self.known = Hoard(worth)
        """The tokens that everybody has seen come here."""

    def gain_token(self, kind: str) -> bool:
        """Place a token that was drawn; return whether it lies in front, for all to see."""
        self.owned.add(kind)
        if len(self.front) < IN_SIGHT:
            self.front.append(kind)
            self.known.add(kind)
            return True
        self.behind[kind] += 1
        return False

    def loot(self, tokens: Iterable[str]) -> None:
        """Put another seat's tokens behind the screen."""
        for kind in tokens:
            self.owned.add(kind)
            self.known.add(kind)
            self.behind[kind] += 1
            self.looted[kind] += 1

    def lose_front(self) -> list[str]:
        """Give up all tokens in front, and return them."""
        lost, self.front = self.front, []
        for kind in lost:
            self.owned.remove(kind)
            self.known.remove(kind)
        return lost

    def show_treasure(self) -> None:
        """Lift the screen."""
        self.looted = self.behind.copy()
        self.known = self.owned

    def gain_card(self, card: str) -> bool:
        """Place a card that was drawn; return whether it lies face up."""
        if len(self.face_up) < FACE_UP:
            _insert(self.face_up, card)
            return True
        _insert(self.hand, card)
        return False

    def take_up(self) -> list[str]:
        """Take the face-up cards into the hand, and return them."""
        cards, self.face_up = self.face_up, []
        self.take_back(cards)
        return cards

    def take_back(self, cards: Iterable[str]) -> None:
        """Take cards that everybody has seen into the hand."""
        for card in cards:
            _insert(self.hand, card)
            _insert(self.seen, card)

    def play(self, cards: Iterable[str]) -> None:
        """Take cards out of the hand, for all to see."""
        for card in cards:
            self.hand.remove(card)
            if card in self.seen:
                self.seen.remove(card)

    def place(self, cards: Iterable[str]) -> None:
        """Turn cards of the hand face up."""
        for card in cards:
            self.play((card,))
            _insert(self.face_up, card)

    def lose_hand(self) -> list[str]:
        """Give up the whole hand, and return it."""
        lost, self.hand, self.seen = self.hand, [], []
        return lost


def drawing(turn: int, seat: int) -> dict[str, Any]:
    """Return what everybody has seen of a peaceful turn that begins, to be filled in."""
    return {
        "turn": turn,
        "seat": seat,
        "action": "draw",
        "token": None,
        "token_to": None,
        "card": None,
        "card_to": None,
        "discard": None,
    }


def held(tokens: dict[str, int]) -> dict[str, int]:
    """Return the kinds there are some of."""
    return {kind: count for kind, count in tokens.items() if count}


def _insert(cards: list[str], card: str) -> None:
    cards.append(card)
    cards.sort(key=ORDER.__getitem__)


def deal_anew(
    camps: Sequence[Camp], seat: int, deck: list[str], bag: list[str], rng: Random
) -> None:
    """Exchange what the camps but that of `seat` hold unseen, the deck and the bag."""
    others = [camp for each, camp in enumerate(camps) if each != seat]
    hands = [without(camp.hand, camp.seen) for camp in others]
    treasures = [[*(Counter(camp.behind) - Counter(camp.looted)).elements()] for camp in others]
    _exchange([deck, *hands], rng)
    _exchange([bag, *treasures], rng)
    for camp, hand, treasure in zip(others, hands, treasures, strict=True):
        camp.hand = in_order([*camp.seen, *hand])
        behind = Counter(camp.looted) + Counter(treasure)
        camp.behind = {kind: behind[kind] for kind in KINDS}
        if camp.owned is not camp.known:  # as they are once the screen has been lifted
            camp.owned = Hoard(camp.owned.worth, [*camp.front, *behind.elements()])


def _exchange(piles: Sequence[list[str]], rng: Random) -> None:
    """Shuffle several piles together, in place; each keeps its size."""
    things = [thing for pile in piles for thing in pile]
    rng.shuffle(things)
    for pile in piles:
        pile[:] = [things.pop() for _ in pile]
