"""The course of a World War, from the deal to the last place: its objectives and its state."""

from collections.abc import Mapping, Sequence
from itertools import count, cycle
from random import Random

from msgspec import Struct

from referee.games.world_war.board import (
    CARDS,
    MOST_IN_HAND,
    NUMBER,
    ON_OWN,
    TERRITORIES,
    Attack,
    Attacked,
    CardDrawn,
    Conquered,
    Deployed,
    Eliminated,
    Followed,
    Forces,
    Fortified,
    Log,
    Marched,
    Reach,
    SetUp,
    Traded,
    exchange_armies,
    fight,
    most_dice,
    sets,
    worth,
)
from referee.games.world_war.forms import WorldWarOptions
from referee.rules.chance import Chance
from referee.rules.game import ranked


class Objective(Struct, frozen=True, tag_field="kind", tag=str.lower):
    """What a seat has to achieve, as it is shown."""


class Continents(Objective, frozen=True):
    """Hold continents, and so many others besides."""

    continents: list[str]
    extra: int


class Territories(Objective, frozen=True):
    """Hold territories, each with so many armies at least."""

    count: int
    min_armies: int


class Destroy(Objective, frozen=True):
    """Eliminate a seat oneself."""

    seat: int


class World(Objective, frozen=True):
    """Hold everything."""


Goal = Continents | Territories | Destroy | World

SUBSTITUTE = Territories(24, 1)
"""What counts for one who was to destroy himself, or a seat that another has destroyed."""


def objectives(seats: int) -> list[Goal]:
    """Return the objectives of the secret form, in the rules page's order."""
    return [
        Continents(["europe", "oceania"], 1),
        Continents(["europe", "south_america"], 1),
        Continents(["north_america", "africa"], 0),
        Continents(["north_america", "oceania"], 0),
        Continents(["asia", "south_america"], 0),
        Continents(["asia", "africa"], 0),
        Territories(24, 1),
        Territories(18, 2),
        *map(Destroy, range(seats)),
    ]


def counting(mission: Goal, seat: int, slayers: Mapping[int, int]) -> Goal:
    """Return what the objective dealt to `seat` means now; `slayers` tells who killed whom."""
    if isinstance(mission, Destroy):
        target = mission.seat
        if target == seat or slayers.get(target, seat) != seat:
            return SUBSTITUTE
    return mission


def is_met(goal: Goal, seat: int, forces: Forces, slayers: Mapping[int, int]) -> bool:
    """Return whether `seat` has achieved a goal that counts."""
    match goal:
        case Continents(continents, extra):
            held = forces.continents(seat)
            return len(held) >= len(continents) + extra and set(continents) <= set(held)
        case Territories(number, min_armies):
            return forces.count[seat] >= number and (
                min_armies == 1 or forces.strong(seat, min_armies) >= number
            )
        case Destroy(target):
            return slayers.get(target) == seat
        case World():
            return forces.count[seat] == len(TERRITORIES)


def told(goal: Goal, names: str) -> str:
    """Return a goal in words; `names` holds a letter for each seat."""
    match goal:
        case Continents(continents, extra):
            wanted = " and ".join(continents)
            return f"hold {wanted}" + (" and one more continent" if extra else "")
        case Territories(number, 1):
            return f"hold {number} territories"
        case Territories(number, min_armies):
            return f"hold {number} territories with {min_armies} armies or more on each"
        case Destroy(target):
            return f"destroy {names[target]} yourself"
        case World():
            return "conquer the world"


ARMIES = {3: 35, 4: 30, 5: 25, 6: 20}
"""By number of seats, the armies each has in all at the beginning."""
CHECKED = {
    "immediate": ("start", "change"),
    "end_of_turn": ("end",),
    "next_turn": ("start",),
}
"""By `victory_check`, when in a turn the objective is looked at."""


class Fall(Struct, frozen=True):
    """An elimination, as it is shown."""

    seat: int
    by: int
    round: int


class Course:
    """One war: all that is on the table and in the hands, and whose decision is awaited.

    Each decision has a method that carries the answer out, and all that follows by itself.
    Territories and cards are numbers here; armies to be placed go by the territories' names.
    """

    def __init__(self, seats: int, options: WorldWarOptions, chance: Chance) -> None:
        self.seats = seats
        self.options = options
        dealt = chance.shuffled(range(len(CARDS)), "deal")
        holder = dict(zip(dealt, cycle(range(seats)), strict=False))
        self.forces = Forces([holder[territory] for territory in range(len(TERRITORIES))], seats)
        self.missions: list[Goal] = [World()] * seats
        if options.objective == "secret":
            self.missions = chance.shuffled(objectives(seats), "objectives")[:seats]
        self.left = [ARMIES[seats] - held for held in self.forces.count]
        """By seat, the armies of the set-up that are still to be placed."""
        self.draw_pile = chance.shuffled(range(len(CARDS)), "draw pile")
        """The face-down cards, the next one last."""
        self.used_pile: list[int] = []
        self.hands: list[list[int]] = [[] for _ in range(seats)]
        self.exchanges = 0
        self.fallen: list[Fall] = []
        self.round = 0
        self.in_turn = 0
        self.asked: str | None = "setup"
        """The decision that is awaited; None once the war is over."""
        self.reinforcements = 0
        self.conquered = False
        self.attacks = 0
        """The attacks of this turn, so far."""
        self.attack = Attack(0, 0, 0)
        """The attack that came last."""
        self.reach: Reach = []
        """In `attack` and `fortify`, from where to where."""
        self.log = Log(seats)
        self.reason = ""
        self.places: list[int] = []
        self._chance = chance
        self._slayers: dict[int, int] = {}

    def deciders(self) -> Sequence[int]:
        """Return the seat in turn, or the one it attacks; in a hidden set-up, all."""
        if self.asked is None:
            return ()
        if self.asked == "defend":
            return (self.forces.owner[self.attack.target],)
        return range(self.seats) if self.is_sealed() else (self.in_turn,)

    def is_sealed(self) -> bool:
        """Return whether all seats place their armies at once and unseen."""
        return self.asked == "setup" and self.options.setup == "hidden"

    def living(self) -> list[int]:
        """Return the seats that hold territories."""
        return [seat for seat, held in enumerate(self.forces.count) if held]

    def goal(self, seat: int) -> Goal:
        """Return the objective of `seat` as it counts now."""
        return counting(self.missions[seat], seat, self._slayers)

    def placeable(self, seat: int) -> int:
        """Return how many armies `seat` has to place at this decision."""
        if self.asked == "deploy":
            return self.reinforcements
        if self.is_sealed():
            return self.left[seat]
        return min(self.options.setup_step, self.left[seat])

    def possible_sets(self) -> list[tuple[int, ...]]:
        """Return the sets that the seat in turn holds."""
        return sets(self.hands[self.in_turn])

    def must_trade(self) -> bool:
        """Return whether the seat in turn, which holds a set, may not keep its cards."""
        return self.options.trading == "must" or len(self.hands[self.in_turn]) == MOST_IN_HAND

    def shielded(self) -> list[int]:
        """Return the seats whose only territory is safe."""
        if self.round > self.options.safe_rounds:
            return []
        return [seat for seat, held in enumerate(self.forces.count) if held == 1]

    def spread(self, seat: int, total: int) -> dict[str, int]:
        """Return armies dealt out one at a time over the territories of `seat`."""
        own = self.forces.own(seat)
        each, more = divmod(total, len(own))
        shares = {TERRITORIES[t]: each + (at < more) for at, t in enumerate(own)}
        return {name: share for name, share in shares.items() if share}

    def deal_anew(self, seat: int, rng: Random) -> None:
        """Replace what `seat` cannot know: other hands, the draw pile, others' objectives."""
        others = [other for other in range(self.seats) if other != seat]
        unseen = [*self.draw_pile, *(card for other in others for card in self.hands[other])]
        rng.shuffle(unseen)
        for other in others:
            self.hands[other] = sorted(unseen.pop() for _ in self.hands[other])
        self.draw_pile[:] = unseen
        if self.options.objective == "secret" and self.asked is not None:
            left = [goal for goal in objectives(self.seats) if goal != self.missions[seat]]
            rng.shuffle(left)
            for other in others:
                self.missions[other] = left.pop()

    def set_up(self, placements: Mapping[int, Mapping[str, int]]) -> None:
        """Place armies of the set-up; begin the first turn when there are no more."""
        for seat in sorted(placements):
            armies = placements[seat]
            self.left[seat] -= sum(armies.values())
            self._place(armies)
            self.log.add(SetUp(seat, armies))
        if any(self.left):
            later = ((self.in_turn + step) % self.seats for step in count(1))
            self.in_turn = next(seat for seat in later if self.left[seat])
        else:
            self.round = 1
            self._begin_turn(0)

    def pays(self, cards: Sequence[int]) -> int:
        """Return the armies that a set brings now."""
        world = self.options.objective == "world"
        return exchange_armies(self.exchanges) if world else worth(cards)

    def trade(self, cards: Sequence[int]) -> None:
        """Exchange a set of the seat in turn, or none."""
        if cards and self._exchange(self.in_turn, cards):
            return
        self._reinforce()

    def deploy(self, armies: Mapping[str, int]) -> None:
        """Place the reinforcements."""
        self._place(armies)
        self.log.add(Deployed(self.in_turn, armies))
        if not self._is_won("change"):
            self._ask_attack()

    def begin_attack(self, attack: Attack) -> None:
        """Attack, with the defender asked for its dice if it has a choice."""
        self.attacks += 1
        self.attack = attack
        most = most_dice(self.forces.armies[attack.target])
        if most == 1 or self.options.defence == "max":
            self.defend(most)
        else:
            self.asked = "defend"

    def defend(self, dice: int) -> None:
        """Roll the attack out, against so many dice at most."""
        attack, forces, seat = self.attack, self.forces, self.in_turn
        defender = forces.owner[attack.target]
        place = (self.round, seat, self.attacks)
        rolls, lost, killed = fight(forces, attack, dice, self._chance, place)
        ends = TERRITORIES[attack.source], TERRITORIES[attack.target]
        self.log.add(Attacked(seat, *ends, attack.dice, defender, dice, rolls, lost, killed))
        if forces.armies[attack.target]:
            self._ask_attack()
        else:
            self._conquer(seat, defender, survivors=len(rolls[-1][0]))

    def occupy(self, armies: int) -> None:
        """Let armies follow into the territory just conquered."""
        if armies:
            self._follow(Followed, armies)
            if self._is_won("change"):
                return
        self._ask_attack()

    def close_combats(self) -> None:
        """Draw the card of a turn with a conquest, and go on to the last move."""
        if self.conquered:
            self._draw_card(self.in_turn)
        self.reach = self.forces.moves(self.in_turn)
        if self.reach:
            self.asked = "fortify"
        else:
            self.end_turn()

    def fortify(self, source: int, goal: int, armies: int) -> None:
        """Move armies between two territories, and end the turn."""
        self.forces.move(source, goal, armies)
        names = TERRITORIES[source], TERRITORIES[goal]
        self.log.add(Fortified(self.in_turn, *names, armies))
        if not self._is_won("change"):
            self.end_turn()

    def end_turn(self) -> None:
        """Go on to the next seat that lives, or stop after the last round."""
        if self._is_won("end"):
            return
        later = ((self.in_turn + step) % self.seats for step in count(1))
        following = next(seat for seat in later if self.forces.count[seat])
        if following < self.in_turn:
            if self.round >= self.options.max_rounds:
                self._end("max_rounds", winner=None)
                return
            self.round += 1
        self._begin_turn(following)

    def _place(self, armies: Mapping[str, int]) -> None:
        for name, number in armies.items():
            self.forces.armies[NUMBER[name]] += number

    def _begin_turn(self, seat: int) -> None:
        self.in_turn = seat
        self.reinforcements = self.attacks = 0
        self.conquered = False
        self.log.begin_turn(seat, self.round, self.living())
        if self._is_won("start"):
            return
        possible = self.possible_sets()
        if not possible:
            self._reinforce()
        elif len(possible) == 1 and self.must_trade():
            self.trade(possible[0])
        else:
            self.asked = "trade"

    def _exchange(self, seat: int, cards: Sequence[int]) -> bool:
        """Exchange a set; return whether the game is won by it."""
        self.reinforcements = self.pays(cards)
        self.exchanges += 1
        own = [card for card in cards if card in self.forces.own(seat)]
        extra = {TERRITORIES[card]: ON_OWN for card in own}
        self.hands[seat] = [card for card in self.hands[seat] if card not in cards]
        self.used_pile += cards
        self._place(extra)
        names = [CARDS[card] for card in cards]
        self.log.add(Traded(seat, names, self.reinforcements, extra))
        return self._is_won("change")

    def _reinforce(self) -> None:
        seat, minimum = self.in_turn, self.options.min_reinforcement
        self.reinforcements += self.forces.reinforcements(seat, minimum)
        if not self.reinforcements:
            self._ask_attack()
        elif self.forces.count[seat] == 1:
            self.deploy(self.spread(seat, self.reinforcements))
        else:
            self.asked = "deploy"

    def _ask_attack(self) -> None:
        if self.attacks < self.options.max_attacks:
            self.reach = self.forces.attacks(self.in_turn, self.shielded())
            if self.reach:
                self.asked = "attack"
                return
        self.close_combats()

    def _conquer(self, seat: int, loser: int, survivors: int) -> None:
        self.forces.take(self.attack.target, seat)
        self.conquered = True
        self._follow(Conquered, survivors)
        if not self.forces.count[loser]:
            self._eliminate(loser, seat)
        if self._is_won("change"):
            return
        if self.forces.armies[self.attack.source] > 1:
            self.asked = "occupy"
        else:
            self._ask_attack()

    def _follow(self, event: type[Marched], armies: int) -> None:
        source, target = self.attack.source, self.attack.target
        self.forces.move(source, target, armies)
        self.log.add(event(self.in_turn, TERRITORIES[source], TERRITORIES[target], armies))

    def _eliminate(self, seat: int, by: int) -> None:
        self.fallen.append(Fall(seat, by, self.round))
        self._slayers[seat] = by
        self.log.add(Eliminated(seat, by, [CARDS[card] for card in self.hands[seat]]))
        self.used_pile += self.hands[seat]
        self.hands[seat] = []

    def _draw_card(self, seat: int) -> None:
        reshuffled = not self.draw_pile
        if reshuffled:
            event = ("reshuffle", self.round, seat)
            self.draw_pile = self._chance.arranged(self.used_pile, range(len(CARDS)), *event)
            self.used_pile = []
        self.hands[seat] = sorted([*self.hands[seat], self.draw_pile.pop()])
        self.log.add(CardDrawn(seat, reshuffled))

    def _is_won(self, moment: str) -> bool:
        """End the game if the seat in turn has won, at this moment of its turn."""
        seat = self.in_turn
        alone = len(self.fallen) == self.seats - 1
        if not alone and moment not in CHECKED[self.options.victory_check]:
            return False
        met = is_met(self.goal(seat), seat, self.forces, self._slayers)
        if not (met or alone):
            return False
        self._end("objective" if met else "last_alive", winner=seat)
        return True

    def _end(self, reason: str, winner: int | None) -> None:
        self.asked = None
        self.reason = reason
        self.places = ranked([self._score(seat, winner) for seat in range(self.seats)])

    def _score(self, seat: int, winner: int | None) -> tuple[int, ...]:
        if seat == winner:
            return (0,)
        if not self.forces.count[seat]:
            return (2, -[fall.seat for fall in self.fallen].index(seat))
        if winner is None or self.options.survivors == "territories":
            return (1, -self.forces.count[seat], -self.forces.total(seat))
        return (1,)
