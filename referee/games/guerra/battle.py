"""Guerra's cards and armies, and what attacks and volleys do to them."""

from collections.abc import Collection, Iterable, Sequence
from typing import NotRequired, TypedDict

Zone = dict[str, int]
"""The cards that stand in a zone, each with its wounds."""

SUITS = "OCEB"
NUMBERS = (1, 2, 3, 4, 5, 6, 7, 10, 11, 12)
DECK = tuple(f"{number}{suit}" for suit in SUITS for number in NUMBERS)

BANNERS = frozenset(f"1{suit}" for suit in SUITS)
ARCHERS = frozenset(f"10{suit}" for suit in SUITS)
KNIGHTS = frozenset(f"11{suit}" for suit in SUITS)
CAPTAINS = frozenset(f"12{suit}" for suit in SUITS)
FIGHTERS = frozenset(DECK) - BANNERS - ARCHERS - KNIGHTS
"""Soldiers and Captains: those that attack one card, alone or in a group."""

SUIT = {card: card[-1] for card in DECK}
VALUE = {card: {10: 1, 11: 2, 12: 1}.get(int(card[:-1]), int(card[:-1])) for card in DECK}
TROOPS = {card: {1: 4, 10: 1, 11: 2, 12: 3}.get(int(card[:-1]), int(card[:-1])) for card in DECK}
"""What each card counts in the conclusion."""
BANNER = {card: "" if card in BANNERS | KNIGHTS else f"1{SUIT[card]}" for card in DECK}
"""The Banner that doubles each card; empty for those that none doubles."""
CAPTAIN = {card: f"12{SUIT[card]}" for card in DECK}
"""The card beside which an attacker goes unhurt; a Captain's is itself."""

ZONES = ("vanguard", "centre", "rearguard")
"""From front to back."""
BOWSHOT = ("vanguard", "centre")
"""The zones that Archers shoot from, and those that they reach."""
STEPS = {"vanguard": ("centre",), "centre": ("vanguard", "rearguard"), "rearguard": ("centre",)}
"""The zones a card may step to."""


class Attacks(TypedDict):
    """What the legal attacks of one moment are made of."""

    attackers: list[str]
    """Soldiers and Captains that may join a group."""
    targets: list[str]
    """The cards a group may attack."""
    sweeps: list[str]
    """Knights that may sweep."""
    duels: list[list[str]]
    """Each Knight that may duel, with the Knight it may name."""
    archers: NotRequired[list[str]]
    """With `archers` aimed, those that may shoot."""
    in_range: NotRequired[list[str]]
    """With `archers` aimed, the cards that an Archer may shoot at."""


NO_ATTACKS = Attacks(attackers=[], targets=[], sweeps=[], duels=[])


class Army:
    """One seat's cards: three zones, the hand, the pack (its top is last) and the cemetery."""

    __slots__ = ("cemetery", "hand", "pack", "zones")

    def __init__(self, deck: Sequence[str], hand_size: int) -> None:
        self.pack = list(deck)
        self.hand = [self.pack.pop() for _ in range(hand_size)]
        self.zones: dict[str, Zone] = {zone: {} for zone in ZONES}
        self.cemetery: list[str] = []

    def foremost(self) -> str:
        """Return the first zone, from the front, that is not empty."""
        for name, zone in self.zones.items():
            if zone:
                return name
        return "rearguard"

    def front(self) -> Zone:
        """Return the cards of the foremost zone."""
        return self.zones[self.foremost()]

    def zone_of(self, card: str) -> str:
        """Return the zone `card` stands in; empty if it is not on the table."""
        for name, zone in self.zones.items():
            if card in zone:
                return name
        return ""

    def is_routed(self) -> bool:
        """Return whether no card is left on the table."""
        return not any(self.zones.values())

    def troops(self) -> int:
        """Return the count of the conclusion; wounds and Banners do not matter."""
        return sum(TROOPS[card] for zone in self.zones.values() for card in zone)

    def heal(self) -> None:
        """Remove all wounds."""
        for zone in self.zones.values():
            zone.update(dict.fromkeys(zone, 0))

    def draw(self) -> None:
        """Take the top card of the pack, if there is one."""
        if self.pack:
            self.hand.append(self.pack.pop())

    def place(self, card: str, zone: str) -> None:
        """Put a card of the hand on the table."""
        self.hand.remove(card)
        self.zones[zone][card] = 0

    def step(self, card: str, to: str) -> None:
        """Move a card of the table to another zone."""
        self.zones[to][card] = self.zones[self.zone_of(card)].pop(card)

    def transfer(self, card: str, to: str, swap_with: str | None) -> None:
        """Move `card`, and the card that takes its place if there is one."""
        left = self.zone_of(card)
        self.step(card, to)
        if swap_with is not None:
            self.step(swap_with, left)

    def bury(self, zone: Zone, dead: Iterable[str]) -> None:
        """Move `dead` from `zone` to the cemetery."""
        for card in dead:
            del zone[card]
            self.cemetery.append(card)

    def settle(self, zone: Zone) -> None:
        """Bury every card whose wounds reach its value, again after each Banner that falls."""
        while dead := [c for c, wounds in zone.items() if wounds and wounds >= value(c, zone)]:
            self.bury(zone, dead)


def value(card: str, zone: Zone) -> int:
    """Return the value of `card`, which stands in `zone`: doubled beside its Banner."""
    return VALUE[card] * 2 if BANNER[card] in zone else VALUE[card]


def possible_attacks(own: Army, enemy: Army, spent: Collection[str], any_suit: bool) -> Attacks:
    """Return the attacks open to cards of `own`'s foremost zone, those in `spent` apart."""
    front = enemy.front()
    ready = [card for card in own.front() if card not in spent]
    attackers = [card for card in ready if card in FIGHTERS]
    attacks = Attacks(attackers=attackers, targets=list(front), sweeps=[], duels=[])
    for card in ready:
        if card in KNIGHTS:
            _add_knight(attacks, card, front, any_suit)
    return attacks


def with_shots(attacks: Attacks, own: Army, enemy: Army, spent: Collection[str]) -> Attacks:
    """Return the attacks with the aimed shots that are open to Archers not in `spent`."""
    in_range = [card for zone in BOWSHOT for card in enemy.zones[zone]]
    archers = [
        card
        for zone in BOWSHOT
        for card in own.zones[zone]
        if in_range and card in ARCHERS and card not in spent
    ]
    return {**attacks, "archers": archers, "in_range": in_range}


def _add_knight(attacks: Attacks, knight: str, front: Zone, any_suit: bool) -> None:
    attacks["duels"] += [
        [knight, other] for other in front if other == knight or (any_suit and other in KNIGHTS)
    ]
    if knight not in front and any(SUIT[card] == SUIT[knight] for card in front):
        attacks["sweeps"].append(knight)


def attack(
    own: Army,
    enemy: Army,
    attackers: Sequence[str],
    target: str | None,
    *,
    small_die: bool = False,
) -> None:
    """Carry out one attack: a group's, a sweep or a duel of foremost zones, or an aimed shot.

    `small_die` is the value of the option `joint_attack`.
    """
    line, front = own.front(), enemy.front()
    if attackers[0] in ARCHERS:
        assert target is not None
        _aim(own, enemy, attackers[0], target)
    elif target is None:
        suit = SUIT[attackers[0]]
        enemy.bury(front, [card for card in front if SUIT[card] == suit])
    elif attackers[0] in KNIGHTS:
        own.bury(line, attackers)
        enemy.bury(front, [target])
    else:
        _strike(own, enemy, attackers, target, small_die)
    own.settle(line)
    enemy.settle(front)


def _strike(own: Army, enemy: Army, attackers: Sequence[str], target: str, small_die: bool) -> None:
    line, front = own.front(), enemy.front()
    strength = {card: value(card, line) for card in attackers}
    total = sum(strength.values())
    dead = []
    hurt = [card for card in attackers if CAPTAIN[card] not in line]
    if small_die:
        for card in hurt:
            line[card] += value(target, front)
    elif hurt:
        strongest = max(hurt, key=strength.__getitem__)  # the one named first among equals
        line[strongest] += max(0, value(target, front) - (total - strength[strongest]))
        dead = [card for card in hurt if card != strongest]
    front[target] += total
    captains = [card for card in attackers if card in CAPTAINS]
    if captains and target in CAPTAINS:
        dead += captains
        enemy.bury(front, [target])
    own.bury(line, dead)


def _aim(own: Army, enemy: Army, archer: str, target: str) -> None:
    zone, other = own.zones[own.zone_of(archer)], enemy.zones[enemy.zone_of(target)]
    if target in ARCHERS:
        own.bury(zone, [archer])
        enemy.bury(other, [target])
    else:
        other[target] += value(archer, zone)
        enemy.settle(other)


def volley(own: Army, enemy: Army) -> None:
    """Let the Archers in `own`'s two front zones shoot at `enemy`'s two front zones."""
    suffering = [enemy.zones[name] for name in BOWSHOT]
    for zone in [own.zones[name] for name in BOWSHOT]:
        for archer in [card for card in zone if card in ARCHERS]:
            _shoot(own, zone, archer, enemy, suffering)
    for other in suffering:
        enemy.settle(other)


def _shoot(own: Army, zone: Zone, archer: str, enemy: Army, suffering: Sequence[Zone]) -> None:
    for other in suffering:
        if archer in other:  # its twin: the shot becomes their duel
            own.bury(zone, [archer])
            enemy.bury(other, [archer])
            return
    wounds, suit = value(archer, zone), SUIT[archer]
    for other in suffering:
        for card in other:
            if SUIT[card] == suit:
                other[card] += wounds
