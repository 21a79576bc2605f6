"""Never attacks: gathers, and defends itself with as little as will do."""

from __future__ import annotations

import kit

BEATS = {"E": "B", "B": "O", "O": "E"}
LEADERS = ("C10", "C11", "C12")


def choose(ask: kit.Ask) -> kit.Move:
    """Answer each of the eight decisions."""
    if ask.decision == "turn":
        return {"action": "draw"}
    if ask.decision == "discard":
        cards = ask.view["hand"]
        worst = min(cards, key=lambda card: use(card, cards + ask.view["face_up"][ask.seat]))
        return {"discard": worst, "from": "hand", "replacement": None}
    if ask.decision == "place_front":
        return min(ask.legal, key=lambda move: sum(use(c, ask.view["hand"]) for c in move["cards"]))
    return defend(ask)


def use(card: str, cards: list[str]) -> float:
    """Return what `card` is good for among `cards`: a leader or an ace, or a ladder's part."""
    if card in LEADERS or card[1:] == "1":
        return 1.5
    near = {other for other in cards if other[0] == card[0] and other[1:] != "1"}
    gaps = (abs(int(other[1:]) - int(card[1:])) for other in near - {card})
    return sum({1: 1.0, 2: 0.5}.get(gap, 0.0) for gap in gaps)


def defend(ask: kit.Ask) -> kit.Move:
    """Do what wins the round, if anything does; keep the rest for the next one."""
    enemy, own = ask.view["combat"]["rounds"][-1]["standing"]
    if ask.decision == "reveal":
        return next((move for move in ask.legal if holds(move["cards"], enemy)), ask.legal[0])
    if ask.decision == "replace_leader":
        heirs = [move for move in ask.legal if move["card"]]
        return next((heir for heir in heirs if holds([heir["card"]], enemy)), ask.legal[0])
    if ask.decision == "retreat":
        return {"use": True}
    return ask.legal[0] if holds(own, enemy) else ask.legal[-1]  # gunpowder or poison


def holds(own: list[str], enemy: list[str]) -> bool:
    """Return whether the defender's formation wins against the attacker's."""
    if not own or not enemy:
        return not enemy
    if own[0] in LEADERS:
        return int(own[0][1:]) >= int(enemy[0][1:])
    return BEATS[suit(enemy)] != suit(own)


def suit(ladder: list[str]) -> str:
    """Return the army of a ladder: that of the cards beside the champion."""
    return next((card for card in ladder if card != "B1"), "B1")[0]


if __name__ == "__main__":
    kit.run(choose, samples=0)
