"""Works for its objective and for whole continents, and attacks where the odds are good."""

from __future__ import annotations

import kit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

JOKER = "joker"
PAID = {"cannon": 4, "infantry": 6, "cavalry": 8}
"""What three alike bring in the secret form; one of each brings 10, most with a joker 12."""
AVERAGE = 8
"""A set that brings less than this in the secret form is kept for a better one."""


def choose(ask: kit.Ask) -> kit.Move:
    """Answer each of the seven decisions."""
    if ask.decision == "trade":
        return trade(ask)
    if ask.decision == "defend":
        return ask.legal[-1]
    state = State(ask)
    if ask.decision in ("setup", "deploy"):
        return place(state)
    if ask.decision == "attack":
        return attack(state)
    if ask.decision == "occupy":
        return occupy(state)
    return fortify(state)


def by_name(ask: kit.Ask, field: str) -> dict[str, int]:
    """Return the owner or the armies of every territory."""
    return dict(zip(ask.table["territories"], ask.view[field], strict=True))


class State:
    """The board as our seat sees it, with what each territory is worth to us."""

    def __init__(self, ask: kit.Ask) -> None:
        self.ask = ask
        self.owner = by_name(ask, "owner")
        self.armies = by_name(ask, "armies")
        self.goal: dict[str, Any] = ask.view["goal"]
        self.own: list[str] = [name for name, owner in self.owner.items() if owner == ask.seat]
        self.worth = self.worths()

    def borders(self, name: str) -> list[str]:
        """Return the neighbours of a territory."""
        neighbours: list[str] = self.ask.table["territories"][name]["borders"]
        return neighbours

    def foes(self, name: str) -> list[str]:
        """Return the neighbours of a territory that others hold."""
        return [other for other in self.borders(name) if self.owner[other] != self.ask.seat]

    def worths(self) -> dict[str, float]:
        """Return the worth of each territory: a part of its continent's, and the objective's."""
        worth: dict[str, float] = {}
        for continent, facts in self.ask.table["continents"].items():
            names = facts["territories"]
            owners = [self.owner[name] for name in names]
            missing = len(names) - owners.count(self.ask.seat)
            value = 1.0 + 2.0 * facts["bonus"] / (missing + 1)
            if missing == len(names) and len(set(owners)) == 1:
                value += 0.5 * facts["bonus"]  # it is worth breaking up
            if continent in self.goal.get("continents", ()):
                value += 3.0 + 8.0 / (missing + 1)
            worth.update(dict.fromkeys(names, value))
        if self.goal["kind"] == "destroy":
            prey = [name for name, owner in self.owner.items() if owner == self.goal["seat"]]
            for name in prey:
                worth[name] += 3.0 + 12.0 / len(prey)
        return worth


def price(armies: int) -> float:
    """Return what it costs, on average, to destroy so many armies that defend with all dice."""
    if armies == 1:
        return 0.5
    return 1.4 if armies == 2 else 1.4 + 1.7 * (armies - 2)


def needed(armies: int) -> float:
    """Return how many armies besides the one that stays make an attack on `armies` promising."""
    return price(armies) + 1.5 + 0.1 * armies


def trade(ask: kit.Ask) -> kit.Move:
    """Exchange the best set, unless a better one may still come."""
    best = max(ask.legal, key=lambda move: value(ask, move["cards"]))
    waits = ask.options["objective"] == "secret" and not ask.view["forced"]
    if waits and value(ask, best["cards"]) < AVERAGE:
        return {"cards": []}
    return best


def value(ask: kit.Ask, cards: list[str]) -> int:
    """Return the armies that a set brings, those on own territories among them."""
    if not cards:
        return 0
    owner = by_name(ask, "owner")
    own = 2 * sum(owner.get(card) == ask.seat for card in cards)
    shown: list[str] = [ask.table["cards"][card] for card in cards]
    weapons = [weapon for weapon in shown if weapon != JOKER]
    if len(set(weapons)) > 1:
        return own + 10
    if len(weapons) < 3:
        return own + (12 if ask.options["objective"] == "secret" else 10)
    return own + PAID[weapons[0]]


def place(state: State) -> kit.Move:
    """Put all where it opens the best attack; or fill up the weak, if that wins."""
    count: int = state.ask.limits["armies"]
    if state.ask.decision == "setup":
        return {"armies": spread(state, count)}
    armies = filled(state, count) if state.goal.get("min_armies") == 2 else {}
    name = front(state, count)
    armies[name] = armies.get(name, 0) + count - sum(armies.values())
    return {"armies": armies}


def filled(state: State, count: int) -> dict[str, int]:
    """Return one army for each weak territory that is wanting, if there are enough of both."""
    weak = [name for name in state.own if state.armies[name] == 1]
    wanting = int(state.goal["count"]) - (len(state.own) - len(weak))
    if wanting <= min(count, len(weak)):
        return dict.fromkeys(weak[:wanting], 1)
    return {}


def spread(state: State, count: int) -> dict[str, int]:
    """Place the first armies in three heaps, the greatest where the prospects are best."""
    armies: dict[str, int] = {}
    for share in (count // 2, count // 4, count - count // 2 - count // 4):
        name = front(state, share)
        armies[name] = armies.get(name, 0) + share
        state.armies[name] += share
    return armies


def front(state: State, count: int) -> str:
    """Return the own territory that gains most by so many armies."""
    return max(state.own, key=lambda name: prospect(state, name, count))


def prospect(state: State, name: str, count: int) -> float:
    """Return what so many more armies on an own territory could conquer."""
    force = state.armies[name] - 1 + count
    short = {foe: max(0.0, needed(state.armies[foe]) - force) for foe in state.foes(name)}
    best = max((state.worth[foe] - 0.7 * short[foe] for foe in short), default=-100.0)
    return best + 0.05 * min(state.armies[name], 20)


def attack(state: State) -> kit.Move:
    """Make the attack that promises most for what it costs, or stop."""
    best, move = 0.0, None
    for entry in state.ask.limits["attacks"]:
        force = state.armies[entry["from"]] - 1
        for goal in entry["to"]:
            armies = state.armies[goal]
            gain = state.worth[goal] + 0.5 - 0.5 * price(armies)
            if not state.ask.view["conquered"]:
                gain += 3.0  # the card
            if force >= needed(armies) and gain > best:
                best, move = gain, order(state, entry, goal)
    return move or {"action": "stop"}


def order(state: State, entry: dict[str, Any], goal: str) -> kit.Move:
    """Return an attack that is broken off when it has gone wrong."""
    move = {"action": "attack", "from": entry["from"], "to": goal, "dice": entry["max_dice"]}
    if "max_rolls" in state.ask.limits:
        move["rolls"] = state.ask.limits["max_rolls"]
        move["stop_at"] = min(entry["max_stop_at"], 3)
    return move


def occupy(state: State) -> kit.Move:
    """Follow with all, unless more is to be gained where they stand."""
    most: int = state.ask.limits["max_armies"]
    here, there = state.ask.limits["from"], state.ask.limits["to"]
    stay = max((state.worth[foe] for foe in state.foes(here)), default=0.0)
    go = max((state.worth[foe] for foe in state.foes(there)), default=0.0)
    return {"armies": most if go >= stay else 0}


def fortify(state: State) -> kit.Move:
    """Lead the largest idle force towards the nearest enemy."""
    idle = [entry for entry in state.ask.limits["moves"] if not state.foes(entry["from"])]
    if not idle:
        return {"action": "stay"}
    entry = max(idle, key=lambda each: int(each["max_armies"]))
    far = distances(state)
    goal = min(entry["to"], key=lambda name: far.get(name, 99))
    return {"action": "move", "from": entry["from"], "to": goal, "armies": entry["max_armies"]}


def distances(state: State) -> dict[str, int]:
    """Return how many steps each own territory is from the nearest enemy."""
    far = {name: 0 for name in state.own if state.foes(name)}
    todo = list(far)
    for name in todo:  # it grows while we go through it
        for other in state.borders(name):
            if state.owner[other] == state.ask.seat and other not in far:
                far[other] = far[name] + 1
                todo.append(other)
    return far


if __name__ == "__main__":
    kit.run(choose, samples=0)
