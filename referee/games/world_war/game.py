"""World War: 42 territories, dice, cards and secret objectives, for three to six."""

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, ClassVar, Self

from referee.games.world_war.board import (
    CARD_NUMBER,
    CARDS,
    MOST_ROLLS,
    NUMBER,
    TERRITORIES,
    Attack,
    most_dice,
    table,
)
from referee.games.world_war.course import Course
from referee.games.world_war.forms import (
    DECISIONS,
    WorldWarOptions,
    attack_refusal,
    defend_refusal,
    fortify_refusal,
    occupy_refusal,
    placement_refusal,
    sample_attack,
    sample_fortify,
    sample_number,
    sample_placement,
    trade_refusal,
)
from referee.games.world_war.table import GROUND, NAMES, areas, told_move
from referee.rules.chance import Chance, any_of
from referee.rules.form import AnyForm
from referee.rules.game import Decision, Game, Move, Observation, Options, redealt
from referee.rules.scene import Area, Ground


class WorldWar(Game):
    """One play of World War."""

    name = "world_war"
    title = "Conquer with dice and cards on a map of 42 territories, your objective in secret."
    seat_counts = range(3, 7)
    options_type = WorldWarOptions
    decisions: ClassVar[Mapping[str, AnyForm]] = DECISIONS
    typical_decisions = 300
    mirroring = 1.8
    ground: ClassVar[Ground | None] = GROUND
    score = "the territories held at the end"
    measures: ClassVar[Mapping[str, str]] = {"rounds": "the rounds begun"}

    options: WorldWarOptions

    def __init__(self, *, seats: int, options: Options, chance: Chance) -> None:
        super().__init__(seats=seats, options=options, chance=chance)
        self.war = Course(seats, self.options, chance)

    def deciders(self) -> Sequence[int]:
        """Return the seat in turn, or the one it attacks; in a hidden set-up, all."""
        return self.war.deciders()

    def decision(self, seat: int) -> Decision:
        """Return what is asked of `seat`, with all it may answer."""
        war, forces = self.war, self.war.forces
        match war.asked:
            case "trade":
                legal = [{"cards": [CARDS[card] for card in each]} for each in war.possible_sets()]
                return Decision("trade", legal=legal + [{"cards": []}] * (not war.must_trade()))
            case "attack":
                rolls = {"max_rolls": MOST_ROLLS} if self.options.attack_mode == "order" else {}
                return Decision("attack", limits={"attacks": self._attacks(), **rolls})
            case "defend":
                most = most_dice(forces.armies[war.attack.target])
                return Decision("defend", legal=[{"dice": n} for n in range(1, most + 1)])
            case "occupy":
                spare = forces.armies[war.attack.source] - 1
                return Decision("occupy", limits={**self._ends(), "max_armies": spare})
            case "fortify":
                return Decision("fortify", limits={"moves": self._moves()})
        own = [TERRITORIES[territory] for territory in forces.own(seat)]
        limits = {"armies": war.placeable(seat), "territories": own}
        return Decision(str(war.asked), limits=limits)

    def asks(self, seat: int) -> str:
        """Return the name of the decision."""
        return str(self.war.asked)

    def view(self, seat: int) -> Observation:
        """Return the board and all that is public, with the hand and objective of `seat`."""
        war = self.war
        mine = seat in war.deciders()
        return {
            "game": self.name,
            "seat": seat,
            "decision": war.asked if mine else None,
            "round": war.round,
            "in_turn": None if war.is_sealed() else war.in_turn,
            "owner": war.forces.owner,
            "armies": war.forces.armies,
            "conquered": war.conquered,
            "battle": self._battle(),
            "cards": [CARDS[card] for card in war.hands[seat]],
            "forced": mine and war.asked == "trade" and war.must_trade(),
            "cards_held": [*map(len, war.hands)],
            "draw_pile": len(war.draw_pile),
            "used_pile": [CARDS[card] for card in war.used_pile],
            "exchanges": war.exchanges,
            "fallen": war.fallen,
            "mission": war.missions[seat],
            "goal": war.goal(seat),
            "objectives": war.missions if war.asked is None else None,
            "events": war.log.since(seat),
        }

    def check(self, seat: int, move: Move) -> str | None:
        """Return which rule `move` breaks, or None."""
        war, forces = self.war, self.war.forces
        source, target = war.attack.source, war.attack.target
        match war.asked:
            case "trade":
                return trade_refusal(move["cards"], war.hands[seat], forced=war.must_trade())
            case "attack":
                mode = self.options.attack_mode
                return attack_refusal(move, forces, seat, war.shielded(), mode)
            case "defend":
                return defend_refusal(move, TERRITORIES[target], forces.armies[target])
            case "occupy":
                return occupy_refusal(move, TERRITORIES[source], forces.armies[source])
            case "fortify":
                return fortify_refusal(move, forces, seat)
        return placement_refusal(move["armies"], forces, seat, war.placeable(seat))

    def canonical(self, seat: int, move: Move) -> Move:
        """Return `move` with territories and cards in order, and without those that get nothing."""
        if self.war.asked == "trade":
            return {"cards": [CARDS[card] for card in _cards(move)]}
        return {"armies": _armies(move)} if self.war.asked in ("setup", "deploy") else move

    def apply(self, moves: Mapping[int, Move]) -> None:
        """Carry out the move, or all placements of a hidden set-up, and what follows by itself."""
        for seat in moves:
            self.war.log.answered(seat)
        if self.war.asked == "setup":
            self.war.set_up({seat: _armies(move) for seat, move in moves.items()})
        else:
            (move,) = moves.values()
            self._carry_out(move)
        self.reason = self.war.reason

    def default(self, seat: int) -> Move:
        """Return what changes least; armies that must be placed are spread evenly."""
        war = self.war
        match war.asked:
            case "trade":
                cards = war.possible_sets()[0] if war.must_trade() else ()
                return {"cards": [CARDS[card] for card in cards]}
            case "attack":
                return {"action": "stop"}
            case "defend":
                return {"dice": most_dice(war.forces.armies[war.attack.target])}
            case "occupy":
                return {"armies": 0}
            case "fortify":
                return {"action": "stay"}
        return {"armies": war.spread(seat, war.placeable(seat))}

    def sample(self, seat: int, rng: Random) -> Move:
        """Return a legal move; the bolder ones come up oftener."""
        war, forces = self.war, self.war.forces
        match war.asked:
            case "attack":
                return sample_attack(forces, war.reach, self.options.attack_mode, rng)
            case "occupy":
                return sample_number("armies", 0, forces.armies[war.attack.source] - 1, rng)
            case "fortify":
                return sample_fortify(forces, war.reach, rng)
            case "trade" | "defend":
                return any_of(self.decision(seat).legal or [], rng)
        return sample_placement(forces.own(seat), war.placeable(seat), rng)

    def places(self) -> list[int]:
        """Return 1 for the winner, then the living, then the fallen, the latest first."""
        return self.war.places.copy()

    def scores(self) -> list[int]:
        """Return the territories of each seat."""
        return self.war.forces.count

    def numbers(self) -> dict[str, int | float]:
        """Return how many rounds were begun."""
        return {"rounds": self.war.round}

    def table(self) -> dict[str, Any]:
        """Return the board and the cards."""
        return table()

    def resample(self, seat: int, rng: Random) -> Self:
        """Return a copy with the others' cards and objectives, and the draw pile dealt anew."""
        return redealt(self, seat, rng, lambda other, dice: other.war.deal_anew(seat, dice))

    def called(self, seat: int) -> str:
        """Return the letter of `seat`."""
        return NAMES[seat]

    def scene(self, seat: int | None = None) -> Sequence[Area]:
        """Return the board, the seats and the last round, and what `seat` alone may know."""
        return [*areas(self.war, seat)]

    def describe(self, seat: int, move: Move) -> str:
        """Return `move` as a clause such as "A attacks alaska > kamchatka with 3 dice"."""
        told = told_move(str(self.war.asked), seat, move, TERRITORIES[self.war.attack.target])
        if self.war.asked == "trade" and move["cards"]:
            return f"{told} for {self.war.pays(_cards(move))}"
        return told

    def _carry_out(self, move: Move) -> None:
        war = self.war
        match war.asked:
            case "trade":
                war.trade(_cards(move))
            case "deploy":
                war.deploy(_armies(move))
            case "attack" if move["action"] == "attack":
                order = move.get("rolls", 1), move.get("stop_at", 1)
                source, target = NUMBER[move["from"]], NUMBER[move["to"]]
                war.begin_attack(Attack(source, target, move["dice"], *order))
            case "attack":
                war.close_combats()
            case "defend":
                war.defend(move["dice"])
            case "occupy":
                war.occupy(move["armies"])
            case "fortify" if move["action"] == "move":
                war.fortify(NUMBER[move["from"]], NUMBER[move["to"]], move["armies"])
            case _:
                war.end_turn()

    def _ends(self) -> dict[str, str]:
        attack = self.war.attack
        return {"from": TERRITORIES[attack.source], "to": TERRITORIES[attack.target]}

    def _battle(self) -> dict[str, Any] | None:
        if self.war.asked != "defend":
            return None
        attack, armies = self.war.attack, self.war.forces.armies
        most = most_dice(armies[attack.target])
        return {**self._ends(), "attacker_dice": attack.dice, "max_dice": most}

    def _attacks(self) -> list[dict[str, Any]]:
        listed = []
        for source, targets in self.war.reach:
            spare = self.war.forces.armies[source] - 1
            names = [TERRITORIES[target] for target in targets]
            entry: dict[str, Any] = {
                "from": TERRITORIES[source],
                "to": names,
                "max_dice": most_dice(spare),
            }
            if self.options.attack_mode == "order":
                entry["max_stop_at"] = spare
            listed.append(entry)
        return listed

    def _moves(self) -> list[dict[str, Any]]:
        armies = self.war.forces.armies
        return [
            {
                "from": TERRITORIES[source],
                "to": [TERRITORIES[goal] for goal in goals],
                "max_armies": armies[source] - 1,
            }
            for source, goals in self.war.reach
        ]


def _armies(move: Move) -> dict[str, int]:
    """Return the armies of a placement in the board's order, without zeros."""
    armies = move["armies"]
    return {name: armies[name] for name in sorted(armies, key=NUMBER.__getitem__) if armies[name]}


def _cards(move: Move) -> list[int]:
    return sorted(CARD_NUMBER[card] for card in move["cards"])
