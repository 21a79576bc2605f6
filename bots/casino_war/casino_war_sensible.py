"""Plays for place: does as the others do while ahead, and stakes more the further it is behind."""

from __future__ import annotations

import math
from collections import Counter

import kit

Stake = tuple[int, int]
"""A bet, and the bet on a tie beside it."""
Outcome = tuple[float, int, int]
"""A chance, with what a bet of 1 then moves, and what a bet of 1 on a tie."""

REMEMBERED = 6
"""Of each rival's stakes, the last ones: it is taken to repeat one of them."""
REACH = 80.0
"""How far behind a round may leave us that we can still hope to make good, roughly."""
TIE_WEIGHT = 8.4
"""How much more a bet on a tie moves in the square, than one on the player card."""


class Rival:
    """What we reckon with of one other seat."""

    def __init__(self, ahead: int, stakes: list[Stake], rounds: int) -> None:
        self.ahead = ahead  # how much more money we have
        self.stakes = Counter(stakes)
        self.seen = len(stakes)
        self.rounds = rounds
        drift = unsteadiness(stakes)
        self.level = 0.5 + 0.9 * (0.5 - 0.5 ** (rounds + 1)) / (1 + drift / 10)
        self.lasts = drift * math.sqrt(rounds) + 1
        self.reach = REACH * math.sqrt(rounds)

    def beaten(self, moved: int) -> float:
        """Return the chance to end before it, if this round brings us so much nearer.

        Before a steady rival one stays by doing the same; from behind, it is mostly overtaken.
        """
        ahead = self.ahead + moved
        if self.rounds == 0:
            return (ahead > 0) + (ahead == 0) / 2
        if ahead > 0:
            return 1 - (1 - self.level) * math.exp(-ahead / self.lasts)
        return self.level * math.exp(ahead / self.reach)


def choose(ask: kit.Ask) -> kit.Move:
    """Answer each of the two decisions."""
    habits = remember(ask)
    if ask.decision == "bet":
        return bet(ask, habits)
    if ask.view["round"] < ask.options["rounds"]:
        return {"action": "war"}  # on average never worse than to surrender
    return {"action": last_answer(ask)}


def remember(ask: kit.Ask) -> list[list[Stake]]:
    """Return what each seat has bet of late; before anything is known, a bet of the middle."""
    middle = (ask.options["min_bet"] + ask.options["max_bet"]) // 2
    habits: list[list[Stake]] = ask.memory.setdefault("habits", [[] for _ in range(ask.seats)])
    last = ask.view["last"]
    if last and ask.memory.get("round") != last["round"]:
        ask.memory["round"] = last["round"]
        for seen, staked in zip(habits, last["bets"], strict=True):
            seen.append((staked["bet"], staked["tie_bet"]) if staked else (0, 0))
            del seen[:-REMEMBERED]
    return [seen or [(middle, 0)] for seen in habits]


def bet(ask: kit.Ask, habits: list[list[Stake]]) -> kit.Move:
    """Return the stake after which we can hope to end up before the most rivals."""
    money, left = ask.view["money"], ask.options["rounds"] - ask.view["round"]
    rivals = [
        Rival(money[ask.seat] - money[seat], habits[seat], left)
        for seat in range(ask.seats)
        if seat != ask.seat
    ]
    odds = outcomes(ask)
    stake, on_tie = max(stakes(ask), key=lambda own: hope(own, rivals, odds))
    return {"bet": stake, "tie_bet": on_tie}


def stakes(ask: kit.Ask) -> list[Stake]:
    """Return some of the bets that are possible, small ones first."""
    low, high = ask.limits["bet"]["min"], ask.limits["bet"]["max"]
    possible = []
    for share in range(5):
        stake = low + (high - low) * share // 8 * 2
        most = min(ask.limits["tie_bet"]["max"], ask.limits["money"] - stake)
        possible += [(stake, on_tie) for on_tie in (0, most // 10, most // 4, most)]
    return possible


def outcomes(ask: kit.Ask) -> list[Outcome]:
    """Return what may happen, by the cards not seen yet, if every tie goes to war."""
    left = [4 * ask.options["decks"] - seen for seen in ask.view["seen"].values()]
    cards = sum(left)
    tie = sum(count * (count - 1) for count in left) / (cards * (cards - 1))
    plain = (1 - tie) / 2
    return [(plain, 1, -1), (plain, -1, -1), (tie * (1 - plain), 1, 10), (tie * plain, -2, 10)]


def unsteadiness(habit: list[Stake]) -> float:
    """Return how far a round takes a rival from us, roughly, if we do what it does on average."""
    total = 0.0
    for at, weight in ((0, 1.0), (1, TIE_WEIGHT)):
        mean = sum(stake[at] for stake in habit) / len(habit)
        total += weight * math.fsum((stake[at] - mean) ** 2 for stake in habit) / len(habit)
    return math.sqrt(total)


def hope(own: Stake, rivals: list[Rival], odds: list[Outcome]) -> float:
    """Return how many rivals we can hope to beat if we stake `own` and they do as they did."""
    total = 0.0
    for rival in rivals:
        for (stake, on_tie), times in rival.stakes.items():
            apart, apart_on_tie = own[0] - stake, own[1] - on_tie
            for chance, moved, moved_on_tie in odds:
                gain = moved * apart + moved_on_tie * apart_on_tie
                total += chance * times / rival.seen * rival.beaten(gain)
    return total


def last_answer(ask: kit.Ask) -> str:
    """Return war or surrender, whichever ends before more rivals if these go to war."""
    bets, money = ask.view["bets"], ask.view["money"]
    own = bets[ask.seat]["bet"]

    def beaten(ours: int, theirs: int) -> float:
        mine = money[ask.seat] + ours
        hoped = 0.0
        for seat, staked in enumerate(bets):
            if seat != ask.seat:
                his = money[seat] + (theirs * staked["bet"] if staked else 0)
                hoped += (mine > his) + (mine == his) / 2
        return hoped

    war = 0.54 * beaten(own, 1) + 0.46 * beaten(-2 * own, -2)
    surrender = 0.54 * beaten(-own // 2, 1) + 0.46 * beaten(-own // 2, -2)
    return "war" if war >= surrender else "surrender"


if __name__ == "__main__":
    kit.run(choose, samples=0)
