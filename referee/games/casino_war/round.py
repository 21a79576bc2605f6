"""One round of Casino War: the stakes, the cards, the answers to a tie, and what they cost."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from referee.games.war_family.cards import strength

NAMES = "ABCDEFGH"
TIE_PAYS = 10


class Stake(NamedTuple):
    """What a seat has bet."""

    bet: int
    on_tie: int


class Round:
    """A round, from the bets to the money they moved.

    `stakes` has None for a seat that sits out.
    """

    __slots__ = ("answers", "change", "house", "number", "player", "stakes", "war")

    def __init__(self, number: int, seats: int) -> None:
        self.number = number
        self.stakes: list[Stake | None] = [None] * seats
        self.player = self.house = ""
        """The two cards; empty while the bets are asked."""
        self.answers: list[str | None] = []
        """Each seat's answer to a tie; empty if there was none, or while it is asked."""
        self.war: tuple[str, str] | None = None
        """Player's and house's second cards."""
        self.change = [0] * seats
        """What each seat has won or lost in it so far."""

    def deal(self, player: str, house: str) -> list[int]:
        """Compare the cards; return what the bets on a tie and, without one, all others move."""
        self.player, self.house = player, house
        ahead = strength(player) - strength(house)
        sign = (ahead > 0) - (ahead < 0)
        on_tie = -1 if sign else TIE_PAYS
        return [sign * stake.bet + on_tie * stake.on_tie if stake else 0 for stake in self.stakes]

    @property
    def tied(self) -> bool:
        """Whether the first two cards are of one rank."""
        return self.player != "" and strength(self.player) == strength(self.house)

    def settle_tie(self, answers: Sequence[str | None], war: tuple[str, str] | None) -> list[int]:
        """Return what the bets of a tie move; `war` is dealt if anyone goes there."""
        self.answers, self.war = [*answers], war
        won = war is not None and strength(war[0]) >= strength(war[1])
        return [
            0 if not stake
            else -(stake.bet // 2) if answer == "surrender"
            else stake.bet if won
            else -2 * stake.bet
            for stake, answer in zip(self.stakes, answers, strict=True)
        ]  # fmt: skip

    def shown_stakes(self) -> list[dict[str, int] | None]:
        """Return all bets as every seat sees them once they are in."""
        return [stake and {"bet": stake.bet, "tie_bet": stake.on_tie} for stake in self.stakes]

    def shown(self) -> dict[str, Any]:
        """Return a round that is over as every seat sees it."""
        return {
            "round": self.number,
            "bets": self.shown_stakes(),
            "player": self.player,
            "house": self.house,
            "answers": self.answers or None,
            "war": {"player": self.war[0], "house": self.war[1]} if self.war else None,
            "change": self.change,
        }

    def told(self) -> str:
        """Return a round that is over as a line for people."""
        cards = f"{self.player} v {self.house}"
        if self.war:
            cards += f", war {self.war[0]} v {self.war[1]}"
        moved = []
        for seat, stake in enumerate(self.stakes):
            if stake:
                staked = f"{stake.bet}+{stake.on_tie}" if stake.on_tie else f"{stake.bet}"
                answer = f" {self.answers[seat]}" if self.answers else ""
                moved.append(f"{NAMES[seat]} {staked}{answer}: {self.change[seat]:+}")
        return f"Round {self.number}: {cards}; {', '.join(moved)}"
