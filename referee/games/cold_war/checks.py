"""Why a play of Cold War breaks a condition, in words for the bot's author."""

from collections import Counter
from collections.abc import Sequence

from referee.games.cold_war.seats import RIVALS
from referee.rules.game import Move


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
