"""Duel: two fencers on a line of nine points, with thrusts and cuts, parries and moulinets."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from random import Random
from typing import Annotated, Any, ClassVar, Literal, Self

from msgspec import Meta

from referee.games.duel.fencer import (
    DEXTERITY,
    END,
    LETHAL,
    VERSATILE,
    Deck,
    Fencer,
    in_order,
    kinds,
)
from referee.games.duel.forms import (
    DECISIONS,
    MOST_ACTIONS,
    PRICES,
    action_refusal,
    all_moves,
    as_move,
    defence_refusal,
    only_action,
    open_actions,
    trait_refusal,
)
from referee.games.duel.table import NAMES, Event, areas, outcome, recent, told
from referee.rules.chance import Chance, any_of
from referee.rules.form import AnyForm
from referee.rules.game import Decision, Game, Move, Observation, Options, ranked, redealt
from referee.rules.scene import Area

EMERGENCY = 2
"""The stamina that an emergency parry costs."""

_REPLIES: dict[str, Callable[[Any], Move]] = {
    "choose_trait": lambda die: {"trait": die},
    "action": as_move,
    "defend": lambda ladder: {"cards": [*ladder]},
    "emergency_parry": lambda use: {"use": use},
}
"""By decision, how a choice is written as a reply."""


class DuelOptions(Options, frozen=True, kw_only=True):
    """The options of Duel."""

    deck: Annotated[
        Literal[40, 48],
        Meta(description="The cards of each of the two decks; with 48, numbers run to 9."),
    ] = 40
    extra_action_cost: Annotated[
        Literal["added", "instead"],
        Meta(
            description="Whether the 2 or 3 stamina of an additional action come on top of its"
            " base price or replace it."
        ),
    ] = "added"
    max_turns: Annotated[
        int, Meta(ge=1, description="Turns of both seats together before the duel is judged.")
    ] = 240


class Duel(Game):
    """One play of Duel."""

    name = "duel"
    title = "Two fencers thrust, cut and parry along a line: four steps back and you have lost."
    seat_counts = range(2, 3)
    options_type = DuelOptions
    decisions: ClassVar[Mapping[str, AnyForm]] = DECISIONS
    typical_decisions = 120
    mirroring = 1.1
    measures: ClassVar[Mapping[str, str]] = {"turns": "the turns of both seats together"}

    options: DuelOptions

    def __init__(self, *, seats: int, options: Options, chance: Chance) -> None:
        super().__init__(seats=seats, options=options, chance=chance)
        self.cards = kinds(self.options.deck)
        """Every different card."""
        self.deck = Deck(self.cards, chance)
        self.fencers = [Fencer() for _ in range(seats)]
        self.dice = [self._roll_traits(seat) for seat in range(seats)]
        """By seat, every pair of dice rolled for a trait; the last holds its choice."""
        self.pawn = 0
        self.turn = 0
        """The number of the turn, from 1; 0 in the set-up."""
        self.number = 0
        """The number of the action within its turn, from 1; 0 in the set-up."""
        self.on_turn = 0
        self.decider = 0
        self.asked: str | None = "choose_trait"
        """The decision that is asked of the decider; None once the game is over."""
        self.log: list[Event] = []
        """Every action so far; the last one is the attack on its way, if one is."""
        self._prices = PRICES[self.options.extra_action_cost]
        self._places: list[int] = []

    def deciders(self) -> Sequence[int]:
        """Return the seat that is asked, until the game is over."""
        return () if self.asked is None else (self.decider,)

    def decision(self, seat: int) -> Decision:
        """Return what is asked of the decider, with every legal move."""
        assert self.asked is not None
        return Decision(self.asked, legal=[*map(_REPLIES[self.asked], self._choices())])

    def asks(self, seat: int) -> str:
        """Return the name of the decision."""
        return self.asked or ""

    def view(self, seat: int) -> Observation:
        """Return all but the rival's hand and the order of the deck."""
        fencers = one, other = self.fencers
        under_attack = self.asked in ("defend", "emergency_parry")
        return {
            "game": self.name,
            "seat": seat,
            "decision": self.asked if seat == self.decider else None,
            "turn": self.turn,
            "on_turn": self.on_turn,
            "action": self.number,
            "price": self._prices[self.number],
            "pawn": self.pawn,
            "dice": self.dice,
            "trait": [one.trait, other.trait],
            "stamina": [one.stamina, other.stamina],
            "max_stamina": [one.max_stamina, other.max_stamina],
            "dexterity": [one.dexterity, other.dexterity],
            "max_dexterity": [one.max_dexterity, other.max_dexterity],
            "fencing": [one.fencing, other.fencing],
            "hand": in_order(fencers[seat].hand),
            "hand_size": [len(one.hand), len(other.hand)],
            "in_play": [one.in_play, other.in_play],
            "bonus": [one.bonus, other.bonus],
            "discards": self.deck.discards,
            "deck": len(self.deck.cards),
            "reshuffled": self.deck.reshuffled,
            "attack": self.log[-1] if under_attack else None,
            "log": recent(self.log[: -1 if under_attack else None], self.turn),
        }

    def check(self, seat: int, move: Move) -> str | None:
        """Return which rule `move` breaks, or None."""
        own = self.fencers[seat]
        if self.asked == "action":
            return action_refusal(move, own, self._prices[self.number], self.number, self.cards)
        if self.asked == "defend":
            return defence_refusal(move["cards"], own, self.cards)
        if self.asked == "choose_trait":
            return trait_refusal(move["trait"], self.dice[seat][-1])
        return None

    def canonical(self, seat: int, move: Move) -> Move:
        """Return `move` with its ladder in order."""
        return {**move, "cards": in_order(move["cards"])} if "cards" in move else move

    def apply(self, moves: Mapping[int, Move]) -> None:
        """Carry out the move, and all that follows without a choice."""
        move = moves[self.decider]
        if self.asked == "action":
            self._act(move)
        elif self.asked == "defend":
            self._defend(in_order(move["cards"]))
        elif self.asked == "emergency_parry":
            self._answer_retreat(use=move["use"])
        else:
            self._choose_trait(move["trait"])

    def default(self, seat: int) -> Move:
        """Return the first die, the end of the turn or a feint, no defence, or no parry."""
        if self.asked == "defend":
            return {"cards": []}
        if self.asked == "emergency_parry":
            return {"use": False}
        if self.asked == "choose_trait":
            return {"trait": self.dice[seat][-1][0]}
        if self.number > 1:
            return {"action": "end_turn"}
        own = self.fencers[seat]
        return {"action": "breathe" if own.stamina == 1 and own.fencing > 1 else "feint"}

    def sample(self, seat: int, rng: Random) -> Move:
        """Return the end of the turn half of the time, or else any legal move alike."""
        if self.asked == "action" and self.number > 1 and rng.random() < 0.5:
            return {"action": "end_turn"}
        return _REPLIES[str(self.asked)](any_of(self._choices(), rng))

    def places(self) -> list[int]:
        """Return 1 for the winner and 2 for the loser; at the turn limit perhaps 1 for both."""
        return self._places.copy()

    def numbers(self) -> dict[str, int | float]:
        """Return how many turns were begun."""
        return {"turns": self.turn}

    def table(self) -> dict[str, Any]:
        """Return every different card; the deck holds two of each."""
        return {"cards": self.cards.copy()}

    def all_moves(self) -> Iterable[tuple[str, list[Move]]]:
        """Yield each decision's name and every move that it may ever list."""
        return all_moves(self.cards)

    def resample(self, seat: int, rng: Random) -> Self:
        """Return a copy with the rival's hand and the deck dealt anew."""
        return redealt(self, seat, rng, lambda other, dice: other._deal_anew(seat, dice))

    def describe(self, seat: int, move: Move) -> str:
        """Return what `move` does, in a few words."""
        return told(seat, move)

    def called(self, seat: int) -> str:
        """Return the letter of `seat`."""
        return NAMES[seat]

    def scene(self, seat: int | None = None) -> Sequence[Area]:
        """Return the line with the pawn, both fencers and what they did of late."""
        end = "" if self.asked else outcome(self._places, self.reason)
        return [*areas(self.views(seat), self.asked, self.decider, self.deck, end)]

    def _deal_anew(self, seat: int, rng: Random) -> None:
        """Replace what `seat` cannot know: the rival's hand, and the order of the deck."""
        rival = self.fencers[1 - seat]
        rival.hand = self.deck.exchanged(rival.hand, rng)

    def _choices(self) -> Sequence[Any]:
        """Return what the decider may choose from, each as `_REPLIES` takes it."""
        own = self.fencers[self.decider]
        if self.asked == "action":
            return open_actions(own, self._prices[self.number], self.number)
        if self.asked == "defend":
            return [(), *own.defences()]
        return [False, True] if self.asked == "emergency_parry" else self.dice[self.decider][-1]

    def _roll_traits(self, seat: int) -> list[list[int]]:
        pairs = [self.chance.dice(2, 8, "trait", seat, 1)]
        while pairs[-1][0] == pairs[-1][1]:
            pairs.append(self.chance.dice(2, 8, "trait", seat, len(pairs) + 1))
        return pairs

    def _choose_trait(self, trait: int) -> None:
        self.fencers[self.decider].trait = trait
        if self.decider == 0:
            self.on_turn = self.decider = 1
            return
        for fencer in self.fencers:
            fencer.apply_trait()
            fencer.hand += self.deck.draw(fencer.fencing)
        self._begin_turn(0)

    def _begin_turn(self, seat: int) -> None:
        self.turn += 1
        self.on_turn = seat
        self.number = 1
        self._ask_action()

    def _ask_action(self) -> None:
        own = self.fencers[self.on_turn]
        only = only_action(own, self._prices[self.number], self.number)
        if only is None:
            self._ask("action", self.on_turn)
        else:
            self._act(only)

    def _ask(self, decision: str, seat: int) -> None:
        self.asked = decision
        self.decider = seat

    def _act(self, move: Move) -> None:
        action = move["action"]
        if action == "end_turn":
            self._end_turn()
            return
        own = self.fencers[self.on_turn]
        event: Event = {"turn": self.turn, "seat": self.on_turn, "action": action}
        self.log.append(event)
        own.stamina -= self._prices[self.number][action]
        if action == "attack":
            own.dexterity -= DEXTERITY[move["cards"][0][0]]
        if self._spent(self.on_turn):
            return
        if action == "attack":
            self._attack(in_order(move["cards"]), event)
            return
        if action == "feint":
            drawn_cards = self.deck.draw(own.fencing - len(own.hand))
            own.hand += drawn_cards
            event["drawn"] = len(drawn_cards)
        elif action == "observe":
            own.observe(move["card"])
            event["card"] = move["card"]
        else:
            self._rest(own, event)
        self._go_on()

    def _rest(self, own: Fencer, event: Event) -> None:
        """Breathe or use footwork: a die of stamina or of dexterity for a point of fencing."""
        own.fencing -= 1
        count = 2 if own.trait == VERSATILE else 1
        event["rolls"] = self.chance.dice(count, 8, "rest", self.turn, self.number)
        if event["action"] == "breathe":
            own.stamina = min(own.max_stamina, own.stamina + max(event["rolls"]))
        else:
            own.dexterity = min(own.max_dexterity, own.dexterity + max(event["rolls"]))

    def _attack(self, cards: list[str], event: Event) -> None:
        own, rival = self.fencers[self.on_turn], self.fencers[1 - self.on_turn]
        self._discard(own, cards)
        event["cards"] = cards
        event["strength"] = own.force(cards)
        event["defence"] = None
        event["guard"] = 0
        event["retreat"] = self._retreats(event)
        event["emergency"] = False
        if cards[0][0] == "E":
            rival.stamina -= 1
            if self._spent(1 - self.on_turn):
                return
        if rival.defences():
            self._ask("defend", 1 - self.on_turn)
        else:
            self._defend([])

    def _defend(self, cards: list[str]) -> None:
        seat, event = 1 - self.on_turn, self.log[-1]
        own = self.fencers[seat]
        event["defence"] = cards
        if cards:
            self._discard(own, cards)
            own.dexterity -= DEXTERITY[cards[0][0]]
            if self._spent(seat):
                event["retreat"] = [0, 0]  # the duel is over before anybody moves
                return
            event["guard"] = own.force(cards)
            event["retreat"] = self._retreats(event)
        if event["retreat"][seat] and own.stamina >= EMERGENCY:
            self._ask("emergency_parry", seat)
        else:
            self._retreat()

    def _retreats(self, attack: Event) -> list[int]:
        """Return the points that each seat is to retreat as the attack stands, Lethal's too."""
        points = [0, 0]
        surplus = attack["strength"] - attack["guard"]
        if surplus < 0 and attack["defence"][0][0] == "C":
            points[self.on_turn] = -surplus
        elif surplus > 0:
            points[1 - self.on_turn] = surplus
        for seat, fencer in enumerate(self.fencers):
            if points[1 - seat] and fencer.trait == LETHAL:
                points[1 - seat] += 1
        return points

    def _answer_retreat(self, *, use: bool) -> None:
        seat = 1 - self.on_turn
        self.log[-1]["emergency"] = use
        if use:
            self.fencers[seat].stamina -= EMERGENCY
            if self._spent(seat):
                return
        self._retreat()

    def _retreat(self) -> None:
        """Move the pawn, unless the retreat was cancelled, and go on."""
        attack = self.log[-1]
        if not attack["emergency"]:
            first, second = attack["retreat"]
            self.pawn = max(-END, min(END, self.pawn + first - second))
        if abs(self.pawn) == END:
            self._lose(0 if self.pawn > 0 else 1, "retreat")
        else:
            self._go_on()

    def _go_on(self) -> None:
        if self.number < MOST_ACTIONS:
            self.number += 1
            self._ask_action()
        else:
            self._end_turn()

    def _end_turn(self) -> None:
        if self.turn < self.options.max_turns:
            self._begin_turn(1 - self.on_turn)
            return
        a, b = (fencer.stamina + fencer.dexterity for fencer in self.fencers)
        self._end("max_turns", ranked([(self.pawn, -a), (-self.pawn, -b)]))

    def _spent(self, seat: int) -> bool:
        """End the duel if `seat` has no stamina or no dexterity left."""
        fencer = self.fencers[seat]
        if fencer.stamina and fencer.dexterity:
            return False
        self._lose(seat, "dexterity" if fencer.stamina else "stamina")
        return True

    def _lose(self, seat: int, reason: str) -> None:
        self._end(reason, [2, 1] if seat == 0 else [1, 2])

    def _end(self, reason: str, places: list[int]) -> None:
        self.asked = None
        self.reason = reason
        self._places = places

    def _discard(self, fencer: Fencer, cards: Sequence[str]) -> None:
        for card in cards:
            fencer.hand.remove(card)
        self.deck.discards += cards
