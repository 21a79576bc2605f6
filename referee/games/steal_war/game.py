"""Steal War: won cards lie in open piles, and a card of the same rank steals a whole pile."""

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from random import Random
from typing import Annotated, Any, ClassVar, Literal, Self

from msgspec import Meta

from referee.games.steal_war.forms import (
    WAIT,
    Play,
    StealPile,
    Top,
    Wait,
    all_moves,
    steal_refusal,
)
from referee.games.steal_war.table import areas
from referee.games.steal_war.trick import DOWN, Holdings, Trick
from referee.games.war_family.cards import lasting
from referee.games.war_family.table import NAMES
from referee.rules.chance import Chance, any_below, any_of
from referee.rules.form import AnyForm
from referee.rules.game import Decision, Game, Move, Observation, Options, ranked, redealt
from referee.rules.scene import Area

MOST_KEPT = 60
"""Tricks remembered for those who are seldom asked."""


class StealWarOptions(Options, frozen=True, kw_only=True):
    """The options of Steal War."""

    protection: Annotated[
        bool,
        Meta(
            description="Whether to play a card of the rank on top of one's own pile keeps that"
            " pile safe until everyone has played."
        ),
    ] = True
    steal_back: Annotated[
        Literal["never", "at_once"],
        Meta(
            description="Whether a pile may be stolen back at once: then a seat may wait with its"
            " card to see what the others do."
        ),
    ] = "never"
    max_tricks: Annotated[
        int, Meta(ge=1, description="Tricks before the game is stopped and cards are counted.")
    ] = 2000


class StealWar(Game):
    """One play of Steal War."""

    name = "steal_war"
    title = "War with open piles: play your card, or steal a pile that shows its rank."
    seat_counts = range(2, 11)
    options_type = StealWarOptions
    decisions: ClassVar[Mapping[str, AnyForm]] = {"steal": Play | StealPile | Wait, "top": Top}
    typical_decisions = 100
    mirroring = 3.3
    score = "the cards in pack and pile at the end"

    options: StealWarOptions

    def __init__(self, *, seats: int, options: Options, chance: Chance) -> None:
        super().__init__(seats=seats, options=options, chance=chance)
        self.held = self._deal()
        self.trick = Trick(0, ())
        """The trick being played, or the last one."""
        self.tricks: deque[Trick] = deque(maxlen=MOST_KEPT)
        """The last tricks that are over, the newest at the end."""
        self.asked: str | None = None
        """The decision that is asked now; None once the game is over."""
        self.won: list[str] = []
        """What the winner of the trick is to put on its pile."""
        self.ran_out: dict[int, tuple[int, int]] = {}
        """By each seat that is out, its last trick, and how many cards it laid there."""
        self._deciders: list[int] = []
        self._is_waiting_allowed = self.options.steal_back == "at_once"
        self._hurried: int | None = None
        """The seat that lots keep from waiting on, while all others wait."""
        self.decided = [0] * seats
        """By seat, the last trick that was over when it last decided."""
        self._play_on()

    def deciders(self) -> Sequence[int]:
        """Return who could steal a pile, or who has won the trick."""
        return self._deciders.copy()

    def decision(self, seat: int) -> Decision:
        """Return the piles that can be stolen, or the cards that were won."""
        if self.asked == "top":
            return Decision("top", legal=[{"top": card} for card in self.won])
        thefts = [{"action": "steal", "target": other} for other in self.held.targets(seat)]
        waits = [WAIT.copy()] if self._may_wait(seat) else []
        return Decision("steal", legal=[{"action": "play"}, *thefts, *waits])

    def asks(self, seat: int) -> str:
        """Return the name of the decision."""
        return self.asked or ""

    def view(self, seat: int) -> Observation:
        """Return the table, the card that `seat` has drawn, and what was played since it decided.

        Whether others are asked is not told: it would say something about their cards.
        """
        trick, held = self.trick, self.held
        return {
            "game": self.name,
            "seat": seat,
            "decision": self.asked,
            "trick": trick.number,
            "war": trick.war,
            "card": held.drawn[seat],
            "packs": [len(pack) for pack in held.packs],
            "piles": held.piles,
            "in_trick": trick.seats,
            "laid": self._laid(),
            "up": [trick.up.get(other) for other in range(self.seats)],
            "protected": sorted(trick.protected),
            "thefts": trick.thefts,
            "won": self.won,
            "since": [
                self._shown(past) for past in self.tricks if past.number > self.decided[seat]
            ],
        }

    def check(self, seat: int, move: Move) -> str | None:
        """Return which rule `move` breaks, or None."""
        if self.asked == "steal":
            return steal_refusal(move, seat, self.held, may_wait=self._may_wait(seat))
        if move["top"] in self.won:
            return None
        return f"'{move['top']}' is not among the cards you have won: {' '.join(self.won)}"

    def apply(self, moves: Mapping[int, Move]) -> None:
        """Carry out the thefts, or put the pot on the winner's pile; then play on."""
        deciders, self._deciders = self._deciders, []
        if self.asked == "top":
            (seat,) = deciders
            self.decided[seat] = self.trick.number
            self._finish(moves[seat]["top"])
        else:
            aims, waiting = {}, []
            for seat in deciders:
                self.decided[seat] = self.trick.number - 1
                action = moves[seat]["action"]
                if action == "steal":
                    aims[seat] = moves[seat]["target"]
                elif action == "wait":
                    waiting.append(seat)
            self._resolve(aims, waiting)
        self._play_on()

    def default(self, seat: int) -> Move:
        """Return the play of the card, or the card that has won the trick."""
        return {"top": self.trick.up[seat]} if self.asked == "top" else {"action": "play"}

    def sample(self, seat: int, rng: Random) -> Move:
        """Return any legal move, each as likely as the others."""
        if self.asked == "top":
            return {"top": any_of(self.won, rng)}
        targets = self.held.targets(seat)
        chosen = any_below(len(targets) + 1 + self._may_wait(seat), rng)
        if chosen < len(targets):
            return {"action": "steal", "target": targets[chosen]}
        return {"action": "play"} if chosen == len(targets) else WAIT.copy()

    def places(self) -> list[int]:
        """Return the places: seats still in by cards held, then the last to run out first."""
        return ranked(lasting(self.ran_out, self.scores()))

    def scores(self) -> list[int]:
        """Return the cards that each seat holds."""
        return [self.held.size(seat) for seat in range(self.seats)]

    def all_moves(self) -> Iterable[tuple[str, list[Move]]]:
        """Yield each decision's name and every move that it may ever list."""
        return all_moves(self.seats, may_wait=self._is_waiting_allowed)

    def resample(self, seat: int, rng: Random) -> Self:
        """Return a copy with packs, others' drawn cards and face-down cards dealt anew."""
        return redealt(self, seat, rng, lambda other, dice: other._deal_anew(seat, dice))

    def describe(self, seat: int, move: Move) -> str:
        """Return what `move` does with a card, in a few words."""
        who = NAMES[seat]
        if self.asked == "top":
            return f"{who} puts {move['top']} on top"
        card = self.held.drawn[seat]
        if move["action"] == "play":
            return f"{who} plays {card}"
        if move["action"] == "wait":
            return f"{who} waits"
        target = move["target"]
        return f"{who} steals {NAMES[target]}'s pile of {len(self.held.piles[target])} with {card}"

    def called(self, seat: int) -> str:
        """Return the letter of `seat`."""
        return NAMES[seat]

    def scene(self, seat: int | None = None) -> Sequence[Area]:
        """Return the trick as far as it has come, packs and piles, and the tricks before."""
        return [*areas(self, self.options.max_tricks, seat)]

    def _deal(self) -> Holdings:
        return Holdings(self.seats, self.chance)

    def _deal_anew(self, seat: int, rng: Random) -> None:
        """Replace what `seat` cannot know, and ask those who then could steal or wait."""
        is_over = self.asked != "steal"
        while True:
            self.held.deal_anew(self.trick, seat, rng, lie_open=is_over)
            if is_over:
                return
            able = self._able(self.held.holders() if self._hurried is None else [self._hurried])
            if able:
                self._deciders = able
                return

    def _play_on(self) -> None:
        """Play tricks until somebody has a choice or the game is over."""
        while not self._deciders and not self.reason:
            if self.trick.number == self.options.max_tricks:
                self._end("max_tricks")
            else:
                staying = [seat for seat in range(self.seats) if seat not in self.ran_out]
                self.trick = Trick(self.trick.number + 1, staying)
                self._draw(staying)

    def _draw(self, seats: Sequence[int], waiting: Sequence[int] = ()) -> None:
        """Let `seats` look at their next card, and ask them and those `waiting` what to do."""
        for seat in seats:
            self.held.draw(seat, self.trick)
        self._ask(sorted([*seats, *waiting]) if waiting else seats)

    def _ask(self, seats: Sequence[int]) -> None:
        """Ask those of `seats` who could steal or wait; if none could, all play."""
        self._deciders = self._able(seats)
        if self._deciders:
            self.asked = "steal"
        else:
            self._resolve({})

    def _able(self, seats: Sequence[int]) -> list[int]:
        """Return those of `seats` who could steal or wait."""
        targets = self.held.targets
        if self._is_waiting_allowed:
            return [seat for seat in seats if targets(seat) or self._may_wait(seat)]
        return [seat for seat in seats if targets(seat)]

    def _may_wait(self, seat: int) -> bool:
        """Return whether `seat` may keep its card: others have one, too, and a pile its rank."""
        if not self._is_waiting_allowed or seat == self._hurried:
            return False
        held = self.held
        matches = held.targets(seat) or held.could_steal_back(seat)
        return bool(matches) and len(held.holders()) > 1

    def _resolve(self, aims: Mapping[int, int], waiting: Sequence[int] = ()) -> None:
        trick = self.trick
        if self._hurried is not None:
            waiting = [seat for seat in self.held.holders() if seat != self._hurried]
        all_wait = waiting and waiting == self.held.holders()
        thieves = self.held.resolve(trick, aims, waiting, protection=self.options.protection)
        if thieves or waiting:
            trick.turn += 1
            self._hurried = None
            if all_wait:
                event = ("hurried", trick.number, trick.war, trick.turn)
                self._hurried = self.chance.choice(waiting, *event)
                self._ask([self._hurried])
            else:
                self._draw(thieves, waiting)
            return
        highest = trick.highest()
        if len(highest) == 1:
            self._win(highest[0])
        else:
            self._go_to_war()

    def _go_to_war(self) -> None:
        trick, held = self.trick, self.held
        trick.war += 1
        trick.turn = 0
        trick.protected.clear()
        counts = {seat: held.size(seat) for seat in trick.seats}
        able = [seat for seat, count in counts.items() if count > DOWN]
        for seat, count in counts.items():
            if seat not in able:
                held.lay(seat, count, trick)
        if len(able) > 1:
            for seat in able:
                held.lay(seat, DOWN, trick)
            trick.seats = able
            trick.up = {}
            self._draw(able)
            return
        most = max(counts.values())
        best = able or [seat for seat, count in counts.items() if count == most]
        if len(best) == 1:
            self._win(best[0])
        else:
            trick.level = best
            self._run_out(best)
            self.tricks.append(trick)
            self._end("drawn")

    def _win(self, winner: int) -> None:
        """Give the trick to `winner`, and ask for the top card if that is left to it."""
        trick = self.trick
        trick.winner = winner
        trick.protected.clear()
        self._run_out([winner])
        self.won = trick.pot()
        over = len(self.ran_out) == self.seats - 1
        if over or not self.held.packs[winner] or trick.number == self.options.max_tricks:
            self._finish(trick.up[winner])
        else:
            self.asked = "top"
            self._deciders = [winner]
        if over:
            self._end("all_cards")

    def _finish(self, top: str) -> None:
        self.held.take(self.trick, self.won, top)
        self.tricks.append(self.trick)
        self.won = []

    def _run_out(self, staying: Sequence[int]) -> None:
        for seat, cards in self.trick.laid.items():
            if not self.held.size(seat) and seat not in staying:
                self.ran_out[seat] = (self.trick.number, len(cards))

    def _end(self, reason: str) -> None:
        self.reason = reason
        self.asked = None

    def _laid(self) -> list[list[str | None]]:
        """Return the cards of the trick, None for those face down until it is over."""
        trick = self.trick
        hidden = self.asked == "steal"
        return [
            [
                None if hidden and at % (DOWN + 1) else card
                for at, card in enumerate(trick.laid.get(seat, ()))
            ]
            for seat in range(self.seats)
        ]

    def _shown(self, trick: Trick) -> dict[str, Any]:
        return {
            "trick": trick.number,
            "laid": [trick.laid.get(seat, []) for seat in range(self.seats)],
            "thefts": trick.thefts,
            "winner": trick.winner,
            "top": trick.top,
        }
