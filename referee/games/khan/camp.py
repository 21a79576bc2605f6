"""What a seat of Khan owns: cards, tokens and points, and what everybody knows of them."""

from collections.abc import Iterable, Sequence
from typing import Any

from referee.games.khan.cards import COUNTED, KINDS, ORDER

FACE_UP = 2
"""The most cards face up in front of the screen."""
IN_HAND = 4
"""The most cards a seat keeps in the hand after a draw."""
IN_SIGHT = 4
"""The most tokens in front of the screen."""


class Camp:
    """One seat's cards and tokens; the lists of cards are kept in canonical order."""

    __slots__ = ("behind", "face_up", "front", "hand", "looted", "points", "seen", "total", "worth")

    def __init__(self, scarce: Sequence[str]) -> None:
        self.worth = {kind: 2 if kind in scarce else 1 for kind in KINDS}
        self.face_up: list[str] = []
        self.hand: list[str] = []
        self.seen: list[str] = []
        """Cards of the hand that everybody has seen go there."""
        self.front: list[str] = []
        self.behind = dict.fromkeys(KINDS, 0)
        self.looted = dict.fromkeys(KINDS, 0)
        """The tokens behind the screen that everybody has seen go there."""
        self.total = dict.fromkeys(KINDS, 0)
        self.points = 0

    def gain_token(self, kind: str) -> bool:
        """Place a token that was drawn; return whether it lies in front, for all to see."""
        self._count(kind)
        if len(self.front) < IN_SIGHT:
            self.front.append(kind)
            return True
        self.behind[kind] += 1
        return False

    def loot(self, tokens: Iterable[str]) -> None:
        """Put another seat's tokens behind the screen."""
        for kind in tokens:
            self._count(kind)
            self.behind[kind] += 1
            self.looted[kind] += 1

    def lose_front(self) -> list[str]:
        """Give up all tokens in front, and return them."""
        lost, self.front = self.front, []
        for kind in lost:
            if self.total[kind] <= COUNTED:
                self.points -= self.worth[kind]
            self.total[kind] -= 1
        return lost

    def show_treasure(self) -> None:
        """Lift the screen."""
        self.looted = self.behind.copy()

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

    def seen_points(self) -> int:
        """Return the points that everybody can count."""
        known = self.looted.copy()
        for kind in self.front:
            known[kind] += 1
        return sum(min(count, COUNTED) * self.worth[kind] for kind, count in known.items())

    def _count(self, kind: str) -> None:
        if self.total[kind] < COUNTED:
            self.points += self.worth[kind]
        self.total[kind] += 1


class Drawing:
    """A peaceful turn, as everybody has seen it."""

    __slots__ = ("card", "card_to", "discard", "seat", "token", "token_to", "turn")

    def __init__(self, turn: int, seat: int) -> None:
        self.turn = turn
        self.seat = seat
        self.token: str | None = None
        """The kind of the token, if it lies in front."""
        self.token_to: str | None = None
        self.card: str | None = None
        """The card, if it lies face up."""
        self.card_to: str | None = None
        self.discard: dict[str, str | None] | None = None

    def record(self) -> dict[str, Any]:
        """Return all that everybody has seen of this turn, as plain JSON."""
        return {
            "turn": self.turn,
            "seat": self.seat,
            "action": "draw",
            "token": self.token,
            "token_to": self.token_to,
            "card": self.card,
            "card_to": self.card_to,
            "discard": self.discard and self.discard.copy(),
        }


def held(tokens: dict[str, int]) -> dict[str, int]:
    """Return the kinds there are some of."""
    return {kind: count for kind, count in tokens.items() if count}


def _insert(cards: list[str], card: str) -> None:
    cards.append(card)
    cards.sort(key=ORDER.__getitem__)
