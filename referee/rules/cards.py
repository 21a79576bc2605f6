"""Playing cards for scenes: the codes of the Spanish and of the French deck as cards, and packs."""

from collections.abc import Mapping, Sequence
from functools import cache

import msgspec

from referee.rules.scene import Card, Look, Suit

_NUMBERS = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_WORDS: Mapping[str, str] = {
    **{str(number): word for number, word in enumerate(_NUMBERS, start=2)},
    "1": "ace",
    "11": "eleven",
    "12": "twelve",
    "J": "jack",
    "Q": "queen",
    "K": "king",
    "A": "ace",
}
_SPANISH: Mapping[str, tuple[Suit, str]] = {
    "O": ("oros", "coins"),
    "C": ("copas", "cups"),
    "E": ("espadas", "swords"),
    "B": ("bastos", "batons"),
}
_FRENCH: Mapping[str, tuple[Suit, str]] = {
    "C": ("clubs", "clubs"),
    "D": ("diamonds", "diamonds"),
    "H": ("hearts", "hearts"),
    "S": ("spades", "spades"),
}
_JOKER = "X"
_TEN = "T"


@cache
def spanish(code: str, mark: Look = "") -> Card:
    """Return a card of the Spanish deck, such as 7O or 12B."""
    suit, word = _SPANISH[code[-1]]
    number = code[:-1]
    return Card(number, suit, f"{_WORDS[number]} of {word}", code, mark=mark)


@cache
def suit_first(code: str, mark: Look = "") -> Card:
    """Return a card of the Spanish deck that its game writes the other way round, such as O7."""
    return msgspec.structs.replace(spanish(f"{code[1:]}{code[0]}", mark), code=code)


@cache
def french(code: str, mark: Look = "", count: int = 1) -> Card:
    """Return a card such as KD or TS, or the joker X1; or a pile of `count` with it on top."""
    if code[0] == _JOKER:
        return Card(_JOKER, "joker", f"joker {code[1:]}", code, count, mark)
    suit, word = _FRENCH[code[-1]]
    name = f"{rank_word(code[0])} of {word}"
    return Card(rank_text(code[0]), suit, name, code, count, mark)


def face_down(code: str, count: int = 1) -> Card:
    """Return a French card that lay face down before it was seen, or a pile of them."""
    shown = french(code, "down", count)
    return msgspec.structs.replace(shown, name=f"{shown.name}, laid face down")


def rank_text(rank: str) -> str:
    """Return what stands on a French card of that rank."""
    return "10" if rank == _TEN else rank


def rank_word(rank: str) -> str:
    """Return a French card's rank in words."""
    return _WORDS[rank_text(rank)]


def back(count: int = 1) -> Card:
    """Return so many cards of which only the back is seen; an empty place, if there are none."""
    return Card(count=count)


EMPTY = back(0)


def pack(cards: Sequence[str | None]) -> list[Card]:
    """Return a French pack from the top: neighbours that nobody knows as one back."""
    items: list[Card] = []
    for card in cards:
        if card is not None:
            items.append(french(card))
        elif items and not items[-1].code:
            items[-1] = back(items[-1].count + 1)
        else:
            items.append(back())
    return items or [EMPTY]
