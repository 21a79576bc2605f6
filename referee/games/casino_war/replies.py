"""Casino War's two replies: their schemas, how far a bet may go, and why a reply is refused."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from referee.game import Move
from referee.games.replies import kind, wrong_fields

DRAFT = "https://json-schema.org/draft/2020-12/schema"
HUGE = 10**15
"""Numbers beyond this are not written out."""
BET = {
    "$schema": DRAFT,
    "description": "What is staked on this round.",
    "type": "object",
    "properties": {
        "bet": {
            "description": "The bet on the player card, an even number, from the least bet up to"
            " the greatest and to one's money.",
            "type": "integer",
            "minimum": 2,
            "multipleOf": 2,
        },
        "tie_bet": {
            "description": "The bet on a tie, up to the greatest bet; absent for none. Both bets"
            " together may not be more than one's money.",
            "type": "integer",
            "minimum": 0,
        },
    },
    "required": ["bet"],
    "additionalProperties": False,
}
TIE = {
    "$schema": DRAFT,
    "description": "The answer to a tie: add as much again for another pair of cards, or lose"
    " half the bet.",
    "type": "object",
    "properties": {"action": {"description": "The answer.", "enum": ["war", "surrender"]}},
    "required": ["action"],
    "additionalProperties": False,
}
DECISIONS: Mapping[str, Mapping[str, Any]] = {"bet": BET, "tie": TIE}


class BetLimits(NamedTuple):
    """How much one seat may stake now."""

    least: int
    most: int
    most_on_tie: int
    """Beside the least bet."""
    money: int
    ties: bool
    """Whether anything may be bet on a tie at all."""

    def shown(self) -> dict[str, Any]:
        """Return them as the seat is told them."""
        return {
            "bet": {"min": self.least, "max": self.most},
            "tie_bet": {"min": 0, "max": self.most_on_tie},
            "money": self.money,
        }

    def beside(self, bet: int) -> int:
        """Return the most that can be bet on a tie beside a legal `bet`."""
        return min(self.most_on_tie, self.money - bet)


def bet_limits(money: int, least: int, most: int, *, ties: bool) -> BetLimits:
    """Return the limits for `money` enough for the `least` bet."""
    highest = min(most, money - money % 2)
    return BetLimits(least, highest, min(most, money - least) if ties else 0, money, ties)


def bet_refusal(move: Move, limits: BetLimits) -> str | None:
    """Return why `move` is no legal bet, or None."""
    if reason := wrong_fields({"tie_bet": 0, **move}, "bet", "tie_bet"):
        return reason
    bet, tie_bet = move["bet"], move.get("tie_bet", 0)
    reason = _wrong_number("bet", bet) or _wrong_number("tie_bet", tie_bet)
    return reason or _wrong_bet(bet, limits) or _wrong_tie_bet(bet, tie_bet, limits)


def answer_refusal(move: Move) -> str | None:
    """Return why `move` is no answer to a tie, or None."""
    if reason := wrong_fields(move, "action"):
        return reason
    if move["action"] not in ("war", "surrender"):
        return '"action" must be "war" or "surrender"'
    return None


def _wrong_number(field: str, value: object) -> str | None:
    if type(value) is int:
        return None
    return f'"{field}" must be a whole number, not {kind(value)}'


def _wrong_bet(bet: int, limits: BetLimits) -> str | None:
    if bet < limits.least:
        return f'"bet" is {_short(bet)}; the least is {limits.least}'
    if bet > limits.money:
        return f'"bet" is {_short(bet)}, but you have only {limits.money}'
    if bet % 2:
        return f'"bet" is {_short(bet)}; it must be even'
    if bet > limits.most:
        return f'"bet" is {_short(bet)}; the greatest is {limits.most}'
    return None


def _wrong_tie_bet(bet: int, tie_bet: int, limits: BetLimits) -> str | None:
    if tie_bet < 0:
        return f'"tie_bet" is {_short(tie_bet)}; it may not be less than 0'
    if tie_bet and not limits.ties:
        return f'"tie_bet" is {_short(tie_bet)}; with the option `tie_bet` off it may only be 0'
    if tie_bet > limits.money:
        return f'"tie_bet" is {_short(tie_bet)}, but you have only {limits.money}'
    if bet + tie_bet > limits.money:
        return f'"bet" and "tie_bet" come to {bet + tie_bet}, but you have only {limits.money}'
    if tie_bet > limits.most_on_tie:
        return f'"tie_bet" is {_short(tie_bet)}; the greatest is {limits.most_on_tie}'
    return None


def _short(number: int) -> str:
    return str(number) if abs(number) < HUGE else "far out of range"
