"""Steal War's table and its words: the trick, what was stolen in it, what each seat holds."""

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

from referee.games.steal_war.trick import DOWN, Holdings, Theft, Trick
from referee.games.war_family.table import NAMES, listed
from referee.rules.cards import EMPTY, back, face_down, french
from referee.rules.scene import Area, Card, Group, Look, Row, Text
from referee.rules.words import counted

_OUTCOMES = {
    "stolen": "steals {}'s pile with {}",
    "protected": "fails to steal {}'s protected pile and plays {}",
    "slower": "is too slow to steal {}'s pile and plays {}",
}


def told_trick(trick: Trick) -> str:
    """Return a trick that is over: thefts, cards, and who has won them."""
    told = [*map(_told_theft, trick.thefts)]
    told += [", ".join(told_laid(trick, seat) for seat in trick.laid)]
    if trick.winner is None:
        end = f"drawn by {listed(trick.level)}"
    else:
        end = f"{NAMES[trick.winner]} wins {sum(map(len, trick.laid.values()))}"
        end += f", {trick.top} on top" if trick.top else ""
    return f"{trick.number}: {'; '.join(told)}: {end}"


def _told_theft(theft: Theft) -> str:
    return f"{NAMES[theft.seat]} " + _OUTCOMES[theft.result].format(NAMES[theft.target], theft.card)


def told_laid(trick: Trick, seat: int) -> str:
    """Return the cards that a seat has laid, the face-down ones in brackets."""
    told: list[str] = []
    cards = trick.laid[seat]
    for at in range(0, len(cards), DOWN + 1):
        told.append(cards[at])
        if down := cards[at + 1 : at + 1 + DOWN]:
            told.append(f"({' '.join(down)})")
    return f"{NAMES[seat]} {' '.join(told) or '-'}"


_AIM = "Whoever ends up with all the cards wins."
_MOST_THEFTS = 6
_FEWEST_TOLD, _MOST_TOLD = 4, 10
"""Of the last tricks."""
_RESULTS: Mapping[str, tuple[Look, str]] = {
    "stolen": ("won", "stolen"),
    "protected": ("lost", "was protected"),
    "slower": ("lost", "was too slow"),
}


class Shown(Protocol):
    """What the table shows of a play."""

    asked: str | None
    decided: list[int]
    held: Holdings
    ran_out: dict[int, tuple[int, int]]
    seats: int
    trick: Trick
    tricks: deque[Trick]


def areas(game: Shown, most: int, seat: int | None) -> Iterator[Area]:
    """Yield the trick, one of `most`, its thefts, what each seat holds, the tricks before."""
    yield _trick(game, most)
    if game.trick.thefts:
        yield _thefts(game.trick.thefts)
    seats = range(game.seats)
    yield from (_seat(game, each, seat) for each in seats)
    if seat is None:  # nobody at the table knows them
        packs = [" ".join(game.held.packs[each]) or "-" for each in seats]
        yield Text("Packs, top first", packs, [*seats], most=0)
        if game.trick.war:
            laid = [told_laid(game.trick, each) for each in game.trick.laid]
            yield Text("Laid (face down in brackets)", laid, most=0)
    yield Text("", [_AIM])
    if told := [told_trick(trick) for trick in _told(game, seat)]:
        yield Text("The last tricks", told, most=0)


def _trick(game: Shown, most: int) -> Group:
    """Return the cards laid by each seat; those that are compared now stand out."""
    trick, winner = game.trick, _winner(game)
    label = f"Trick {trick.number} of at most {most}"
    label += f", war {trick.war}" * bool(trick.war)
    if winner is not None:
        label += f": {NAMES[winner]} takes {counted(sum(map(len, trick.laid.values())), 'card')}"
    elif game.asked is None:
        label += ": drawn"
    hidden = game.asked == "steal"
    rows = []
    for seat in range(game.seats):
        cards = trick.laid.get(seat, ())
        items = _laid(cards, trick.up.get(seat), _look(game, seat, winner), hidden=hidden)
        out = cards and seat not in trick.seats
        rows.append(Row("", items, seat, "out of this trick" if out else ""))
    return Group(label, rows)


def _winner(game: Shown) -> int | None:
    """Return who has won the trick; None if it goes on or is drawn."""
    return None if game.asked == "steal" else game.trick.winner


def _look(game: Shown, seat: int, winner: int | None) -> Look:
    if game.asked == "steal":
        return "new"
    if winner is None:
        return ""
    return "won" if seat == winner else "lost"


def _laid(cards: Sequence[str], up: str | None, look: Look, *, hidden: bool) -> list[Card]:
    """Return what a seat has laid, in order; `look` is of the card that is compared now."""
    items = []
    for at, card in enumerate(cards):
        if not at % (DOWN + 1):
            items.append(french(card, look if card == up else ""))
        else:
            items.append(back() if hidden else face_down(card))
    return items or [EMPTY]


def _thefts(thefts: Sequence[Theft]) -> Group:
    """Return the last cards that were sent to steal, and whether they did."""
    rows = []
    for theft in thefts[-_MOST_THEFTS:]:
        look, result = _RESULTS[theft.result]
        items = [french(theft.card, look)]
        rows.append(Row(f"from {NAMES[theft.target]}", items, theft.seat, result))
    return Group("Thefts in this trick", rows)


def _seat(game: Shown, seat: int, viewer: int | None) -> Group:
    """Return what a seat holds: its pack, the card it looks at, the pile all can see."""
    pack, pile = game.held.packs[seat], game.held.piles[seat]
    out = f"out of cards since trick {game.ran_out[seat][0]}" if seat in game.ran_out else ""
    top_first = [french(card) for card in reversed(pile)]
    safe = "protected" * (seat in game.trick.protected)
    rows = [
        Row("Pack", [back(len(pack))], note=out),
        Row("Drawn", [_drawn(game, seat, viewer)]),
        Row("Pile, top first", top_first or [EMPTY], note=safe, most=1),
    ]
    return Group("", rows, seat)


def _drawn(game: Shown, seat: int, viewer: int | None) -> Card:
    """Return the card that a seat has drawn and not yet played: a back, if its eyes are closed."""
    if viewer in (None, seat):
        card = game.held.drawn[seat]
        return french(card, "new") if card else EMPTY
    waiting = seat in game.trick.seats and game.trick.up.get(seat) is None
    return back() if waiting and game.asked == "steal" else EMPTY


def _told(game: Shown, viewer: int | None) -> list[Trick]:
    """Return the tricks since `viewer` last decided, or a few more."""
    number = game.trick.number
    last = number if viewer is None else game.decided[viewer]
    count = min(max(number - last, _FEWEST_TOLD), _MOST_TOLD)
    return [*game.tricks][-count:]
