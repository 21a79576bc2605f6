"""Tries out every order on paper, with the enemy's answer to it and its own next blow."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

import kit

ZONES = ("vanguard", "centre", "rearguard")
DECK = [f"{number}{suit}" for suit in "OCEB" for number in (1, 2, 3, 4, 5, 6, 7, 10, 11, 12)]
KIND = {card: int(card[:-1]) for card in DECK}
VALUE = {card: {10: 1, 11: 2, 12: 1}.get(KIND[card], KIND[card]) for card in DECK}
PRICE = {card: {1: 6.0, 10: 5.0, 11: 7.0, 12: 7.0}.get(KIND[card], KIND[card]) for card in DECK}
"""What a card on the table is worth to us; a Soldier is worth its number."""
IN_HAND = 0.4
"""The part of its price that a card is worth in the hand."""
DANGER, THREAT = 0.9, 0.4
"""How much the enemy's best assault counts, which comes first, and how much our own after it."""
VICTORY, ROUT = 1000.0, 100.0
"""What it is worth to have broken through, and to threaten it."""
RUIN = -20.0
"""What it is worth if no card is left on either side: a draw."""

Zone = dict[str, int]
"""The cards that stand in a zone, each with its wounds."""
Army = list[Zone]
"""The zones from front to back."""


class Turn(NamedTuple):
    """Orders, and how both armies stand when they are carried out."""

    move: kit.Move
    own: Army
    foe: Army
    hand: list[str]
    attacks: tuple[kit.Move, ...] = ()


def choose(ask: kit.Ask) -> kit.Move:
    """Answer each of the four decisions."""
    hand = sorted(ask.view["hand"], key=lambda card: (VALUE[card], card))
    if ask.decision == "deploy":
        return {zone: [hand.pop() for _ in range(count)] for zone, count in ask.limits.items()}
    if ask.decision == "discard":
        return {"cards": [min(hand, key=PRICE.__getitem__)]}
    own, foe = armies(ask)
    if ask.decision == "attack":
        attacks = attack(own, foe, hand, [], ask.view["attacked"]).attacks
        return attacks[0] if attacks else {"attackers": [], "target": None}
    likely = sorted(turns(own, foe, hand), key=worth, reverse=True)[:12]
    return max(likely, key=lambda turn: worth(turn, careful=True)).move


def armies(ask: kit.Ask) -> tuple[Army, Army]:
    """Return our army and the enemy's."""
    own, foe = (ask.view["zones"][seat] for seat in (ask.seat, 1 - ask.seat))
    return [own[zone] for zone in ZONES], [foe[zone] for zone in ZONES]


def turns(own: Army, foe: Army, hand: list[str]) -> Iterator[Turn]:
    """Yield turns with and without a transfer, and with the three arrivals that promise most."""
    arrivals = [incorporate(own, foe, hand, card, zone) for card in hand for zone in range(3)]
    yield from arrivals
    yield attack(own, foe, hand, [], [])
    best = sorted(arrivals, key=worth, reverse=True)[:3]
    for moved, transfer in transfers(own):
        yield attack(moved, foe, hand, [transfer], [])
        for turn in best:
            card, zone = turn.move["card"], ZONES.index(turn.move["zone"])
            after = incorporate(moved, foe, hand, card, zone)
            yield after._replace(move={**after.move, "transfers": [transfer]})


def transfers(own: Army) -> Iterator[tuple[Army, kit.Move]]:
    """Yield every step of one card, as the army stands after it."""
    for here, there in ((0, 1), (1, 0), (1, 2), (2, 1)):
        for card in own[here]:
            moved = copied(own)
            moved[there][card] = moved[here].pop(card)
            yield moved, {"card": card, "to": ZONES[there]}


def incorporate(own: Army, foe: Army, hand: list[str], card: str, zone: int) -> Turn:
    """Return the turn that brings in `card`."""
    own = copied(own)
    own[zone][card] = 0
    move = {"action": "incorporate", "card": card, "zone": ZONES[zone]}
    return Turn(move, own, foe, [other for other in hand if other != card])


def attack(
    own: Army, foe: Army, hand: list[str], transfer: list[kit.Move], spent: list[str]
) -> Turn:
    """Return the turn that attacks up to the best moment to stop."""
    move = {"action": "attack", "transfers": transfer}
    kept = sorted(hand, key=PRICE.__getitem__)[len(hand) // 8 :]  # of eight, one is discarded
    own, foe = copied(own), copied(foe)
    stops = [Turn(move, copied(own), copied(foe), kept)]
    for made in assault(own, foe, spent):
        stops.append(Turn(move, copied(own), copied(foe), kept, (*stops[-1].attacks, made)))
    return max(stops, key=worth)


def copied(army: Army) -> Army:
    """Return the army to try things on."""
    return [zone.copy() for zone in army]


def worth(turn: Turn, careful: bool = False) -> float:
    """Return what is left to us, less the gain of the enemy's answer, plus that of our next turn.

    A careful look lets either side bring one more card into its front before.
    """
    own, foe = turn.own, turn.foe
    if not any(foe) or not any(own):
        return VICTORY * (any(own) - any(foe)) or RUIN
    cards = material(own) - material(foe) + IN_HAND * sum(map(PRICE.__getitem__, turn.hand))
    return cards - DANGER * gain(foe, own, careful) + THREAT * gain(own, foe, careful)


def material(army: Army) -> float:
    """Return the price of all cards on the table."""
    return sum([PRICE[card] for zone in army for card in zone])


def gain(own: Army, foe: Army, careful: bool = False) -> float:
    """Return what `own` gains in its turn, by its volley and its best assault."""
    healed = [dict.fromkeys(zone, 0) for zone in own]
    before = material(own) - material(foe)
    most = 0.0
    for ours in [healed, *(reinforced(healed) if careful else ())]:
        mine, others = copied(ours), copied(foe)
        volley(mine, others)
        for _ in assault(mine, others, []):
            pass
        rout = ROUT * (any(mine) - any(others))
        most = max(most, material(mine) - material(others) - before + rout)
    return most


def reinforced(own: Army) -> Iterator[Army]:
    """Yield the army with each of the fighters behind its front stepped into it."""
    front = next(number for number in range(3) if own[number])
    for card in own[front + 1] if front < 2 else ():
        if KIND[card] not in (1, 10):
            moved = copied(own)
            moved[front][card] = moved[front + 1].pop(card)
            yield moved


def volley(own: Army, foe: Army) -> None:
    """Let our Archers shoot."""
    for zone in own[:2]:
        for archer in [card for card in zone if KIND[card] == 10]:
            if archer in foe[0] or archer in foe[1]:
                for each in (zone, *foe[:2]):
                    each.pop(archer, None)
                continue
            for other in foe[:2]:
                for card in other:
                    other[card] += value(archer, zone) if card[-1] == archer[-1] else 0
    for other in foe[:2]:
        settle(other)


def assault(own: Army, foe: Army, spent: list[str]) -> Iterator[kit.Move]:
    """Carry out and yield our attacks, each the one that gains most, while there is any."""
    spent = list(spent)
    while any(own) and any(foe):
        line, front = foremost(own), foremost(foe)
        ready = [card for card in line if card not in spent]
        prize, attackers, target = best_attack(ready, line, front, sum(map(len, foe)) == 1)
        if prize <= 0:
            return
        strike(line, front, attackers, target)
        spent += attackers
        yield {"attackers": attackers, "target": target}


def foremost(army: Army) -> Zone:
    """Return the first zone, from the front, that is not empty."""
    return army[0] or army[1] or army[2]


def value(card: str, zone: Zone) -> int:
    """Return the value of `card`, doubled beside its Banner."""
    doubled = "1" + card[-1] in zone and KIND[card] not in (1, 11)
    return VALUE[card] * 2 if doubled else VALUE[card]


def best_attack(
    ready: list[str], line: Zone, front: Zone, last: bool
) -> tuple[float, list[str], str | None]:
    """Return the attack that gains most, with its gain: by one card, by two, or by all unhurt."""
    best: tuple[float, list[str], str | None] = (0.0, [], None)
    for knight in ready:
        if KIND[knight] == 11 and knight not in front:
            swept = sum([PRICE[card] for card in front if card[-1] == knight[-1]])
            best = max(best, (swept, [knight], None), key=lambda attack: attack[0])
    force = {card: value(card, line) for card in ready if KIND[card] not in (1, 10, 11)}
    unhurt = [card for card in force if "12" + card[-1] in line]
    for target, wounds in front.items():
        if PRICE[target] + VICTORY * last <= best[0]:
            continue
        life = value(target, front) - wounds
        weak = [card for card in force if force[card] < life]
        groups = [[card] for card in force if force[card] >= life]
        groups += [[a, b] for a, b in combinations(weak, 2) if force[a] + force[b] >= life]
        if len(unhurt) > 2 and sum([force[card] for card in unhurt]) >= life:
            groups.append(unhurt)
        for group in groups:
            prize = PRICE[target] + VICTORY * last - toll(group, force, unhurt, life + wounds)
            if KIND[target] == 12:
                prize -= sum([PRICE[card] for card in group if KIND[card] == 12])
            if prize > best[0]:
                best = (prize, group, target)
    return best


def toll(group: list[str], force: Zone, unhurt: list[str], reply: int) -> float:
    """Return what an attack costs its group, when the target deals `reply`."""
    hurt = [card for card in group if card not in unhurt]
    if not hurt:
        return 0.0
    strongest = max(hurt, key=force.__getitem__)
    wounds = max(0, reply - sum([force[card] for card in group]) + force[strongest])
    dead = [card for card in hurt if card != strongest or wounds >= force[card]]
    return sum([PRICE[card] for card in dead])


def strike(line: Zone, front: Zone, attackers: list[str], target: str | None) -> None:
    """Carry out an attack, as the rules' Effects have it."""
    if target is None:
        for card in [card for card in front if card[-1] == attackers[0][-1]]:
            del front[card]
        return
    force = {card: value(card, line) for card in attackers}
    hurt = [card for card in attackers if "12" + card[-1] not in line]
    dead = [card for card in attackers if KIND[card] == 12 == KIND[target]]
    front[target] += sum(force.values()) + (99 if dead else 0)
    if hurt:
        strongest = max(hurt, key=force.__getitem__)
        others = sum(force.values()) - force[strongest]
        line[strongest] += max(0, value(target, front) - others)
        dead += [card for card in hurt if card != strongest]
    for card in dead:
        del line[card]
    settle(line)
    settle(front)


def settle(zone: Zone) -> None:
    """Remove the dead, again after each Banner that falls."""
    while dead := [c for c, wounds in zone.items() if wounds and wounds >= value(c, zone)]:
        for card in dead:
            del zone[card]


if __name__ == "__main__":
    kit.run(choose, samples=0)
