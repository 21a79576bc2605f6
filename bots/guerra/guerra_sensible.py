"""Plans whole assaults, and minds the enemy's answer."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import kit

ZONES = ("vanguard", "centre", "rearguard")
DECK = [f"{number}{suit}" for suit in "OCEB" for number in (1, 2, 3, 4, 5, 6, 7, 10, 11, 12)]
KIND = {card: int(card[:-1]) for card in DECK}
VALUE = {card: {10: 1, 11: 2, 12: 1}.get(KIND[card], KIND[card]) for card in DECK}
PRICE = {card: {1: 7.0, 10: 5.0, 11: 7.0, 12: 6.0}.get(KIND[card], KIND[card]) for card in DECK}
"""What a card is worth to us; a Soldier is worth its number."""
BREAKTHROUGH = 100.0
BANNER = {card: "1" + card[-1] if KIND[card] not in (1, 11) else "" for card in DECK}

Zone = dict[str, int]
"""The cards that stand in a zone, each with its wounds."""
Army = dict[str, Zone]


def choose(ask: kit.Ask) -> kit.Move:
    """Answer each of the four decisions."""
    if ask.decision == "deploy":
        return deploy(ask)
    if ask.decision == "orders":
        return orders(ask)
    if ask.decision == "attack":
        first = assault(*armies(ask), ask.view["attacked"])[1]
        return first or {"attackers": [], "target": None}
    return {"cards": [min(ask.view["hand"], key=lambda card: PRICE[card])]}


def deploy(ask: kit.Ask) -> kit.Move:
    """Put the weak, Banners among them, into the Rearguard and the strong before them."""
    hand = sorted(ask.view["hand"], key=lambda card: (VALUE[card], card))
    return {
        zone: [hand.pop(0 if zone == "rearguard" else -1) for _ in range(count)]
        for zone, count in ask.limits.items()
    }


def orders(ask: kit.Ask) -> kit.Move:
    """Attack or bring in a card, whichever is worth more after the enemy's own assault."""
    own, foe = armies(ask)
    most = assault(own, foe, [])[0] - 0.8 * danger(own, foe)
    move: kit.Move = {"action": "attack"}
    for card in ask.view["hand"]:
        for zone in ZONES:
            own, foe = armies(ask)
            own[zone][card] = 0
            worth = 0.6 * service(card, zone, own[zone]) - 0.8 * danger(own, foe)
            if worth > most:
                most = worth
                move = {"action": "incorporate", "card": card, "zone": zone}
    return move


def armies(ask: kit.Ask) -> tuple[Army, Army]:
    """Return copies of our army and the enemy's, to try things on."""
    own, foe = (ask.view["zones"][seat] for seat in (ask.seat, 1 - ask.seat))
    return {z: dict(own[z]) for z in ZONES}, {z: dict(foe[z]) for z in ZONES}


def service(card: str, zone: str, cards: Zone) -> float:
    """Return what `card` does for us in `zone`, among `cards`."""
    mates = sum(VALUE[mate] for mate in cards if mate[-1] == card[-1] and mate != card)
    if KIND[card] == 1:
        return PRICE[card] + 2.0 * mates
    if KIND[card] == 12:
        return 4.0 + mates
    if KIND[card] in (10, 11):
        return 5.0 if zone == "centre" else 4.0
    return value(card, cards) + (1.5 if zone == "vanguard" else 0.0)


def value(card: str, zone: Zone) -> int:
    """Return the value of `card`, doubled beside its Banner."""
    return VALUE[card] * 2 if BANNER[card] in zone else VALUE[card]


def danger(own: Army, foe: Army) -> float:
    """Return what the enemy, its wounds healed, gains by its best assault."""
    return assault({zone: dict.fromkeys(foe[zone], 0) for zone in foe}, own, [])[0]


def assault(own: Army, foe: Army, spent: list[str]) -> tuple[float, kit.Move | None]:
    """Carry out our best attacks one after another; return their gain and the first of them."""
    total, first = 0.0, None
    while any(own.values()) and any(foe.values()):
        line, enemy = foremost(own), foremost(foe)
        ready = [card for card in line if card not in spent]
        attack = best_attack(ready, line, enemy, standing=sum(map(len, foe.values())))
        if attack is None:
            break
        attack.carry_out(line, enemy)
        total += attack.gain
        first = first or {"attackers": attack.attackers, "target": attack.target}
        spent = spent + attack.attackers
    return total, first


def foremost(army: Army) -> Zone:
    """Return the first zone, from the front, that is not empty."""
    return army["vanguard"] or army["centre"] or army["rearguard"]


def best_attack(ready: list[str], line: Zone, enemy: Zone, standing: int) -> Attack | None:
    """Return the attack that gains most, if any gains; a breakthrough is beyond all others."""
    best = Attack([], None, [])
    force = fighters(ready, line)
    for target in (None, *targets(enemy)):
        if target and best.gain >= PRICE[target] + BREAKTHROUGH * (standing == 1):
            continue
        for attack in clashes(force, target, line, enemy) if target else sweeps(ready, enemy):
            if len(attack.killed) == standing:
                attack.gain += BREAKTHROUGH
            if attack.gain > best.gain:
                best = attack
    return best if best.gain > 0 else None


class Attack:
    """An attack, and what becomes of those who take part."""

    __slots__ = ("attackers", "gain", "killed", "lost", "target", "wounded")

    def __init__(self, attackers: list[str], target: str | None, killed: list[str]) -> None:
        self.attackers = attackers
        self.target = target
        self.killed = killed
        self.lost: list[str] = []
        self.wounded: Zone = {}
        self.gain = sum(PRICE[card] for card in killed)

    def carry_out(self, line: Zone, enemy: Zone) -> None:
        """Mark the wounded and remove the dead."""
        line.update(self.wounded)
        for card in self.lost:
            del line[card]
        for card in self.killed:
            del enemy[card]


def sweeps(ready: list[str], enemy: Zone) -> list[Attack]:
    """Return what our Knights can sweep away."""
    knights = [card for card in ready if KIND[card] == 11 and card not in enemy]
    swept = [(knight, [card for card in enemy if card[-1] == knight[-1]]) for knight in knights]
    return [Attack([knight], None, cards) for knight, cards in swept if cards]


def fighters(ready: list[str], line: Zone) -> Zone:
    """Return who may fight, with their force: two of each kind, as more would do what these do."""
    found: Zone = {}
    kinds = Counter[tuple[int, int, bool]]()
    for card in ready:
        if KIND[card] not in (1, 10, 11):
            kind = (KIND[card], value(card, line), "12" + card[-1] in line)
            kinds[kind] += 1
            if kinds[kind] <= 2:
                found[card] = kind[1]
    return found


def targets(enemy: Zone) -> list[str]:
    """Return the first target of each kind."""
    found: dict[tuple[int, int, int], str] = {}
    for card, wounds in enemy.items():
        found.setdefault((KIND[card], value(card, enemy), wounds), card)
    return list(found.values())


def clashes(force: Zone, target: str, line: Zone, enemy: Zone) -> list[Attack]:
    """Return the attacks that kill `target`: by one card, or by two where neither is enough."""
    life = value(target, enemy) - enemy[target]
    weak = [card for card in force if force[card] < life]
    groups = [[card] for card in force if force[card] >= life]
    groups += [[a, b] for a, b in combinations(weak, 2) if force[a] + force[b] >= life]
    return [clash(group, force, target, line, enemy) for group in groups]


def clash(group: list[str], force: Zone, target: str, line: Zone, enemy: Zone) -> Attack:
    """Return the attack of `group` that kills `target`, as the rules' Effects have it."""
    attack = Attack(group, target, [target])
    hurt = [card for card in group if "12" + card[-1] not in line]
    if hurt:
        strongest = max(hurt, key=lambda card: force[card])
        others = sum(force[card] for card in group if card != strongest)
        attack.wounded[strongest] = wounds = max(0, value(target, enemy) - others)
        attack.lost = [card for card in hurt if card != strongest or wounds >= force[card]]
    if KIND[target] == 12:
        attack.lost += [card for card in group if KIND[card] == 12]
    attack.gain -= sum(PRICE[card] for card in attack.lost)
    return attack


if __name__ == "__main__":
    kit.run(choose, samples=0)
