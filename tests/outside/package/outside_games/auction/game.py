"""Auction: prizes come up one by one, and all bid for each at once, in secret."""

from collections.abc import Mapping, Sequence
from random import Random
from typing import Annotated, Any, ClassVar

from msgspec import Meta

from referee.rules.chance import Chance
from referee.rules.form import AnyForm, Form
from referee.rules.game import Decision, Game, Move, Observation, Options, ranked, redealt
from referee.rules.scene import Area, Facts


class AuctionOptions(Options, frozen=True, kw_only=True):
    """The options of the auction."""

    prizes: Annotated[int, Meta(ge=1, le=20, description="Prizes, worth 1, 2, 3 and so on.")] = 10
    money: Annotated[int, Meta(ge=1, le=1000, description="Money of each seat at the start.")] = 100


class Offer(Form, forbid_unknown_fields=True):
    """What is offered for the prize, in secret: the highest offer pays and gets it."""

    bid: Annotated[int, Meta(ge=0, le=1000, description="Money, at most what one has.")]


class Auction(Game):
    """One play of the auction."""

    name = "auction"
    title = "Prizes come up one by one; all bid at once, in secret, and the highest pays."
    seat_counts = range(2, 6)
    options_type = AuctionOptions
    decisions: ClassVar[Mapping[str, AnyForm]] = {"offer": Offer}
    typical_decisions = 20
    score = "the worth of the prizes won"
    measures: ClassVar[Mapping[str, str]] = {"rounds": "the rounds that were played"}

    options: AuctionOptions

    def __init__(self, *, seats: int, options: Options, chance: Chance) -> None:
        super().__init__(seats=seats, options=options, chance=chance)
        worths = range(1, self.options.prizes + 1)
        self.coming = chance.shuffled(worths, "prizes")
        self.pot = [self.coming.pop()]
        """What is bid for now: prizes that nobody won before are still in it."""
        self.money = [self.options.money] * seats
        self.won = [0] * seats
        self.past: list[dict[str, Any]] = []

    def deciders(self) -> Sequence[int]:
        """Return all seats that have money."""
        if self.reason:
            return ()
        return tuple(seat for seat, money in enumerate(self.money) if money)

    def decision(self, seat: int) -> Decision:
        """Return the question for an offer, with how much it can be."""
        return Decision("offer", limits={"min": 0, "max": self.money[seat]})

    def view(self, seat: int) -> Observation:
        """Return the prize, everybody's money and points, and all past rounds."""
        return {
            "game": self.name,
            "seat": seat,
            "decision": "offer" if seat in self.deciders() else None,
            "pot": self.pot,
            "left": sorted(self.coming),
            "money": self.money,
            "won": self.won,
            "past": self.past,
        }

    def check(self, seat: int, move: Move) -> str | None:
        """Return that one has not so much."""
        if move["bid"] > self.money[seat]:
            return f'"bid" is more than the {self.money[seat]} that you have'
        return None

    def apply(self, moves: Mapping[int, Move]) -> None:
        """Give the pot to the highest offer, if there is one."""
        bids = [moves[seat]["bid"] if seat in moves else 0 for seat in range(self.seats)]
        best = [seat for seat, bid in enumerate(bids) if bid == max(bids)]
        winner = best[0] if len(best) == 1 else None
        self.past.append({"pot": self.pot, "bids": bids, "winner": winner})
        if winner is not None:
            self.money[winner] -= bids[winner]
            self.won[winner] += sum(self.pot)
            self.pot = []
        if not self.coming:
            self.reason = "sold"
        elif not any(self.money):
            self.reason = "broke"
        else:
            self.pot = [*self.pot, self.coming.pop()]

    def default(self, seat: int) -> Move:
        """Return no offer at all."""
        return {"bid": 0}

    def sample(self, seat: int, rng: Random) -> Move:
        """Return any offer."""
        return {"bid": rng.randint(0, self.money[seat])}

    def places(self) -> list[int]:
        """Return the places by what was won."""
        return ranked([-worth for worth in self.won])

    def scores(self) -> list[int]:
        """Return what was won."""
        return [*self.won]

    def numbers(self) -> dict[str, int | float]:
        """Return the rounds that were played."""
        return {"rounds": len(self.past)}

    def resample(self, seat: int, rng: Random) -> "Auction":
        """Return the game with the prizes to come in another order."""
        return redealt(self, seat, rng, lambda game, rng: rng.shuffle(game.coming))

    def scene(self, seat: int | None = None) -> Sequence[Area]:
        """Return the prize, the seats, and what the last ones went for."""
        head = f"Bid for {' + '.join(map(str, self.pot)) or 'nothing'}"
        rows = [(str(money), str(won)) for money, won in zip(self.money, self.won, strict=True)]
        areas: list[Area] = [Facts(head, ("Money", "Won"), rows, [*range(self.seats)])]
        past = [
            (str(sum(each["pot"])), " ".join(map(str, each["bids"])), str(each["winner"]))
            for each in self.past[-5:]
        ]
        if past:
            areas.append(Facts("Lately", ("Worth", "Bids by seat", "Winner"), past))
        return areas

    def describe(self, seat: int, move: Move) -> str:
        """Return what is offered."""
        return f"seat {seat} offers {move['bid']}"
