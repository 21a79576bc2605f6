"""War and P'yanitsa in words for people: packs as far as they are known, battles, the end."""

import textwrap
from collections.abc import Sequence

from referee.games.war_family.battle import Battle

NAMES = "ABCDEFGHIJKL"
WIDTH = 80


def told_pack(seat: int, cards: Sequence[str | None]) -> str:
    """Return a seat's pack, top first; of cards that are not known only how many they are."""
    words: list[str] = []
    unseen = 0
    for card in (*cards, ""):
        if card is None:
            unseen += 1
            continue
        if unseen:
            words.append(f"({unseen} unseen)")
            unseen = 0
        words.append(card)
    return folded(f"{NAMES[seat]}  {len(cards):2} cards  ", " ".join(words).strip())


def told_battle(battle: Battle, order: Sequence[str] | None) -> str:
    """Return what was laid, face-down cards in brackets, who won it, and the `order` if seen."""
    rows = [f"{NAMES[seat]} {_laid(cards, battle.down)}" for seat, cards in battle.laid.items()]
    return folded(f"{battle.number:4}  ", f"{', '.join(rows)}: {_outcome(battle, order)}")


def _laid(cards: Sequence[str], down: Sequence[str]) -> str:
    told = " ".join(f"({card})" if card in down else card for card in cards)
    return told.replace(") (", " ")


def _outcome(battle: Battle, order: Sequence[str] | None) -> str:
    if battle.winner is None:
        return f"drawn by {' and '.join(NAMES[seat] for seat in battle.level)}"
    won = f"{NAMES[battle.winner]} wins {sum(map(len, battle.laid.values()))}"
    return f"{won} > {' '.join(order)}" if order else won


def folded(label: str, text: str) -> str:
    """Return `text` behind a label, in lines that narrow, the later ones indented."""
    return textwrap.fill(text, WIDTH, initial_indent=label, subsequent_indent=" " * len(label))
