"""What a seat of Khan owns: cards, tokens and points, and what everybody knows of them."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from referee.games.khan.cards import COUNTED, KINDS, ORDER

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
