"""The table of War and P'yanitsa: the battle, the packs as far as they are known, the past."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from referee.games.war_family.battle import Battle
from referee.games.war_family.text import NAMES, told_battle
from referee.rules.cards import face_down, french, pack
from referee.rules.scene import Area, Card, Group, Look, Row, Text
from referee.rules.words import counted

if TYPE_CHECKING:
    from referee.games.war_family.packs import PackGame

_MOST_OF_PACK = 8
"""Items that are drawn of a pack: the cards that come up next, then the rest as a pile."""
_MOST_DOWN = 3
"""Cards laid face down one after the other that are drawn beside each other."""


def areas(game: "PackGame", seat: int | None) -> Iterator[Area]:
    """Yield the battle, the packs by seat, the top of each first, and the battles before."""
    yield _battle(game.battles[-1], game.options.max_battles)
    seats = range(game.seats)
    yield from (Group("", [_pack(game, each, seat)], each) for each in seats)
    if seat is None:  # whatever of them nobody at the table knows
        packs = [" ".join(game.packs[each]) or "-" for each in seats]
        yield Text("Packs as they lie, top first", packs, [*seats], most=0)
    yield Text("", [game.aim])
    told = [told_battle(battle, game.order_of(battle, seat)) for battle in game.lately(seat)]
    label = "Last battles (face-down cards in brackets; > how they were picked up)"
    yield Text(label, told, most=0)


def _battle(battle: Battle, most: int) -> Group:
    """Return the cards laid in the battle fought last, and who has won them."""
    winner = battle.winner
    count = sum(map(len, battle.laid.values()))
    outcome = "drawn" if winner is None else f"{NAMES[winner]} takes {counted(count, 'card')}"
    rows = [
        Row("", _laid(cards, battle.down, _look(seat, winner)), seat)
        for seat, cards in battle.laid.items()
    ]
    return Group(f"Battle {battle.number} of at most {most}: {outcome}", rows)


def _look(seat: int, winner: int | None) -> Look:
    """Return how the card fared with which `seat` fought last."""
    if winner is None:
        return ""
    return "won" if seat == winner else "lost"


def _laid(cards: Sequence[str], down: Sequence[str], look: Look) -> list[Card]:
    """Return what a seat has laid, in order; many cards that lay face down are a pile."""
    fought = [card for card in cards if card not in down][-1]
    items: list[Card] = []
    for hidden, run in groupby(cards, key=lambda card: card in down):
        row = [*run]
        if not hidden:
            items += [french(card, look if card == fought else "") for card in row]
        elif len(row) > _MOST_DOWN:
            items.append(face_down(row[-1], len(row)))
        else:
            items += [face_down(card) for card in row]
    return items


def _pack(game: "PackGame", seat: int, viewer: int | None) -> Row:
    """Return a pack as far as `viewer` knows it, or any of the seats."""
    eyes = range(game.seats) if viewer is None else (viewer,)
    known = zip(*(game.known(seat, each) for each in eyes), strict=True)
    cards = [next((card for card in seen if card is not None), None) for seen in known]
    note = counted(len(cards), "card")
    if seat in game.ran_out:
        note = f"out of cards since battle {game.ran_out[seat][0]}"
    elif seat == game.asked:
        note += f", and {len(game.won)} to pick up"
    return Row("Pack, top first", pack(cards), note=note, most=_MOST_OF_PACK)
