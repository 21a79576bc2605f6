"""Casino War's two replies: their forms, how far a bet may go, and why one is refused."""

from typing import Annotated, Any, Literal, NamedTuple

from msgspec import Meta

from referee.rules.field import shown
from referee.rules.form import Form
from referee.rules.game import Move


class Bet(Form, forbid_unknown_fields=True):
    """What is staked on this round."""

    bet: Annotated[
        int,
        Meta(
            description="The bet on the player card, an even number, from the least bet up to the"
            " greatest and to one's money.",
            extra_json_schema={"minimum": 2, "multipleOf": 2},
        ),
    ]
    tie_bet: Annotated[
        int,
        Meta(
            ge=0,
            description="The bet on a tie, up to the greatest bet; absent for none. Both bets"
            " together may not be more than one's money.",
        ),
    ] = 0


class Tie(Form, forbid_unknown_fields=True):
    """The answer to a tie: add as much again for another pair of cards, or lose half the bet."""

    action: Annotated[Literal["war", "surrender"], Meta(description="The answer.")]


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


def bet_refusal(move: Move, limits: BetLimits) -> str | None:
    """Return why `move` is no legal bet, or None."""
    bet, tie_bet = move["bet"], move["tie_bet"]
    return _wrong_bet(bet, limits) or _wrong_tie_bet(bet, tie_bet, limits)


def _wrong_bet(bet: int, limits: BetLimits) -> str | None:
    if bet < limits.least:
        return f'"bet" is {shown(bet)}; the least is {limits.least}'
    if bet > limits.money:
        return f'"bet" is {shown(bet)}, but you have only {limits.money}'
    if bet % 2:
        return f'"bet" is {shown(bet)}; it must be even'
    if bet > limits.most:
        return f'"bet" is {shown(bet)}; the greatest is {limits.most}'
    return None


def _wrong_tie_bet(bet: int, tie_bet: int, limits: BetLimits) -> str | None:
    if tie_bet and not limits.ties:
        return f'"tie_bet" is {shown(tie_bet)}; with the option `tie_bet` off it may only be 0'
    if tie_bet > limits.money:
        return f'"tie_bet" is {shown(tie_bet)}, but you have only {limits.money}'
    if bet + tie_bet > limits.money:
        return f'"bet" and "tie_bet" come to {bet + tie_bet}, but you have only {limits.money}'
    if tie_bet > limits.most_on_tie:
        return f'"tie_bet" is {shown(tie_bet)}; the greatest is {limits.most_on_tie}'
    return None
