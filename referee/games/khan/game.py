"""Khan: horde leaders gather tokens, and raid what the others keep in sight with small armies."""

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from random import Random
from typing import Annotated, Any, ClassVar, Literal, Self

from msgspec import Meta

from referee.games.khan.camp import (
    COPIES,
    FACE_UP,
    GUNPOWDER,
    IN_HAND,
    KINDS,
    POISON,
    RETREAT,
    Camp,
    deal_anew,
    drawing,
    held,
    names,
    tally,
)
from referee.games.khan.combat import Combat, Question
from referee.games.khan.forms import (
    DECISIONS,
    all_moves,
    discard_moves,
    discard_refusal,
    gunpowder_moves,
    gunpowder_refusal,
    hand_refusal,
    in_canonical_order,
    leader_moves,
    leader_refusal,
    place_moves,
    reveal_refusal,
    turn_moves,
    turn_refusal,
)
from referee.games.khan.table import areas, called, deed
from referee.rules.chance import Chance, any_of
from referee.rules.form import AnyForm
from referee.rules.game import Decision, Game, Move, Observation, Options, ranked, redealt
from referee.rules.scene import Area

GOAL = 20
"""The points that win."""
IDLE = {
    "turn": 0.75,
    "reveal": 0.1,
    "gunpowder": 0.1,
    "poison": 0.1,
    "replace_leader": 0.1,
    "retreat": 0.5,
}
"""How often a random move draws, shows nothing or keeps what it could use; else little happens."""
UNORDERED = frozenset({"reveal", "gunpowder", "place_front"})
"""The decisions in which cards are named, in whatever order."""

ASKED_FOR = {"gunpowder": GUNPOWDER, "poison": POISON, "retreat": RETREAT}
"""By decision, the card that only its holder is asked to use."""


class KhanOptions(Options, frozen=True, kw_only=True):
    """The options of Khan."""

    deck: Annotated[
        Literal[40, 48],
        Meta(description="Cards in each Spanish deck: number cards to 7, or to 9."),
    ] = 40
    tokens_per_kind: Annotated[
        int, Meta(ge=12, description="Tokens of each of the nine kinds in the bag.")
    ] = 20
    first_player: Annotated[
        Literal["seat_0", "random"], Meta(description="The seat that has the first turn.")
    ] = "seat_0"
    rank_losers: Annotated[
        Literal["points", "tied"],
        Meta(description="The places of those who do not win: by points, or one for all."),
    ] = "points"
    max_turns_per_player: Annotated[
        int, Meta(ge=1, description="Turns of each seat before the game is stopped.")
    ] = 100


class Khan(Game):
    """One play of Khan."""

    name = "khan"
    title = "Horde leaders gather tokens and raid each other's; the first with 20 points is Khan."
    seat_counts = range(2, 6)
    options_type = KhanOptions
    decisions: ClassVar[Mapping[str, AnyForm]] = DECISIONS
    typical_decisions = 80
    mirroring = 1.6
    score = "the points at the end"

    options: KhanOptions

    def __init__(self, *, seats: int, options: Options, chance: Chance) -> None:
        super().__init__(seats=seats, options=options, chance=chance)
        self.names = names(self.options.deck)
        self.deck = chance.shuffled(self.names * COPIES, "deck")
        self.discards: list[str] = []
        self.reshuffles = 0
        self.scarce = sorted(chance.shuffled(KINDS, "scarce")[:2], key=KINDS.index)
        tokens = [*KINDS] * self.options.tokens_per_kind
        for kind in self.scarce:
            tokens.remove(kind)
        self.bag = chance.shuffled(tokens, "bag")
        self.camps = [Camp(self.scarce) for _ in range(seats)]
        for camp in self.camps:
            for _ in range(FACE_UP):
                camp.gain_card(self.deck.pop())
        random = self.options.first_player == "random"
        self.to_move = chance.below(seats, "first") if random else 0
        self.turn = 1
        self.asked: str | None = None
        """The decision that is asked; None once the game is over."""
        self.combat: Combat | None = None
        """The combat of this turn, until the cards are face up again."""
        self.drawn: str | None = None
        """The fifth card of the hand, while a discard is asked."""
        self.recent: deque[dict[str, Any]] = deque(maxlen=seats)
        """What everybody has seen of the last turns, but for a combat that goes on."""
        self._deciders: tuple[int, ...] = ()
        self._places: list[int] = []
        self._ask("turn", (self.to_move,))

    def deciders(self) -> Sequence[int]:
        """Return the seat that is asked, or both combatants at once for their front."""
        return self._deciders

    def decision(self, seat: int) -> Decision:
        """Return what is asked of `seat`, every legal move listed."""
        assert self.asked is not None
        return Decision(self.asked, legal=self._legal(seat))

    def asks(self, seat: int) -> str:
        """Return the name of the decision."""
        return self.asked or ""

    def view(self, seat: int) -> Observation:
        """Return all that is public, and the hand and treasure of `seat`.

        What another seat is asked is not in it: that would tell what this seat holds.
        """
        return {"game": self.name, "seat": seat, **self._own(seat), **self._public()}

    def check(self, seat: int, move: Move) -> str | None:
        """Return which rule `move` breaks, or None."""
        hand = self.camps[seat].hand
        match self.asked:
            case "turn" if move["action"] == "attack":
                return turn_refusal(move["target"], seat, self.seats)
            case "discard":
                return discard_refusal(move, hand, self.camps[seat].face_up, self.names)
            case "reveal":
                combat = self._fight()
                fighter = combat.fighter(seat)
                return reveal_refusal(move["cards"], combat.stage, fighter, self.names)
            case "gunpowder" if move["use"]:
                return gunpowder_refusal(move["discard"], self._fight().facing(seat))
            case "replace_leader":
                return leader_refusal(move["card"], hand, self.names)
            case "place_front":
                return hand_refusal(move["cards"], hand, self.names)
        return None

    def canonical(self, seat: int, move: Move) -> Move:
        """Return `move` with its cards in canonical order."""
        return in_canonical_order(move) if self.asked in UNORDERED else move

    def apply(self, moves: Mapping[int, Move]) -> None:
        """Carry out the move or the two of them, and all that follows by itself."""
        if self.asked == "place_front":
            self._place(moves)
            return
        (seat,) = self._deciders
        move = moves[seat]
        match self.asked:
            case "turn" if move["action"] == "draw":
                self._draw()
            case "turn":
                self._attack(move["target"])
            case "discard":
                self._discard(move)
            case "retreat":
                self._bring_home(self._fight().disband(retreat=move["use"]))
            case _:
                self._go_on(self._answer(self._fight(), seat, move))

    def default(self, seat: int) -> Move:
        """Return the draw, the card just drawn, nothing, or the first two cards."""
        match self.asked:
            case "turn":
                return {"action": "draw"}
            case "discard":
                return {"discard": self.drawn, "from": "hand", "replacement": None}
            case "reveal":
                return {"cards": []}
            case "replace_leader":
                return {"card": None}
            case "place_front":
                return {"cards": self.camps[seat].hand[:FACE_UP]}
        return {"use": False}

    def sample(self, seat: int, rng: Random) -> Move:
        """Return any legal move, the idle one as often as `IDLE` says, the others evenly."""
        legal = self._legal(seat)
        if self.asked in IDLE:
            if rng.random() < IDLE[self.asked]:
                return legal[0]
            del legal[0]
        return any_of(legal, rng)

    def places(self) -> list[int]:
        """Return 1 for the Khan and the others' places, or the ranking by points."""
        return self._places.copy()

    def scores(self) -> list[int]:
        """Return the points of each seat's tokens."""
        return [camp.owned.points for camp in self.camps]

    def all_moves(self) -> Iterable[tuple[str, list[Move]]]:
        """Yield each decision's name and every move that it may ever list."""
        return all_moves(self.names, self.seats)

    def describe(self, seat: int, move: Move) -> str:
        """Return what `move` does, such as "seat 0 attacks seat 2"."""
        assert self.asked is not None
        stage = self.combat.stage if self.combat else 0
        return f"{called(seat)} {deed(self.asked, move, stage)}"

    def scene(self, seat: int | None = None) -> Sequence[Area]:
        """Return the points, the combat, the camps and the last turns."""
        turns = self.seats * self.options.max_turns_per_player
        return [*areas(self.views(seat), turns, GOAL)]

    def resample(self, seat: int, rng: Random) -> Self:
        """Return a copy with what the others hold unseen, deck and bag dealt anew."""
        return redealt(self, seat, rng, lambda other, dice: other._deal_anew(seat, dice))

    def table(self) -> dict[str, Any]:
        """Return the kinds of tokens and every card of the deck, which holds three of each."""
        return {"kinds": [*KINDS], "cards": self.names.copy(), "copies": COPIES, "goal": GOAL}

    def _deal_anew(self, seat: int, rng: Random) -> None:
        """Replace what `seat` cannot know: what the others hold unseen, deck and bag."""
        special = ASKED_FOR.get(self.asked or "")
        users = [each for each in self._deciders if special and each != seat]
        while True:
            deal_anew(self.camps, seat, self.deck, self.bag, rng)
            if all(special in self.camps[user].hand for user in users):
                break
        if self.to_move != seat and self.drawn:
            self.drawn = rng.choice(self.camps[self.to_move].hand)

    def _own(self, seat: int) -> Observation:
        """Return what only `seat` may know, what it is asked among it."""
        own, asked = self.camps[seat], seat in self._deciders
        return {
            "decision": self.asked if asked else None,
            "hand": own.hand,
            "behind": held(own.behind),
            "points": own.owned.points,
            "drawn": self.drawn if asked else None,
        }

    def _public(self) -> Observation:
        camps = self.camps
        return {
            "turn": self.turn,
            "to_move": self.to_move,
            "scarce": self.scarce,
            "deck": len(self.deck),
            "bag": len(self.bag),
            "discards": self.discards,
            "face_up": [camp.face_up for camp in camps],
            "hand_size": [len(camp.hand) for camp in camps],
            "seen_in_hand": [camp.seen for camp in camps],
            "front": [tally(camp.front) for camp in camps],
            "behind_size": [sum(camp.behind.values()) for camp in camps],
            "seen_behind": [held(camp.looted) for camp in camps],
            "seen_points": [camp.known.points for camp in camps],
            "combat": self.combat and self.combat.record(),
            "recent": [*self.recent],
        }

    def _legal(self, seat: int) -> list[Move]:
        hand = self.camps[seat].hand
        match self.asked:
            case "turn":
                return turn_moves(seat, self.seats)
            case "discard":
                return discard_moves(hand, self.camps[seat].face_up)
            case "reveal":
                combat = self._fight()
                return [{"cards": c} for c in combat.fighter(seat).may_show(combat.stage)]
            case "gunpowder":
                return gunpowder_moves(self._fight().facing(seat))
            case "replace_leader":
                return leader_moves(hand)
            case "place_front":
                return place_moves(hand)
        return [{"use": False}, {"use": True}]

    def _ask(self, decision: str, seats: tuple[int, ...]) -> None:
        self.asked = decision
        self._deciders = seats

    def _fight(self) -> Combat:
        assert self.combat is not None
        return self.combat

    def _draw(self) -> None:
        camp, seen = self.camps[self.to_move], drawing(self.turn, self.to_move)
        self.recent.append(seen)
        if self.bag:
            kind = self.bag.pop()
            in_front = camp.gain_token(kind)
            seen["token_to"] = "front" if in_front else "behind"
            seen["token"] = kind if in_front else None
            if self._has_won():
                return
        card = self._next_card()
        if card is not None:
            face_up = camp.gain_card(card)
            seen["card_to"] = "front" if face_up else "hand"
            seen["card"] = card if face_up else None
            if len(camp.hand) > IN_HAND:
                self.drawn = card
                self._ask("discard", (self.to_move,))
                return
        self._end_turn()

    def _next_card(self) -> str | None:
        if not self.deck:
            self.reshuffles += 1
            event = ("reshuffle", self.reshuffles)
            self.deck = self.chance.arranged(self.discards, self.names * COPIES, *event)
            self.discards.clear()
        return self.deck.pop() if self.deck else None

    def _discard(self, move: Move) -> None:
        camp = self.camps[self.to_move]
        self.recent[-1]["discard"] = {**move}
        if move["from"] == "front":
            camp.face_up.remove(move["discard"])
            camp.place((move["replacement"],))
        else:
            camp.play((move["discard"],))
        self.discards.append(move["discard"])
        self.drawn = None
        self._end_turn()

    def _attack(self, target: int) -> None:
        self.combat = Combat(self.turn, (self.to_move, target), self.camps, self.discards)
        self._go_on(self.combat.fight_on())

    def _answer(self, combat: Combat, seat: int, move: Move) -> Question | None:
        """Carry out what a combatant decides; return what is asked next within the rounds."""
        match self.asked:
            case "reveal":
                return combat.show(seat, move["cards"])
            case "gunpowder" if move["use"]:
                return combat.explode(seat, move["discard"])
            case "poison" if move["use"]:
                return combat.poison(seat)
            case "replace_leader":
                return combat.replace_leader(seat, move["card"])
        return combat.fight_on()

    def _go_on(self, question: Question | None) -> None:
        """Ask the next question of the three rounds; after them, plunder."""
        if question is None:
            combat = self._fight()
            combat.plunder()
            if not self._has_won():
                self._bring_home(combat.offer_retreat())
        else:
            self._ask(*question)

    def _bring_home(self, question: Question | None) -> None:
        """Ask the next question after the three rounds; after them, turn cards face up."""
        if question is None:
            self._place({})
        else:
            self._ask(*question)

    def _place(self, moves: Mapping[int, Move]) -> None:
        """Turn two cards of each combatant face up: those of `moves`, or the only choice."""
        combat = self._fight()
        for fighter in combat.fighters:
            move = moves.get(fighter.seat)
            fighter.camp.place(move["cards"] if move else fighter.camp.hand[:FACE_UP])
        self.recent.append(combat.record())
        self.combat = None
        self._end_turn()

    def _end_turn(self) -> None:
        if self.turn >= self.seats * self.options.max_turns_per_player:
            self._stop()
            return
        self.turn += 1
        self.to_move = (self.to_move + 1) % self.seats
        self._ask("turn", (self.to_move,))

    def _has_won(self) -> bool:
        camp = self.camps[self.to_move]
        if camp.owned.points < GOAL:
            return False
        camp.show_treasure()
        tied = self.options.rank_losers == "tied"
        scores = [0 if tied else -each.owned.points for each in self.camps]
        scores[self.to_move] = -2 * GOAL
        self._end("khan", scores)
        return True

    def _stop(self) -> None:
        points = [camp.owned.points for camp in self.camps]
        if self.options.rank_losers == "tied":
            self._end("max_turns", [0 if each == max(points) else 1 for each in points])
        else:
            self._end("max_turns", [-each for each in points])

    def _end(self, reason: str, scores: Sequence[int]) -> None:
        self.asked = None
        self._deciders = ()
        self.reason = reason
        self._places = ranked(scores)
