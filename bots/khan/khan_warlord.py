"""Imagines the others' hands, fights every raid in its head, and goes for its best prospects."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import chain
from math import exp, fsum, inf, log
from typing import NamedTuple

import kit

BEATS = {"E": "B", "B": "O", "O": "E"}
NEXT = {f"{suit}{rank}": f"{suit}{rank + 1}" for suit in "EBO" for rank in range(2, 10)}
"""The number cards, each with the one above it."""
LEADERS = {"C10": 0.7, "C11": 1.1, "C12": 1.6}
ACES = {"E1": 0.8, "O1": 1.0, "C1": 1.0, "B1": 1.2}
"""What leaders and specials are worth in the hand, in neighbours of a suit (see `worth`)."""
WORLDS = 36
"""How often all that is hidden is imagined; a multiple of the nine kinds of tokens."""
TEMPO, CARD, LAST = 2.85, 0.25, 0.12
"""What counts in the odds of ending ahead of another seat: the logarithm of the turns to go, a
card, and each place further back in the order of turns. Fitted to the ends of many games."""
LEVER, LEVER_CARD, LEVER_LOOT = 0.8, 0.15, 0.1
"""What it counts to be able to beat another: less for its every card, more for its tokens."""


class Rival(NamedTuple):
    """What another seat may have."""

    hand: list[str]
    road: float
    """Its way to twenty points, and the same without the tokens in front."""
    robbed: float
    front: int


class World(NamedTuple):
    """One way in which all that is hidden may be, our own next draw included."""

    rivals: dict[int, Rival]
    card: list[str]
    token: str


def choose(ask: kit.Ask) -> kit.Move:
    """Answer each of the eight decisions."""
    remember(ask)
    if ask.decision == "turn":
        return turn(ask)
    if ask.decision == "discard":
        return discard(ask)
    if ask.decision == "place_front":  # our best stays unknown
        hand = ask.view["hand"]
        return max(
            ask.legal, key=lambda move: worth(without(hand, move["cards"])) - worth(move["cards"])
        )
    if ask.decision == "retreat":
        return {"use": True}
    return fight(ask)


# --- what is hidden --------------------------------------------------------------------------


def remember(ask: kit.Ask) -> None:
    """Count what each seat has discarded since it last lost its cards: it has kept the best."""
    for past in ask.view["recent"]:
        if past["turn"] <= ask.memory.get("turn", 0):
            continue
        ask.memory["turn"] = past["turn"]
        if past["action"] == "attack":
            loser = "seat" if past["winner"] == past["target"] else "target"
            ask.memory[f"discards {past[loser]}"] = 0
        elif past["discard"]:
            ask.memory[f"discards {past['seat']}"] = 1 + discards(ask, past["seat"])


def discards(ask: kit.Ask, seat: int) -> int:
    """Return what has been counted."""
    return int(ask.memory.get(f"discards {seat}", 0))


def imagine(ask: kit.Ask) -> list[World]:
    """Return worlds that agree with all we see."""
    kinds, rivals = ask.table["kinds"], [seat for seat in range(ask.seats) if seat != ask.seat]
    pool = unseen(ask)
    return [
        World(
            {seat: rival(ask, seat, pool) for seat in rivals},
            ask.rng.sample(pool, min(1, len(pool))),
            kinds[number % len(kinds)],
        )
        for number in range(WORLDS)
    ]


def unseen(ask: kit.Ask) -> list[str]:
    """Return the cards that lie in the deck or hidden in another's hand."""
    view = ask.view
    cards = Counter(ask.table["cards"] * ask.table["copies"])
    seen = [view["hand"], view["discards"], *view["face_up"]]
    seen += [known for seat, known in enumerate(view["seen_in_hand"]) if seat != ask.seat]
    for fought in view["combat"]["rounds"] if view["combat"] else ():
        seen += fought["standing"]
    cards.subtract(chain.from_iterable(seen))
    return list(cards.elements())


def rival(ask: kit.Ask, seat: int, pool: list[str]) -> Rival:
    """Return what a seat may have; the more it has discarded, the better is its hand."""
    view, rng = ask.view, ask.rng
    known = view["face_up"][seat] + view["seen_in_hand"][seat]
    hidden = view["hand_size"][seat] - len(view["seen_in_hand"][seat])
    tries = 1 + int(min(4.0, discards(ask, seat) / 2) + rng.random()) if hidden else 1
    hands = [known + rng.sample(pool, hidden) for _ in range(tries)]
    hand = max(hands, key=worth) if tries > 1 else hands[0]
    behind = Counter(view["seen_behind"][seat])
    behind.update(rng.choices(ask.table["kinds"], k=view["behind_size"][seat] - behind.total()))
    front = Counter(view["front"][seat])
    way, robbed = (max(0.5, road(tokens, view)) for tokens in (behind + front, behind))
    return Rival(hand, way, robbed, front.total())


def worth(cards: list[str]) -> float:
    """Return a quick idea of a hand: its best leader, its specials, neighbours in a suit."""
    held = set(cards)
    total = max([LEADERS.get(card, 0.0) for card in held], default=0.0)
    total += fsum([ACES.get(card, 0.0) for card in held])
    for card in held & NEXT.keys():
        second = NEXT[card]
        total += 1.5 * (second in held) + 0.4 * (NEXT.get(second) in held)
    return total


def road(tokens: Counter[str], view: kit.Move) -> float:
    """Return the logarithm of the draws to twenty points and one more; the tokens' kinds count."""
    points, rate = 0, 9 + len(view["scarce"])
    for kind, count in tokens.items():
        value = 2 if kind in view["scarce"] else 1
        points += min(3, count) * value
        rate -= value if count >= 3 else 0
    return log((20 - points) * 9 / rate + 1) if points < 20 else -inf


# --- draw, attack, discard -------------------------------------------------------------------


def turn(ask: kit.Ask) -> kit.Move:
    """Draw, or attack whom it pays most to attack."""
    view, me = ask.view, ask.seat
    cards = view["hand"] + view["face_up"][me]
    front = Counter(view["front"][me])
    own, size = front + Counter(view["behind"]), front.total()
    worlds = imagine(ask)
    drawn = {kind: road(own + Counter([kind]), view) for kind in ask.table["kinds"]}
    size_drawn = min(4, size + 1)
    most = mean(prospects(ask, w, drawn[w.token], cards + w.card, size_drawn) for w in worlds)
    move: kit.Move = {"action": "draw"}
    for target in worlds[0].rivals:
        foes = [world.rivals[target].hand for world in worlds]
        plans = ([opens(cards, shown, foe) for foe in foes] for shown in ladders(cards))
        won = max(plans, key=sum)
        if not any(won):
            continue
        now, then = road(own, view), road(own + Counter(view["front"][target]), view)
        promise = mean(
            prospects(ask, world, then, cards, size, target)
            if victory
            else prospects(ask, world, now, beaten(cards), size)
            for world, victory in zip(worlds, won, strict=True)
        )
        if promise > most:
            most, move = promise, {"action": "attack", "target": target}
    return move


def prospects(
    ask: kit.Ask, world: World, road: float, cards: list[str], front: int, victim: int | None = None
) -> float:
    """Return the part of the others that we may expect to end ahead of.

    `road`, `cards` and `front` are ours after this turn; `victim` is whom we have beaten in it.
    """
    own, others = CARD * min(6, len(cards)) - TEMPO * road, {}
    for seat, other in world.rivals.items():
        hand, way, loot = other.hand, other.road, other.front
        if seat == victim:
            hand, way, loot = beaten(hand), other.robbed, 0
        others[seat] = CARD * len(hand) - TEMPO * way
        lever = 0.0
        if wins(cards, hand):
            lever += max(0.0, LEVER - LEVER_CARD * len(hand) + LEVER_LOOT * loot)
        if wins(hand, cards):
            lever -= max(0.0, LEVER - LEVER_CARD * len(cards) + LEVER_LOOT * front)
        own += lever / len(world.rivals)
        others[seat] -= lever / len(world.rivals)
    waits = {seat: LAST * ((ask.seat - seat) % ask.seats) for seat in others}
    return mean(1 / (1 + exp(other - own + waits[seat])) for seat, other in others.items())


def beaten(cards: list[str]) -> list[str]:
    """Return what a loser is left with."""
    return without(cards, ["E1"]) if "E1" in cards else []


def discard(ask: kit.Ask) -> kit.Move:
    """Keep the cards that beat most of what the others may have, and withstand most of it."""
    foes = [other.hand for world in imagine(ask)[::2] for other in world.rivals.values()]
    cards = ask.view["hand"] + ask.view["face_up"][ask.seat]

    def merit(card: str) -> float:
        kept = without(cards, [card])
        return worth(kept) + 10 * mean(wins(kept, foe) - wins(foe, kept) for foe in foes)

    merits = {card: merit(card) for card in sorted(set(cards))}
    return max(ask.legal, key=lambda move: merits[move["discard"]])


# --- a combat in the head: both sides know all cards, and play their best -------------------------
# `may` and `they_may` are whether the attacker and the defender can still declare a special.


def wins(ours: list[str], theirs: list[str]) -> bool:
    """Return whether the attacker's cards beat the defender's."""
    return len(ours) > 1 and any(opens(ours, shown, theirs) for shown in ladders(ours))


def opens(ours: list[str], shown: list[str], theirs: list[str]) -> bool:
    """Return whether the attacker wins by this vanguard, whatever it is met with."""
    rest, may = without(ours, shown), "B1" not in shown
    for met in ladders(theirs):
        left, suits, they_may = without(theirs, met), (army(shown), army(met)), "B1" not in met
        if may and met and "O1" in rest and blasts(rest, left, (suits[0], ""), False, they_may):
            continue
        if not blasts(rest, left, suits, may, they_may):
            return False
    return True


def blasts(
    ours: list[str], theirs: list[str], suits: tuple[str, str], may: bool, they_may: bool
) -> bool:
    """Return whether the attacker wins, the defender being offered its gunpowder."""
    if not later(ours, theirs, may, they_may, 2 - beats(*suits)):
        return False
    if not (suits[0] and they_may and "O1" in theirs) or later(ours, theirs, may, False, 2):
        return True
    return may and bool(suits[1]) and "O1" in ours and later(ours, theirs, False, False, 2)


def later(ours: list[str], theirs: list[str], may: bool, they_may: bool, need: int) -> bool:
    """Return whether the attacker wins `need` of the last two rounds."""
    return need <= 0 or any(
        follows(ours, shown, theirs, may, they_may, need) for shown in rears(ours, may)
    )


def follows(
    ours: list[str],
    shown: tuple[str, bool],
    theirs: list[str],
    may: bool,
    they_may: bool,
    need: int,
) -> bool:
    """Return whether the attacker wins `need` more rounds by this rear, whatever it meets."""
    suit, champion = shown
    for met, used in rears(theirs, they_may):
        left = need - beats(suit, met)
        if left > 1:
            return False
        if left == 1 and not leads(ours, theirs, may and not champion, they_may and not used):
            return False
    return True


def leads(ours: list[str], theirs: list[str], may: bool, they_may: bool) -> bool:
    """Return whether the attacker wins the last round; a poison removes the best leader."""
    own = sorted([card for card in ours if card in LEADERS], reverse=True)
    foe = sorted([card for card in theirs if card in LEADERS], reverse=True)
    if they_may and "C1" in theirs:
        del own[:1]
    if may and "C1" in ours:
        del foe[:1]
    return bool(own) and (not foe or own[0] > foe[0])


def ladders(cards: list[str]) -> list[list[str]]:
    """Return the vanguards among `cards`, and the choice to show nothing."""
    found: list[list[str]] = [[]]
    held = NEXT.keys() & set(cards)
    for low in sorted(held):
        second = NEXT[low]
        third = NEXT.get(second, "")
        if second in held and third in held:
            found.append([low, second, third])
        if "B1" in cards:
            found += [["B1", low, other] for other in (second, third) if other in held]
    return found


def rears(cards: list[str], may: bool) -> set[tuple[str, bool]]:
    """Return the armies that can stand in the rear, "" for none, and if the champion is in it."""
    numbers = [card for card in cards if card in NEXT]
    found = {(card[0], False) for card in numbers if NEXT[card] in cards}
    if may and "B1" in cards:
        found |= {(card[0], True) for card in numbers}
    return found | {("", False)}


def army(ladder: list[str]) -> str:
    """Return the suit that a ladder fights as, "" for none."""
    return next((card[0] for card in ladder if card != "B1"), "")


def beats(suit: str, other: str) -> bool:
    """Return whether an attacking suit wins its round."""
    return bool(suit) and (not other or BEATS[suit] == other)


def without(cards: list[str], gone: list[str]) -> list[str]:
    """Return the cards that are left."""
    rest = cards.copy()
    for card in gone:
        rest.remove(card)
    return rest


def mean(values: Iterable[float]) -> float:
    """Return the mean."""
    listed = list(values)
    return fsum(listed) / len(listed)


# --- a combat on the table -------------------------------------------------------------------


def fight(ask: kit.Ask) -> kit.Move:
    """Show or use what wins a round that still matters."""
    combat, nothing = ask.view["combat"], ask.legal[0]
    side = 0 if combat["seat"] == ask.seat else 1
    *past, now = combat["rounds"]
    won = [fought["winner"] == ask.seat for fought in past]
    if len(won) == 2 and won[0] == won[1]:
        return nothing  # it is decided: what we keep back stays unknown
    own, enemy = now["standing"][side], now["standing"][1 - side]
    if ask.decision == "reveal" and side == 0:
        return strike(ask, len(won), 2 - sum(won))
    if ask.decision == "reveal":
        able = [move for move in ask.legal if prevails(move["cards"], enemy, side)]
        hand = ask.view["hand"]
        return max(able, key=lambda move: worth(without(hand, move["cards"])), default=nothing)
    if ask.decision == "replace_leader":
        heirs = (move for move in ask.legal if move["card"])
        return next((heir for heir in heirs if prevails([heir["card"]], enemy, side)), nothing)
    turns_it = (side == 1 or own) and not prevails(own, enemy, side)
    return ask.legal[-1] if turns_it else nothing


def prevails(own: list[str], enemy: list[str], side: int) -> bool:
    """Return whether our formation wins the round for the attacker, side 0, or the defender."""
    attack, defence = (own, enemy) if side == 0 else (enemy, own)
    if attack and attack[0] in LEADERS:
        won = not defence or attack[0] > defence[0]
    else:
        won = beats(army(attack), army(defence))
    return won == (side == 0)


def strike(ask: kit.Ask, stage: int, need: int) -> kit.Move:
    """Show what wins against most of the hands that the defender may have."""
    if stage == 2:
        return ask.legal[-1]
    hand, combat = ask.view["hand"], ask.view["combat"]
    foes = [world.rivals[combat["target"]].hand for world in imagine(ask)]
    may, they_may = (special is None for special in combat["declared"])

    def promise(move: kit.Move) -> tuple[float, float]:
        shown = move["cards"]
        if stage == 0:
            won = mean(opens(hand, shown, foe) for foe in foes)
        else:
            rear = (army(shown), "B1" in shown)
            won = mean(follows(hand, rear, foe, may, they_may, need) for foe in foes)
        return won, worth(without(hand, shown))

    return max(ask.legal, key=promise)


if __name__ == "__main__":
    kit.run(choose, samples=0)
