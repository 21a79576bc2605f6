"""Weighs the chances of winning and losing by each play."""

from __future__ import annotations

import kit

SEATS = range(4)
LOSS = 3.5
"""How many chances to win a chance to lose outweighs: a win put off is seldom a win lost."""


def choose(ask: kit.Ask) -> kit.Move:
    """Return the play of the highest worth; the dice decide between equals."""
    if ask.decision == "talk":
        return {"say": ""}
    trust = remember(ask)
    plays = attacks(ask) + arms(ask) + shifts(ask)
    ask.rng.shuffle(plays)
    return max(plays, key=lambda play: worth(play, ask, trust))


def remember(ask: kit.Ask) -> list[list[float]]:
    """Return how often, of late, each seat has sought an alliance with each other."""
    trust: list[list[float]] = ask.memory.setdefault("trust", [[0.0] * 4 for _ in SEATS])
    for seat, play in enumerate(ask.view["last"] or []):
        trust[seat] = [0.8 * share for share in trust[seat]]
        if play["play"] == "attack":
            trust[seat][play["with"]] += 0.2
    return trust


def attacks(ask: kit.Ask) -> list[kit.Move]:
    """Return an offer to every other seat."""
    return [{"play": "attack", "with": ally} for ally in ask.limits["partners"]]


def arms(ask: kit.Ask) -> list[kit.Move]:
    """Return the arms that aim all there is at one seat or in halves at two."""
    most = ask.limits["add_max"]
    plays = []
    for one in ask.limits["partners"]:
        for two in ask.limits["partners"]:
            add = [0, 0, 0, 0]
            add[one] += most // 2
            add[two] += most - most // 2
            plays.append({"play": "arm", "add": add})
    return plays


def shifts(ask: kit.Ask) -> list[kit.Move]:
    """Return the shifts of all that may go, or of half of it, from one marker to another."""
    own = ask.view["markers"][ask.seat]
    plays = []
    for source in ask.limits["partners"]:
        for goal in ask.limits["partners"]:
            full = min(ask.limits["move_max"], own[source])
            for count in (full, full // 2):
                move = [0, 0, 0, 0]
                move[source] -= count
                move[goal] += count
                plays.append({"play": "shift", "move": move})
    return plays


def worth(play: kit.Move, ask: kit.Ask, trust: list[list[float]]) -> float:
    """Return the chance to win now, less that to lose now, and a little for the position."""
    me, others = ask.seat, ask.limits["partners"]
    markers = [row[:] for row in ask.view["markers"]]
    for seat, change in enumerate(play.get("add") or play.get("move") or []):
        markers[me][seat] += change
    leads = {ally: lead(markers, me, ally) for ally in others}
    total = prospects(sorted(leads.values()), ask.view["round"])
    if play["play"] == "attack":
        ally = play["with"]
        total += success(leads[ally]) * accepts(trust, ally, me, leads[ally])
    for left_out in others:
        one, two = (seat for seat in others if seat != left_out)
        ahead = -leads[left_out]  # the lead of the pair that faces us
        both = accepts(trust, one, two, ahead) * accepts(trust, two, one, ahead)
        total -= LOSS * both * success(ahead)
    return total


def prospects(leads: list[int], played: int) -> float:
    """Return what the leads with three allies promise; the later, the more the best one counts."""
    return 0.002 * leads[0] + 0.001 * leads[1] + 0.0035 * (1 + played / 10) * leads[2]


def lead(markers: list[list[int]], one: int, two: int) -> int:
    """Return the attacking force of a pair, less the force that defends."""
    total = 0
    for foe in SEATS:
        if foe not in (one, two):
            total += markers[one][foe] + markers[two][foe]
            total -= markers[foe][one] + markers[foe][two]
    return total


def accepts(trust: list[list[float]], one: int, two: int, ahead: int) -> float:
    """Return the chance that `one` seeks an alliance with `two` now, to be `ahead` with it."""
    tempted = 0.25 if ahead > 0 else 0.05
    return min(0.9, tempted + trust[one][two])


def success(ahead: int) -> float:
    """Return the chance that a pair `ahead` still is so when the others have reacted."""
    return min(1.0, 0.25 + ahead / 17) if ahead > 0 else 0.0


if __name__ == "__main__":
    kit.run(choose, samples=0)
