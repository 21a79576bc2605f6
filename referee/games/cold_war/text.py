"""What is done in Cold War, in words for people."""

from collections.abc import Sequence

from referee.games.cold_war.seats import GAIN, NAMES, RIVALS
from referee.rules.game import Move


def told(seat: int, play: Move) -> str:
    """Return `play` as a sentence without its full stop."""
    return f"{NAMES[seat]} {deed(seat, play)}"


def deed(seat: int, play: Move) -> str:
    """Return what `seat` does by `play`, as the predicate of a sentence."""
    match play["play"]:
        case "arm":
            return f"arms: {_changes(seat, play['add'], GAIN - sum(play['add']))}"
        case "shift":
            changes = _changes(seat, play["move"], 0)
            return f"shifts: {changes}" if changes else "passes"
        case "attack":
            return f"attacks with {NAMES[play['with']]}"
        case _:
            return f"loses the play{_laid(seat, play)}"


def _laid(seat: int, play: Move) -> str:
    """Return after a colon what was laid in a null play, if it is shown."""
    if "laid" not in play:
        return ""
    cards = play["laid"]
    return f": {cards['play']} {_changes(seat, cards.get('add') or cards['move'], 0)}"


def _changes(seat: int, entries: Sequence[int], reserve: int) -> str:
    named = [(NAMES[other], entries[other]) for other in RIVALS[seat]]
    return ", ".join(f"{name} {n:+d}" for name, n in (*named, ("reserve", reserve)) if n)
