"""Cold War in words for people: markers, plays, attacks, messages, the end."""

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

from referee.game import Move
from referee.games.cold_war.seats import GAIN, NAMES, RIVALS, SEATS


def row(owner: int, markers: Sequence[int], reserve: int) -> str:
    """Return the markers and the reserve of a seat."""
    cells = ["-" if seat == owner else str(markers[seat]) for seat in SEATS]
    cells.append(str(reserve))
    return f"{owner} {NAMES[owner]:7}" + "".join(f"{cell:>9}" for cell in cells)


def spoken(messages: Sequence[Sequence[str]]) -> list[str]:
    """Return the messages of the round, exchange by exchange."""
    lines: list[str] = []
    for number, exchange in enumerate(messages, start=1):
        lines += ["", f"Exchange {number}:"]
        for name, words in zip(NAMES, exchange, strict=True):
            said = f"{name}: {words or '(silent)'}"
            lines += textwrap.wrap(said, 80, initial_indent="  ", subsequent_indent="    ")
    return lines


def verdict(places: Sequence[int]) -> str:
    """Return who wins."""
    winners = [NAMES[seat] for seat in SEATS if places[seat] == 1]
    return "All four tie." if len(winners) == 4 else f"{' and '.join(winners)} win."


def told(seat: int, play: Move) -> str:
    """Return `play` as a sentence without its full stop."""
    name = NAMES[seat]
    match play["play"]:
        case "arm":
            return f"{name} arms: {_changes(seat, play['add'], GAIN - sum(play['add']))}"
        case "shift":
            changes = _changes(seat, play["move"], 0)
            return f"{name} shifts: {changes}" if changes else f"{name} passes"
        case "attack":
            return f"{name} attacks with {NAMES[play['with']]}"
        case _:
            return f"{name} loses the play{laid(seat, play)}"


def laid(seat: int, play: Move) -> str:
    """Return after a colon what was laid in a null play, if it is shown."""
    if "laid" not in play:
        return ""
    cards = play["laid"]
    return f": {cards['play']} {_changes(seat, cards.get('add') or cards['move'], 0)}"


def _changes(seat: int, entries: Sequence[int], reserve: int) -> str:
    named = [(NAMES[other], entries[other]) for other in RIVALS[seat]]
    return ", ".join(f"{name} {n:+d}" for name, n in (*named, ("reserve", reserve)) if n)


def outcome(attack: Mapping[str, Any]) -> str:
    """Return what became of an attack."""
    one, two = (NAMES[seat] for seat in attack["pair"])
    end = "won" if attack["won"] else "repelled"
    return f"Attack of {one} and {two}: {attack['force']} against {attack['against']}, {end}"
