"""Cold War's seats and replies: their forms, why a play breaks a condition, plays at random."""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from random import Random
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from referee.rules.chance import any_below
from referee.rules.form import Form
from referee.rules.game import Move

SEATS = range(4)
NAMES = ("South", "West", "North", "East")
RIVALS = tuple(tuple(other for other in SEATS if other != seat) for seat in SEATS)
PAIRS = tuple(combinations(SEATS, 2))


def forces(markers: Sequence[Sequence[int]], pair: Sequence[int]) -> tuple[int, int]:
    """Return how many missiles a pair aims at the two others, and these at it."""
    both = [(own, rival) for own in pair for rival in SEATS if rival not in pair]
    return sum(markers[own][rival] for own, rival in both), sum(markers[b][a] for a, b in both)


GAIN = 4
"""Missiles gained by an arm."""
REACH = 12
"""The most missiles one play deploys or re-aims."""


_THE_KIND = Meta(description="The kind of play.")
_FOUR = Meta(min_length=4, max_length=4, extra_json_schema={"contains": {"const": 0}})


class Talk(Form):
    """A public message, shown to all when the four are in."""

    say: Annotated[
        str,
        Meta(
            description='The message; "" is silence. Of the characters that print and plain'
            " spaces, the first `talk_chars` are kept."
        ),
    ]


class Play(Form):
    """The play of this round. Fields the stated play does not use are ignored."""


class Arm(Play):
    """Gain four missiles and deploy."""

    play: Annotated[Literal["arm"], _THE_KIND]
    add: Annotated[
        list[Annotated[int, Meta(ge=0, le=REACH)]],
        _FOUR,
        Meta(
            description="Missiles added to the marker aimed at each seat, 0 at one's own; they add"
            " up to at most 12 and at most one's reserve + 4."
        ),
    ]


class Shift(Play):
    """Re-aim missiles; all 0 is a pass."""

    play: Annotated[Literal["shift"], _THE_KIND]
    move: Annotated[
        list[Annotated[int, Meta(ge=-REACH, le=REACH)]],
        _FOUR,
        Meta(
            description="Change of the marker aimed at each seat, 0 at one's own; the sum is 0, the"
            " positive entries add up to at most 12, and no marker goes below 0."
        ),
    ]


class Attack(Play):
    """Offer an alliance."""

    play: Annotated[Literal["attack"], _THE_KIND]
    with_: Annotated[
        int,
        Meta(
            description="The ally sought, not the victim: a seat other than one's own.", ge=0, le=3
        ),
    ] = msgspec.field(name="with")


DECISIONS = {"talk": Talk, "play": Arm | Shift | Attack}


def play_refusal(seat: int, play: Move, markers: Sequence[int], deployable: int) -> str | None:
    """Return which condition a play breaks; `seat` has `markers`, and `deployable` missiles."""
    if play["play"] == "attack":
        return '"with" may not be one\'s own seat' if play["with"] == seat else None
    if reason := _not_its_own(seat, play):
        return reason
    if play["play"] == "arm":
        placed = sum(play["add"])
        if placed > deployable:
            return f'"add" places {placed} missiles; now, at most {deployable} can be placed'
        return None
    return _shift_refusal(seat, play["move"], markers)


def can_be_laid(seat: int, play: Move) -> bool:
    """Return whether the cards can show an arm or a shift, whatever conditions it breaks."""
    if play["play"] == "attack" or _not_its_own(seat, play):
        return False
    entries = play["add" if play["play"] == "arm" else "move"]
    if play["play"] == "shift" and 3 in (sum(n > 0 for n in entries), sum(n < 0 for n in entries)):
        return False  # three ENTRADA are an arm, and there are only two SALIDA
    copies = Counter(abs(n) for n in entries if n)
    return all(count <= (3 if number <= 4 else 2) for number, count in copies.items())


def _not_its_own(seat: int, play: Move) -> str | None:
    field = "add" if play["play"] == "arm" else "move"
    return f'"{field}" must have 0 at entry {seat}, one\'s own' if play[field][seat] else None


def _shift_refusal(seat: int, move: Sequence[int], markers: Sequence[int]) -> str | None:
    if sum(move):
        return f'the entries of "move" add up to {sum(move)}, not to 0'
    # Three entries that add up to 0, none beyond 12, never re-aim more than 12 in all.
    for other in RIVALS[seat]:
        held = markers[other]
        if held + move[other] < 0:
            return f'"move" takes {-move[other]} off entry {other}, which has only {held}'
    return None


def sample_arm(seat: int, deployable: int, rng: Random) -> Move:
    """Return an arm of any missiles, at most `deployable`."""
    total = any_below(deployable + 1, rng)
    low, high = sorted((any_below(total + 1, rng), any_below(total + 1, rng)))
    add = [low, high - low, total - high]
    add.insert(seat, 0)
    return {"play": "arm", "add": add}


def sample_shift(seat: int, own: Sequence[int], rng: Random) -> Move:
    """Return a shift of any of its `own` markers."""
    first = any_below(3, rng)
    hub, one, two = (RIVALS[seat][(first + turn) % 3] for turn in range(3))
    move = [0, 0, 0, 0]
    if rng.random() < 0.5:  # one marker feeds the two others
        moved = any_below(min(REACH, own[hub]) + 1, rng)
        move[one] = any_below(moved + 1, rng)
        move[two] = moved - move[one]
    else:
        move[one] = -any_below(min(REACH, own[one]) + 1, rng)
        move[two] = -any_below(min(REACH + move[one], own[two]) + 1, rng)
    move[hub] = -move[one] - move[two]
    return {"play": "shift", "move": move}


def sample_cards(seat: int, rng: Random) -> Move:
    """Return an arm or a shift of any numbers."""
    kind, field, lowest = ("arm", "add", 0) if rng.random() < 0.5 else ("shift", "move", -REACH)
    entries = [lowest + any_below(REACH + 1 - lowest, rng) for _ in RIVALS[seat]]
    entries.insert(seat, 0)
    return {"play": kind, field: entries}
