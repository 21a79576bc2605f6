"""Casino War: every seat stakes its own money on the same cards against the house."""

from collections import deque
from collections.abc import Mapping, Sequence
from random import Random
from typing import Annotated, ClassVar, Literal, Self

from msgspec import Meta

from referee.games.casino_war.forms import Bet, BetLimits, Tie, bet_refusal
from referee.games.casino_war.round import NAMES, Round, Stake
from referee.games.casino_war.shoe import LEAST_PER_DECK, Shoe
from referee.games.casino_war.table import last_areas, money_area, round_area, shoe_area
from referee.games.war_family.cards import deck
from referee.rules.chance import Chance, any_below
from referee.rules.form import AnyForm
from referee.rules.game import Decision, Game, Move, Observation, Options, ranked, twin
from referee.rules.scene import Area, Text

BURNED = 3
"""Cards burned before a war."""
REMEMBERED = 6
"""Rounds kept for people to look back on."""


class CasinoWarOptions(Options, frozen=True, kw_only=True):
    """The options of Casino War."""

    rounds: Annotated[int, Meta(ge=1, description="Rounds before the money is counted.")] = 50
    bankroll: Annotated[int, Meta(ge=2, description="Each seat's money at the beginning.")] = 1000
    min_bet: Annotated[int, Meta(ge=2, multiple_of=2, description="The least bet; even.")] = 10
    max_bet: Annotated[
        int, Meta(ge=2, multiple_of=2, description="The greatest bet, and tie bet; even.")
    ] = 100
    tie_bet: Annotated[bool, Meta(description="Whether one may also bet on a tie.")] = True
    decks: Annotated[int, Meta(ge=1, le=8, description="Packs of 52 cards, put together.")] = 6
    reshuffle: Annotated[
        Literal["each_round", "shoe"],
        Meta(
            description="When all cards are shuffled: before each round, or when fewer than 13 a"
            " deck are left."
        ),
    ] = "each_round"

    def __post_init__(self) -> None:
        """Refuse options by which nobody could ever bet."""
        if self.min_bet > self.max_bet:
            raise ValueError(
                f"the option min_bet ({self.min_bet}) is more than max_bet ({self.max_bet})."
            )
        if self.bankroll < self.min_bet:
            raise ValueError(
                f"the option bankroll ({self.bankroll}) is less than min_bet ({self.min_bet}):"
                " nobody could bet."
            )


class CasinoWar(Game):
    """One play of Casino War."""

    name = "casino_war"
    title = "Everybody bets on the same cards against the house: who stakes best is richest."
    seat_counts = range(2, 9)
    options_type = CasinoWarOptions
    decisions: ClassVar[Mapping[str, AnyForm]] = {"bet": Bet, "tie": Tie}
    typical_decisions = 100
    mirroring = 1.0
    score = "the money at the end"

    options: CasinoWarOptions

    def __init__(self, *, seats: int, options: Options, chance: Chance) -> None:
        super().__init__(seats=seats, options=options, chance=chance)
        self.money = [self.options.bankroll] * seats
        """Each seat's own, its stakes on the table included."""
        self._cards = [card for card in deck() for _ in range(self.options.decks)]
        self.shoe = Shoe(self._cards)
        self.now = Round(1, seats)
        """The round being played, or that would come next."""
        self.played: deque[Round] = deque(maxlen=REMEMBERED)
        """The latest rounds that are over."""
        self.asked: str | None = "bet"
        """The decision that is asked now; None once the game is over."""
        self._deciders: Sequence[int] = range(seats)

    def deciders(self) -> Sequence[int]:
        """Return who can bet, or who can go to war."""
        return self._deciders

    def decision(self, seat: int) -> Decision:
        """Return the limits of a bet, or the two answers to a tie."""
        if self.asked == "bet":
            return Decision("bet", limits=self._limits(seat).shown())
        return Decision("tie", legal=[{"action": "war"}, {"action": "surrender"}])

    def asks(self, seat: int) -> str:
        """Return the name of the decision."""
        return self.asked or ""

    def view(self, seat: int) -> Observation:
        """Return the table, which is the same for all seats."""
        now = self.now if self.asked == "tie" else None
        return {
            "game": self.name,
            "seat": seat,
            "decision": self.asked,
            "round": self.now.number,
            "money": self.money,
            "bets": now.shown_stakes() if now else None,
            "player": now.player if now else None,
            "house": now.house if now else None,
            "last": self.played[-1].shown() if self.played else None,
            "left": len(self.shoe.cards),
            "seen": self.shoe.seen,
        }

    def check(self, seat: int, move: Move) -> str | None:
        """Return which rule `move` breaks, or None."""
        return bet_refusal(move, self._limits(seat)) if self.asked == "bet" else None

    def canonical(self, seat: int, move: Move) -> Move:
        """Return a bet with the bet on a tie behind it."""
        if self.asked == "bet":
            return {"bet": move["bet"], "tie_bet": move["tie_bet"]}
        return move

    def apply(self, moves: Mapping[int, Move]) -> None:
        """Take in the bets and deal, or take in the answers to a tie."""
        if self.asked == "bet":
            self._deal(moves)
        else:
            self._settle_tie(moves)

    def default(self, seat: int) -> Move:
        """Return the least bet, or the surrender."""
        if self.asked == "bet":
            return {"bet": self.options.min_bet, "tie_bet": 0}
        return {"action": "surrender"}

    def sample(self, seat: int, rng: Random) -> Move:
        """Return any bet, every other one with a bet on a tie; or either answer."""
        if self.asked != "bet":
            return {"action": "war" if rng.random() < 0.5 else "surrender"}
        limits = self._limits(seat)
        bet = limits.least + 2 * any_below((limits.most - limits.least) // 2 + 1, rng)
        on_tie = any_below(limits.beside(bet) + 1, rng) if rng.random() < 0.5 else 0
        return {"bet": bet, "tie_bet": on_tie}

    def places(self) -> list[int]:
        """Return the places by money."""
        return ranked([-money for money in self.money])

    def scores(self) -> list[int]:
        """Return the money of each seat."""
        return self.money

    def describe(self, seat: int, move: Move) -> str:
        """Return what `move` stakes, in a few words."""
        who = NAMES[seat]
        if self.asked == "tie":
            return f"{who} goes to war" if move["action"] == "war" else f"{who} surrenders"
        on_tie = move.get("tie_bet", 0)
        return f"{who} bets {move['bet']}" + (f", and {on_tie} on a tie" if on_tie else "")

    def called(self, seat: int) -> str:
        """Return the letter of `seat`."""
        return NAMES[seat]

    def scene(self, seat: int | None = None) -> Sequence[Area]:
        """Return the money and the stakes, the cards, the latest rounds and the shoe."""
        options, view, seats = self.options, self.view(0), [*range(self.seats)]
        before = [each.told() for each in self.played][:-1]
        each_round = options.reshuffle == "each_round"
        areas: list[Area] = [round_area(view, options.rounds)] if self.asked else []
        areas.append(money_area(view, seats))
        if self.played:
            areas += last_areas(view["last"], seats)
        if before:
            areas.append(Text("The rounds before, bet + bet on a tie: won or lost", before, most=0))
        is_open = seat is None
        shoe = shoe_area(self.shoe, options.decks, each_round=each_round, is_open=is_open)
        return [*areas, shoe]

    def resample(self, seat: int, rng: Random) -> Self:
        """Return a copy with other cards burned, and other chance to come."""
        other = twin(self, rng)
        other.shoe.burn_anew(rng)
        return other

    def _limits(self, seat: int) -> BetLimits:
        """Return how much a seat may stake that has enough for the least bet."""
        options, money = self.options, self.money[seat]
        most = min(options.max_bet, money - money % 2)
        on_tie = min(options.max_bet, money - options.min_bet) if options.tie_bet else 0
        return BetLimits(options.min_bet, most, on_tie, money, options.tie_bet)

    def _deal(self, moves: Mapping[int, Move]) -> None:
        now = self.now
        for seat, move in moves.items():
            now.stakes[seat] = Stake(move["bet"], move.get("tie_bet", 0))
        self._pay(now.deal(self._draw("player"), self._draw("house")))
        if not now.tied:
            self._end_round()
            return
        self.asked = "tie"
        self._deciders = [
            seat
            for seat, stake in enumerate(now.stakes)
            if stake and self.money[seat] >= 2 * stake.bet
        ]
        if not self._deciders:
            self._settle_tie({})

    def _settle_tie(self, moves: Mapping[int, Move]) -> None:
        now = self.now
        answers = [
            (moves[seat]["action"] if seat in moves else "surrender") if stake else None
            for seat, stake in enumerate(now.stakes)
        ]
        self._pay(now.settle_tie(answers, self._second_cards() if "war" in answers else None))
        self._end_round()

    def _second_cards(self) -> tuple[str, str]:
        for place in range(BURNED):
            self.shoe.burn(self.chance, "burned", self.now.number, place)
        return self._draw("war player"), self._draw("war house")

    def _draw(self, whose: str) -> str:
        return self.shoe.draw(self.chance, whose, self.now.number)

    def _pay(self, moved: Sequence[int]) -> None:
        for seat, change in enumerate(moved):
            self.money[seat] += change
            self.now.change[seat] += change

    def _end_round(self) -> None:
        over = self.now
        self.played.append(over)
        self._deciders = [
            seat for seat, money in enumerate(self.money) if money >= self.options.min_bet
        ]
        if over.number == self.options.rounds or not self._deciders:
            self.reason = "rounds" if over.number == self.options.rounds else "broke"
            self.asked = None
            self._deciders = ()
            return
        self.asked = "bet"
        self.now = Round(over.number + 1, self.seats)
        few = LEAST_PER_DECK * self.options.decks
        if self.options.reshuffle == "each_round" or len(self.shoe.cards) < few:
            self.shoe = Shoe(self._cards)
