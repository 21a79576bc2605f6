"""Guerra: two Spanish decks as armies in three rows, from the deployment to the count."""

from collections.abc import Mapping, Sequence
from random import Random
from typing import Annotated, ClassVar, Literal, Self

import msgspec
from msgspec import Meta

from referee.games.guerra.battle import (
    DECK,
    NO_ATTACKS,
    Army,
    Attacks,
    attack,
    possible_attacks,
    volley,
    with_shots,
)
from referee.games.guerra.forms import (
    DECISIONS,
    attack_refusal,
    deploy_refusal,
    discard_refusal,
    orders_refusal,
)
from referee.games.guerra.samples import (
    sample_attack,
    sample_deploy,
    sample_orders,
)
from referee.games.guerra.table import NAMES, areas, told
from referee.rules.chance import Chance
from referee.rules.form import AnyForm
from referee.rules.game import Decision, Game, Move, Observation, Options, redealt
from referee.rules.scene import Area

DEALT = 10
MOST_IN_HAND = 7
DEPLOYMENTS: tuple[tuple[int, dict[str, int]], ...] = (
    (0, {"rearguard": 3}),
    (1, {"rearguard": 3, "centre": 2}),
    (0, {"centre": 2, "vanguard": 1}),
    (1, {"vanguard": 1}),
)
"""The opening: whose cards go where, in order."""


class GuerraOptions(Options, frozen=True, kw_only=True):
    """The options of Guerra."""

    transfers: Annotated[
        Literal[1, 2],
        Meta(description="The most transfers before an attack or an incorporation."),
    ] = 1
    attack_line: Annotated[
        Literal["current", "fixed"],
        Meta(
            description="Who may attack: the zone that is foremost at each attack, or only the"
            " one that was foremost when the attack step began."
        ),
    ] = "current"
    knight_duel: Annotated[
        Literal["same_suit", "any_suit"],
        Meta(description="The enemy Knights a Knight may duel."),
    ] = "same_suit"
    max_turns: Annotated[
        int, Meta(ge=2, description="Turns of both seats together before the Troops are counted.")
    ] = 200
    archers: Annotated[
        Literal["volley", "aimed"],
        Meta(description="Whether Archers shoot by themselves only, or in an attack step too."),
    ] = "volley"
    joint_attack: Annotated[
        Literal["strongest_lives", "small_die"],
        Meta(
            description="Who is hurt in a group: the strongest by what the others leave, and they"
            " die, or each by all that the target deals."
        ),
    ] = "strongest_lives"


class Guerra(Game):
    """One play of Guerra."""

    name = "guerra"
    title = "Two Spanish decks line up in three rows: break through, or keep more Troops standing."
    seat_counts = range(2, 3)
    options_type = GuerraOptions
    decisions: ClassVar[Mapping[str, AnyForm]] = DECISIONS
    typical_decisions = 170
    mirroring = 2.4
    score = "the Troops on the table at the end"

    options: GuerraOptions

    def __init__(self, *, seats: int, options: Options, chance: Chance) -> None:
        super().__init__(seats=seats, options=options, chance=chance)
        self.armies = [Army(chance.shuffled(DECK, "deck", seat), DEALT) for seat in range(seats)]
        self.turn = 0
        self.to_move = 0
        self.asked: str | None = "deploy"
        """The decision that is asked of the seat to move; None once the game is over."""
        self.attacked: list[str] = []
        self.line: str | None = None
        """With `attack_line` fixed, the zone whose cards may attack in this attack step."""
        self.last_turn: list[str] = []
        self.this_turn: list[str] = []
        """What happened, in words for people."""
        self.attacks = NO_ATTACKS
        self._deployments = 0
        self._places: list[int] = []

    def deciders(self) -> Sequence[int]:
        """Return the seat to move, until the game is over."""
        return () if self.asked is None else (self.to_move,)

    def decision(self, seat: int) -> Decision:
        """Return what is asked of the seat to move."""
        if self.asked == "deploy":
            return Decision("deploy", limits=self._deployment().copy())
        if self.asked == "orders":
            return Decision("orders", limits={"transfers": self.options.transfers})
        if self.asked == "attack":
            return Decision("attack", limits=msgspec.to_builtins(self.attacks))
        return Decision("discard", legal=[{"cards": [card]} for card in self.armies[seat].hand])

    def asks(self, seat: int) -> str:
        """Return the name of the decision."""
        return self.asked or ""

    def view(self, seat: int) -> Observation:
        """Return the table and the hand of `seat`."""
        return {
            "game": self.name,
            "seat": seat,
            "decision": self.asked,
            "turn": self.turn,
            "to_move": self.to_move,
            "zones": [army.zones for army in self.armies],
            "cemetery": [army.cemetery for army in self.armies],
            "pack": [len(army.pack) for army in self.armies],
            "hand_size": [len(army.hand) for army in self.armies],
            "hand": self.armies[seat].hand,
            "attacked": self.attacked,
            "line": self.line,
        }

    def check(self, seat: int, move: Move) -> str | None:
        """Return which rule `move` breaks, or None."""
        army = self.armies[seat]
        if self.asked == "orders":
            return orders_refusal(move, army, self.options.transfers)
        if self.asked == "attack":
            return attack_refusal(move, army, self.armies[1 - seat], self.attacks, self.attacked)
        if self.asked == "deploy":
            return deploy_refusal(move, army, self._deployment())
        return discard_refusal(move["cards"], army, self._surplus())

    def apply(self, moves: Mapping[int, Move]) -> None:
        """Carry out the move, and all that follows by itself."""
        assert self.asked is not None
        move = moves[self.to_move]
        self.this_turn.append(told(self.to_move, self.asked, move))
        if self.asked == "orders":
            self._carry_out(move)
        elif self.asked == "attack":
            self._attack(move)
        elif self.asked == "deploy":
            self._deploy(move)
        else:
            self._discard(move)

    def default(self, seat: int) -> Move:
        """Return the first cards of the hand, an empty attack, the stop or the last card drawn."""
        hand = self.armies[seat].hand
        if self.asked == "deploy":
            rest = iter(hand)
            return {
                zone: [next(rest) for _ in range(count)]
                for zone, count in self._deployment().items()
            }
        if self.asked == "orders":
            return {"action": "attack", "transfers": []}
        if self.asked == "attack":
            return {"attackers": [], "target": None}
        return {"cards": hand[-self._surplus() :]}

    def sample(self, seat: int, rng: Random) -> Move:
        """Return a move of a kind chosen evenly."""
        army = self.armies[seat]
        if self.asked == "orders":
            return sample_orders(army, self.options.transfers, rng)
        if self.asked == "attack":
            return sample_attack(self.attacks, rng)
        if self.asked == "deploy":
            return sample_deploy(army, self._deployment(), rng)
        return {"cards": rng.sample(army.hand, self._surplus())}

    def places(self) -> list[int]:
        """Return 1 for the winner and 2 for the loser, or 1 for both."""
        return self._places.copy()

    def scores(self) -> list[int]:
        """Return the Troops of each seat, as the conclusion counts them."""
        return [army.troops() for army in self.armies]

    def resample(self, seat: int, rng: Random) -> Self:
        """Return a copy with the other hand and both packs dealt anew."""
        return redealt(self, seat, rng, lambda other, dice: other._deal_anew(seat, dice))

    def describe(self, seat: int, move: Move) -> str:
        """Return what `move` does, in a few words."""
        assert self.asked is not None
        return told(seat, self.asked, move)

    def called(self, seat: int) -> str:
        """Return the letter of `seat`."""
        return NAMES[seat]

    def scene(self, seat: int | None = None) -> Sequence[Area]:
        """Return both armies face to face, B's above A's."""
        past = [*self.last_turn, *self.this_turn]
        return [*areas(self.views(seat), self.options.max_turns, past)]

    def _deal_anew(self, seat: int, rng: Random) -> None:
        """Replace what `seat` cannot know: the other hand, and the order of both packs."""
        own, other = self.armies[seat], self.armies[1 - seat]
        rng.shuffle(own.pack)
        unseen = [*other.hand, *other.pack]
        rng.shuffle(unseen)
        other.hand[:], other.pack[:] = unseen[: len(other.hand)], unseen[len(other.hand) :]

    def _deployment(self) -> dict[str, int]:
        return DEPLOYMENTS[self._deployments][1]

    def _surplus(self) -> int:
        return len(self.armies[self.to_move].hand) - MOST_IN_HAND

    def _deploy(self, move: Move) -> None:
        for zone in self._deployment():
            for card in move[zone]:
                self.armies[self.to_move].place(card, zone)
        self._deployments += 1
        if self._deployments < len(DEPLOYMENTS):
            self.to_move = DEPLOYMENTS[self._deployments][0]
        else:
            self._begin_turn(0)

    def _begin_turn(self, seat: int) -> None:
        own = self.armies[seat]
        self.turn += 1
        self.to_move = seat
        self.last_turn, self.this_turn = self.this_turn, []
        own.heal()
        own.draw()
        buried = self._buried()
        volley(own, self.armies[1 - seat])
        self._tell_the_dead(f"{NAMES[seat]}'s volley", buried)
        if not self._broken_through():
            self.asked = "orders"

    def _carry_out(self, orders: Move) -> None:
        own = self.armies[self.to_move]
        action = orders["action"]
        if action == "mass_transfer":
            for step in orders["moves"]:
                own.step(step["card"], step["to"])
        else:
            for transfer in orders.get("transfers", ()):
                own.transfer(transfer["card"], transfer["to"], transfer.get("swap_with"))
        if action == "incorporate":
            own.place(orders["card"], orders["zone"])
        if action == "attack":
            if self.options.attack_line == "fixed":
                self.line = own.foremost()
            self._ask_attack()
        else:
            self._finish_turn()

    def _open_attacks(self) -> Attacks:
        own, enemy = self.armies[self.to_move], self.armies[1 - self.to_move]
        if self.line not in (None, own.foremost()):
            return NO_ATTACKS
        any_suit = self.options.knight_duel == "any_suit"
        attacks = possible_attacks(own, enemy, self.attacked, any_suit)
        if self.options.archers == "aimed":
            attacks = with_shots(attacks, own, enemy, self.attacked)
        return attacks

    def _ask_attack(self) -> None:
        self.attacks = attacks = self._open_attacks()
        if attacks["attackers"] or attacks["sweeps"] or attacks["duels"] or attacks.get("archers"):
            self.asked = "attack"
        else:
            self._finish_turn()

    def _attack(self, move: Move) -> None:
        attackers = move["attackers"]
        if not attackers:
            self._finish_turn()
            return
        own, enemy = self.armies[self.to_move], self.armies[1 - self.to_move]
        buried = self._buried()
        small_die = self.options.joint_attack == "small_die"
        attack(own, enemy, attackers, move["target"], small_die=small_die)
        self._tell_the_dead("The attack", buried)
        self.attacked += attackers
        if not self._broken_through():
            self._ask_attack()

    def _finish_turn(self) -> None:
        if self._surplus() > 0:
            self.asked = "discard"
        else:
            self._end_turn()

    def _discard(self, move: Move) -> None:
        army = self.armies[self.to_move]
        for card in move["cards"]:
            army.hand.remove(card)
            army.cemetery.append(card)
        self._end_turn()

    def _end_turn(self) -> None:
        self.attacked = []
        self.line = None
        if not any(army.pack or army.hand for army in self.armies):
            self._count("conclusion")
        elif self.turn >= self.options.max_turns:
            self._count("max_turns")
        else:
            self._begin_turn(1 - self.to_move)

    def _broken_through(self) -> bool:
        routed = [army.is_routed() for army in self.armies]
        if not any(routed):
            return False
        self._end("breakthrough", [2 if lost and not all(routed) else 1 for lost in routed])
        return True

    def _count(self, reason: str) -> None:
        troops = [army.troops() for army in self.armies]
        self._end(reason, [1 if count == max(troops) else 2 for count in troops])

    def _end(self, reason: str, places: list[int]) -> None:
        self.asked = None
        self.reason = reason
        self._places = places

    def _buried(self) -> list[int]:
        return [len(army.cemetery) for army in self.armies]

    def _tell_the_dead(self, cause: str, buried: list[int]) -> None:
        """Keep in words who died since `buried`."""
        for name, army, before in zip(NAMES, self.armies, buried, strict=True):
            if len(army.cemetery) > before:
                self.this_turn.append(f"{cause} kills {' '.join(army.cemetery[before:])} of {name}")
