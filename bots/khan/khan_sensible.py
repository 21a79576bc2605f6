"""Keeps what makes ladders, and raids when loot and odds are worth its cards."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from math import fsum

import kit

BEATS = {"E": "B", "B": "O", "O": "E"}
LEADERS = ("C10", "C11", "C12")
ACES = {"E1": 0.8, "B1": 1.2, "O1": 1.0, "C1": 1.0}
"""What the specials are worth in the hand."""
SAMPLES = 24
"""How many hands a target is imagined with."""
CARD = 0.3
"""What a card drawn is worth, in points."""

Plan = tuple[list[str], list[str], list[str]]
"""A vanguard, a rear and a leader, each perhaps empty, of different cards."""


def choose(ask: kit.Ask) -> kit.Move:
    """Answer each of the eight decisions."""
    view = ask.view
    if ask.decision == "turn":
        return turn(ask)
    if ask.decision == "discard":
        return max(ask.legal, key=lambda move: worth(kept(view, move["discard"])))
    if ask.decision == "place_front":
        vital = Counter(card for part in best_plan(view["hand"]) for card in part)
        return min(ask.legal, key=lambda move: secrecy(move["cards"], vital))
    if ask.decision == "retreat":
        return {"use": True}
    return fight(ask)


def kept(view: kit.Move, gone: str) -> list[str]:
    """Return all our cards but one."""
    cards: list[str] = view["hand"] + view["face_up"][view["seat"]]
    cards.remove(gone)
    return cards


def secrecy(cards: list[str], vital: Counter[str]) -> float:
    """Return how much it gives away to turn `cards` face up."""
    return fsum((2.0 if card in vital else 0.0) + ACES.get(card, 0.0) for card in cards)


# --- what stands together --------------------------------------------------------------------


def ladders(cards: list[str], size: int) -> list[list[str]]:
    """Return the ladders of `size` among `cards`, those without the champion first."""
    held = set(cards) - set(ACES)
    runs, helped = [], []
    for card in sorted(held - set(LEADERS)):
        run = [f"{card[0]}{int(card[1:]) + step}" for step in range(size)]
        there = [each for each in run if each in held]
        if len(there) == size:
            runs.append(run)
        elif len(there) == size - 1 and "B1" in cards:
            helped.append(["B1", *there])
    if "B1" in cards and size == 2:
        helped += [["B1", card] for card in held - set(LEADERS)]
    return runs + helped


def best_plan(cards: list[str]) -> Plan:
    """Return the plan that is worth most."""
    lead = (
        [max(leaders, key=LEADERS.index)] if (leaders := [c for c in cards if c in LEADERS]) else []
    )
    plans: list[Plan] = [([], [], lead)]
    plans += [([], rear, lead) for rear in ladders(cards, 2)]
    for vanguard in ladders(cards, 3):
        rest = cards.copy()
        for card in vanguard:
            rest.remove(card)
        if "B1" in vanguard:
            rest = [card for card in rest if card != "B1"]
        plans.append((vanguard, [], lead))
        plans += [(vanguard, rear, lead) for rear in ladders(rest, 2)]
    return max(plans, key=value)


def value(plan: Plan) -> float:
    """Return what a plan is worth."""
    vanguard, rear, leader = plan
    lead = {"C12": 1.6, "C11": 1.1, "C10": 0.7}[leader[0]] if leader else 0.0
    champion = 0.6 if "B1" in vanguard + rear else 0.0
    return 3.0 * bool(vanguard) + 2.0 * bool(rear) + lead - champion


def worth(cards: list[str]) -> float:
    """Return what a hand is worth: its plan, its aces, and what may yet become a ladder."""
    total = value(best_plan(cards)) + fsum(ACES.get(card, 0.0) for card in set(cards))
    numbers = sorted({card for card in cards if card not in ACES and card not in LEADERS})
    for low, high in combinations(numbers, 2):
        gap = int(high[1:]) - int(low[1:])
        if low[0] == high[0] and gap <= 2:
            total += 0.5 if gap == 1 else 0.3
    return total


# --- whom to attack --------------------------------------------------------------------------


def turn(ask: kit.Ask) -> kit.Move:
    """Attack where that promises more than a draw."""
    view, me = ask.view, ask.seat
    cards = view["hand"] + view["face_up"][me]
    own = Counter(view["front"][me]) + Counter(view["behind"])
    plan = best_plan(cards)
    if sum(map(bool, plan)) + any(ace in cards for ace in ("O1", "C1")) < 2:
        return {"action": "draw"}
    most, move = peace(view, own), kit.Move(action="draw")
    price = 0.5 * len(cards) + 0.3 * worth(cards)
    for target in range(ask.seats):
        loot = view["front"][target]
        if target == me or not loot:
            continue
        gain = points(own + Counter(loot), view) - points(own, view)
        hurt = points(Counter(loot), view) * threat(view, target) / (ask.seats - 1)
        if gain + hurt <= most:
            continue
        chance = odds(ask, plan, cards, target)
        promise = chance * (gain + hurt) - (1 - chance) * price
        if promise > most:
            most, move = promise, {"action": "attack", "target": target}
    return move


def points(tokens: Counter[str], view: kit.Move) -> int:
    """Return what tokens count."""
    return sum(min(3, n) * (2 if kind in view["scarce"] else 1) for kind, n in tokens.items())


def peace(view: kit.Move, own: Counter[str]) -> float:
    """Return what a draw is worth: a token of any kind, and a card if there is room for it."""
    room = len(view["hand"]) < 4
    kinds = 9 + len(view["scarce"])
    full = sum(2 if kind in view["scarce"] else 1 for kind, n in own.items() if n >= 3)
    return (kinds - full) / 9 + (CARD if room else 0.1)


def threat(view: kit.Move, target: int) -> float:
    """Return how near a seat may be to its end, 1 at twenty points."""
    hidden = view["behind_size"][target] - sum(view["seen_behind"][target].values())
    return min(1.0, float(view["seen_points"][target] + hidden) / 20)


def odds(ask: kit.Ask, plan: Plan, cards: list[str], target: int) -> float:
    """Return how often the plan wins against hands the target may hold."""
    view = ask.view
    known = view["face_up"][target] + view["seen_in_hand"][target]
    hidden = view["hand_size"][target] - len(view["seen_in_hand"][target])
    unseen = Counter(ask.table["cards"] * ask.table["copies"])
    unseen.subtract(cards + view["discards"])
    for seat in range(ask.seats):
        if seat != ask.seat:
            unseen.subtract(view["face_up"][seat] + view["seen_in_hand"][seat])
    pool = list(unseen.elements())
    trials = SAMPLES if hidden else 1
    return (
        sum(wins(plan, cards, known + ask.rng.sample(pool, hidden)) for _ in range(trials)) / trials
    )


def wins(plan: Plan, cards: list[str], theirs: list[str]) -> bool:
    """Return whether the plan beats a defender with these cards, who knows what he does."""
    vanguard, rear, leader = plan
    won = [beats(vanguard, ladders(theirs, 3)), beats(rear, ladders(theirs, 2))]
    heads = [card for card in theirs if card in LEADERS]
    won.append(bool(leader) and all(rank(leader[0]) > rank(head) for head in heads))
    if sum(won) == 1 and "B1" not in vanguard + rear:  # a special of ours may turn a round
        won[0] = won[0] or ("O1" in cards and bool(vanguard))
        if sum(won) == 1:
            won[2] = won[2] or ("C1" in cards and bool(leader) and len(heads) < 2)
    if sum(won) == 2 and "O1" in theirs and won[0]:
        won[0] = False
    elif sum(won) == 2 and "C1" in theirs and won[2]:
        won[2] = False
    return sum(won) >= 2


def beats(ladder: list[str], answers: list[list[str]]) -> bool:
    """Return whether a ladder wins whatever is shown against it."""
    return bool(ladder) and all(BEATS[suit(ladder)] == suit(answer) for answer in answers)


def suit(ladder: list[str]) -> str:
    """Return the army of a ladder: that of the cards beside the champion."""
    return next((card for card in ladder if card != "B1"), "B1")[0]


def rank(card: str) -> int:
    """Return the number of a card."""
    return int(card[1:])


# --- a combat --------------------------------------------------------------------------------


def fight(ask: kit.Ask) -> kit.Move:
    """Show or use what wins a round that still matters."""
    combat = ask.view["combat"]
    side = 0 if combat["seat"] == ask.seat else 1
    rounds = combat["rounds"]
    won = [fought["winner"] == ask.seat for fought in rounds[:-1]]
    if won.count(True) >= 2 or won.count(False) >= 2:
        return ask.legal[0]  # it is decided: show no more
    own, enemy = rounds[-1]["standing"][side], rounds[-1]["standing"][1 - side]
    if ask.decision == "reveal" and side == 0:
        return strike(ask, len(won))
    if ask.decision == "reveal":
        return answer(ask, enemy)
    if ask.decision == "replace_leader":
        heirs = [
            move for move in ask.legal if move["card"] and prevails([move["card"]], enemy, side)
        ]
        return heirs[0] if heirs else ask.legal[0]
    if prevails(own, enemy, side) or (side == 0 and not own):
        return ask.legal[0]  # the special would change nothing
    return ask.legal[-1]


def prevails(own: list[str], enemy: list[str], side: int) -> bool:
    """Return whether our formation wins the round for the attacker, side 0, or the defender."""
    if not own or not enemy:
        return bool(own) if side == 0 else not enemy
    if own[0] in LEADERS:
        return rank(own[0]) > rank(enemy[0]) - side
    if side == 0:
        return BEATS[suit(own)] == suit(enemy)
    return BEATS[suit(enemy)] != suit(own)


def strike(ask: kit.Ask, stage: int) -> kit.Move:
    """Attack by the plan for the rounds that are left."""
    hand = ask.view["hand"]
    if ask.view["combat"]["declared"][0]:
        hand = [card for card in hand if card != "B1"]
    if stage == 0:
        planned = best_plan(hand)[0]
    elif stage == 1:
        planned = next(iter(ladders(hand, 2)), [])
    else:
        planned = max(ask.legal, key=lead)["cards"]
    shown = (move for move in ask.legal if sorted(move["cards"]) == sorted(planned))
    return next(shown, ask.legal[0])


def lead(move: kit.Move) -> int:
    """Return how high the leader is that a move shows."""
    return rank(move["cards"][0]) if move["cards"] else 0


def answer(ask: kit.Ask, enemy: list[str]) -> kit.Move:
    """Defend with what wins and leaves most for the rounds to come."""
    hand = ask.view["hand"]
    able = [move for move in ask.legal if prevails(move["cards"], enemy, 1)]

    def left(move: kit.Move) -> float:
        return worth([card for card in hand if card not in move["cards"]])

    return max(able, key=left, default=ask.legal[0])


if __name__ == "__main__":
    kit.run(choose, samples=0)
