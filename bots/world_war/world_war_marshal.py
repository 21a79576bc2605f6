"""Plans whole campaigns towards its objective, and judges all it does by what they promise."""

from __future__ import annotations

from functools import cache
from math import exp, fsum

import kit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

ROLLS = {
    (1, 1): ((0, 1, 15), (1, 0, 21)),
    (2, 1): ((0, 1, 125), (1, 0, 91)),
    (3, 1): ((0, 1, 855), (1, 0, 441)),
    (1, 2): ((0, 1, 55), (1, 0, 161)),
    (2, 2): ((0, 2, 295), (1, 1, 420), (2, 0, 581)),
    (3, 2): ((0, 2, 2890), (1, 1, 2611), (2, 0, 2275)),
    (1, 3): ((0, 1, 225), (1, 0, 1071)),
    (2, 3): ((0, 2, 979), (1, 1, 1981), (2, 0, 4816)),
    (3, 3): ((0, 3, 6420), (1, 2, 10017), (2, 1, 12348), (3, 0, 17871)),
}
"""By dice of both sides: what attacker and defender lose, and in how many ways."""
PAID = {"cannon": 4, "infantry": 6, "cavalry": 8}
"""What three alike bring in the secret form."""

# What things are worth, in armies.
WIN = 60.0
CARD = 3.0
LAND = 0.6
BONUS = 1.2
"""A continent of ours, for each army of its bonus; and so on for what others lose."""
FOE_LAND = 0.2
FOE_ARMY = 0.3
FOE_BONUS = 0.8

SOON = 0.2
"""How much of a win the hope to win in a later turn is worth, at its best."""
SOON_AT_SETUP = 0.6
HOPE = 4.0
"""How many armies more or less turn a hope to win into a good one, or a poor one."""
LEAST_ODDS = 0.45
LEAST_GAIN = 0.3
WIDTH = 6
"""How many campaigns are thought on at a time; more is slower, and hardly better."""


def choose(ask: kit.Ask) -> kit.Move:
    """Answer each of the seven decisions."""
    if ask.decision == "trade":
        return max(ask.legal, key=lambda move: value(ask, move["cards"]))
    if ask.decision == "defend":
        return ask.legal[-1]
    return ANSWERS[ask.decision](Board(ask))


@cache
def fight(ours: int, theirs: int) -> tuple[float, float]:
    """Return the chance to conquer with so many armies, and how many are then left on average.

    One of ours stays out of it. The largest forces are only estimated.
    """
    if theirs == 0:
        return 1.0, float(ours)
    if ours <= 1:
        return 0.0, 0.0
    if ours > 90 or theirs > 50:
        left = ours + 2 - 1.71 * theirs
        return (1.0, left) if left > 20 else (0.0, 0.0)
    chance = mean = 0.0
    rolls = ROLLS[min(3, ours - 1), min(3, theirs)]
    for lost, killed, ways in rolls:
        odds, left = fight(ours - lost, theirs - killed)
        chance += ways * odds
        mean += ways * odds * left
    return chance / sum(ways for *_, ways in rolls), mean / chance if chance else 0.0


def price(armies: int) -> float:
    """Return about what it costs to conquer and keep a territory with so many armies."""
    return 1.5 if armies == 1 else 2.4 + 1.7 * (armies - 2)


class Board:
    """What stays the same as long as one decision is thought over."""

    def __init__(self, ask: kit.Ask) -> None:
        view = ask.view
        self.seat = ask.seat
        self.limits = ask.limits
        self.conquered: bool = view["conquered"]
        self.territories: dict[str, Any] = ask.table["territories"]
        self.continents: dict[str, Any] = ask.table["continents"]
        self.owner: dict[str, int] = dict(zip(self.territories, view["owner"], strict=True))
        self.own = [name for name, owner in self.owner.items() if owner == ask.seat]
        self.armies: dict[str, int] = dict(zip(self.territories, view["armies"], strict=True))
        self.goal: dict[str, Any] = view["goal"]
        self.garrison: int = self.goal.get("min_armies", 1)
        self.bit = {name: 1 << place for place, name in enumerate(self.owner)}
        self.ends = ask.options["victory_check"] != "next_turn"
        standing = sum(self.armies[name] for name in self.own)
        self.par: float = standing + LAND * len(self.own) + ask.limits.get("armies", 0)
        early = view["round"] <= ask.options["safe_rounds"]
        owners: list[int] = view["owner"]
        self.shielded = {seat for seat in owners if early and owners.count(seat) == 1}
        self.soon = SOON_AT_SETUP if ask.decision == "setup" else SOON
        self.closed = early and self.goal["kind"] == "destroy"  # it cannot be won in this turn
        if self.closed and view["round"] < ask.options["safe_rounds"]:
            self.soon = 0.0
        prey = self.goal.get("seat")
        self.prey = {
            name: price(self.armies[name])
            for name, owner in self.owner.items()
            if owner not in (ask.seat, None) and prey in (owner, None)
        }
        self.harm = self.harms()

    def harms(self) -> dict[str, float]:
        """Return what its loss would cost the owner of each territory, in our eyes."""
        harm = {}
        for facts in self.continents.values():
            names = facts["territories"]
            whole = len({self.owner[name] for name in names}) == 1
            for name in names:
                harm[name] = FOE_LAND + FOE_ARMY * self.armies[name]
                harm[name] += FOE_BONUS * facts["bonus"] * whole
        return harm

    def after(self, gains: dict[str, int]) -> Plan:
        """Return the best campaign when so many armies have come, or gone."""
        armies = {name: self.armies[name] + gains.get(name, 0) for name in self.armies}
        return campaign(Plan(self, armies))

    def front(self) -> list[str]:
        """Return our territories that have a foe beside them; if there are none, all of ours."""
        edge = [
            name
            for name in self.own
            if any(self.owner[other] != self.seat for other in self.territories[name]["borders"])
        ]
        return edge or self.own

    def weak(self, count: int) -> dict[str, int]:
        """Return one army for each territory of ours that is too weak to count, as they last."""
        weak = [name for name in self.own if self.armies[name] < self.garrison]
        return dict.fromkeys(weak[:count], 1)


class Plan:
    """How the board will look on average after some conquests, and what that is worth to us.

    `land` holds our armies as positive numbers and those of others as negative ones.
    """

    def __init__(self, board: Board, armies: dict[str, int]) -> None:
        self.board = board
        self.land: dict[str, float] = {
            name: armies[name] if owner == board.seat else -armies[name]
            for name, owner in board.owner.items()
        }
        own = [count for count in self.land.values() if count > 0]
        self.total: float = sum(own)
        self.count = len(own)
        self.stacks = [name for name, count in self.land.items() if count > 1]
        self.left = {  # by continent, what it would cost to have it whole
            continent: fsum(price(armies[n]) for n in facts["territories"] if self.land[n] < 0)
            for continent, facts in board.continents.items()
        }
        self.prey: float = fsum(board.prey.values())
        self.harm = 0.0
        self.conquered = board.conquered
        self.key = 0
        self.chance = 1.0
        self.banked = 0.0
        self.first: tuple[str, str] | None = None
        self.rate()

    def rate(self) -> None:
        """Work out our score, and the plan's value: it counts in that an attack may fail."""
        board = self.board
        need = self.need()
        met = need < 0.1 and not board.closed
        self.won = met and board.ends
        hope = 1 / (1 + exp(min(50.0, (need - self.total + self.count) / HOPE)))
        self.score = WIN if met else WIN * board.soon * hope
        if self.won:
            self.score += board.par  # and no more than that: nothing comes after it
        else:
            self.score += self.total + LAND * self.count + self.harm + CARD * self.conquered
            for continent, left in self.left.items():
                if left < 0.1:
                    self.score += BONUS * board.continents[continent]["bonus"]
        self.value = self.banked + self.chance * self.score

    def need(self) -> float:
        """Return about how many armies are still to be spent on our objective."""
        goal = self.board.goal
        if goal["kind"] == "continents":
            named: list[str] = goal["continents"]
            extra: int = goal["extra"]
            others = sorted([self.left[each] for each in self.left if each not in named])
            return fsum([self.left[each] for each in named]) + fsum(others[:extra])
        if goal["kind"] != "territories":
            return self.prey
        wanted: int = goal["count"]
        short = max(0, wanted - self.count)
        if self.board.garrison == 1:
            return 1.7 * short
        strong = sum([armies > 1.5 for armies in self.land.values()])
        return 2.7 * short + max(0, min(wanted, self.count) - strong)

    def steps(self) -> Iterator[Plan]:
        """Yield the plans with one conquest more; the victors go there, or mostly stay."""
        board, land = self.board, self.land
        for source in self.stacks:
            armies = land[source]
            whole = int(armies + 0.5)
            for target in board.territories[source]["borders"]:
                if land[target] > 0 or board.owner[target] in board.shielded:
                    continue
                odds, left = fight(whole, int(-land[target]))
                if odds < LEAST_ODDS:
                    continue
                left = max(2.0, left + armies - whole)
                least = min(3.0, left - 1)
                most = max(least, left - board.garrison)
                for moved in (most, least) if most > least else (most,):
                    yield self.conquer(source, target, odds, left, moved)

    def conquer(self, source: str, target: str, odds: float, left: float, moved: float) -> Plan:
        """Return the plan that goes on with one conquest, of which `odds` is the chance."""
        board = self.board
        new = Plan.__new__(Plan)
        new.board = board
        new.land = self.land.copy()
        new.land[source] = left - moved
        new.land[target] = moved
        new.total = self.total - self.land[source] + left
        new.count = self.count + 1
        new.stacks = [name for name in (*self.stacks, target) if new.land[name] > 1.5]
        new.left = self.left.copy()
        new.left[board.territories[target]["continent"]] -= price(int(-self.land[target]))
        new.prey = self.prey - board.prey.get(target, 0.0)
        new.harm = self.harm + board.harm[target]
        new.conquered = True
        new.key = self.key | board.bit[target]
        new.chance = self.chance * odds
        failed = self.score - self.land[source] + 1
        new.banked = self.banked + self.chance * (1 - odds) * failed
        new.first = self.first or (source, target)
        new.rate()
        return new


def campaign(start: Plan) -> Plan:
    """Return the best plan found from here on; of those with the same conquests, one is kept."""
    best, plans = start, [start]
    while plans:
        found: dict[int, Plan] = {}
        for plan in plans:
            for step in () if plan.won else plan.steps():
                if step.key not in found or found[step.key].value < step.value:
                    found[step.key] = step
        plans = sorted(found.values(), key=lambda plan: -plan.value)[:WIDTH]
        best = max([best, *plans[:1]], key=lambda plan: plan.value)
    return best


def setup(board: Board) -> kit.Move:
    """Fill up the weak, if they must be strong, and make up to three heaps of the rest."""
    count: int = board.limits["armies"]
    placed = board.weak(count)
    rest = count - sum(placed.values())
    heap = max(3, -(-rest // 3))
    while rest:
        placed = heaped(board, placed, min(heap, rest))[1]
        rest = count - sum(placed.values())
    return {"armies": placed}


def deploy(board: Board) -> kit.Move:
    """Put all where it opens the best campaign; or fill up the weak first, if that is better."""
    count: int = board.limits["armies"]
    options = [heaped(board, {}, count)]
    weak = board.weak(count)
    if weak:
        options.append(heaped(board, weak, count - len(weak)))
    return {"armies": max(options, key=lambda option: option[0])[1]}


def heaped(board: Board, placed: dict[str, int], count: int) -> tuple[float, dict[str, int]]:
    """Return the best campaign's value with `count` more on one territory, and all placed."""
    options = [{**placed, name: placed.get(name, 0) + count} for name in board.front()]
    values = [board.after(option).value for option in options]
    best = max(values)
    return best, options[values.index(best)]


def attack(board: Board) -> kit.Move:
    """Take the first step of the best campaign, and think again after two rolls."""
    start = Plan(board, board.armies)
    best = campaign(start)
    if best.first is None or best.value < start.value + LEAST_GAIN:
        return {"action": "stop"}
    source, target = best.first
    dice = min(3, board.armies[source] - 1)
    move = {"action": "attack", "from": source, "to": target, "dice": dice}
    if "max_rolls" in board.limits:
        move |= {"rolls": 2, "stop_at": 1}
    return move


def occupy(board: Board) -> kit.Move:
    """Follow with none, half or all, or all but a garrison: as the campaign goes on best."""
    here, there, most = board.limits["from"], board.limits["to"], board.limits["max_armies"]
    options = sorted({0, most // 2, max(0, most + 1 - board.garrison), most})
    go = max(options, key=lambda moved: board.after({here: -moved, there: moved}).value)
    return {"armies": go}


def fortify(board: Board) -> kit.Move:
    """Make the move of a large force that a campaign would gain most by."""
    best, move = board.after({}).value, {"action": "stay"}
    for entry in sorted(board.limits["moves"], key=lambda each: -int(each["max_armies"]))[:3]:
        here, armies = entry["from"], entry["max_armies"] + 1 - board.garrison
        for there in entry["to"] if armies else ():
            hoped = board.after({here: -armies, there: armies}).value
            if hoped > best:
                best = hoped
                move = {"action": "move", "from": here, "to": there, "armies": armies}
    return move


def value(ask: kit.Ask, cards: list[str]) -> int:
    """Return the armies that a set brings, those on own territories among them."""
    if not cards:
        return 0
    owner = dict(zip(ask.table["territories"], ask.view["owner"], strict=True))
    own: int = 2 * sum(owner.get(card) == ask.seat for card in cards)
    weapons = [ask.table["cards"][card] for card in cards]
    jokers = weapons.count("joker")
    kinds = set(weapons) - {"joker"}
    if ask.options["objective"] == "world":
        return own + 4 - jokers  # all sets bring the same, and jokers make others
    if len(kinds) > 1:
        return own + 10
    return own + (12 if jokers else PAID[kinds.pop()])


ANSWERS: dict[str, Callable[[Board], kit.Move]] = {
    "setup": setup,
    "deploy": deploy,
    "attack": attack,
    "occupy": occupy,
    "fortify": fortify,
}


if __name__ == "__main__":
    kit.run(choose, samples=0)
