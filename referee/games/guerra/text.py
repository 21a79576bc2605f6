"""Guerra told to people: rows of cards and moves in words."""

import textwrap

from referee.game import Move
from referee.games.guerra.battle import ARCHERS, DECK, KNIGHTS, ZONES, Zone

NAMES = "AB"
WIDTH = 80


def told(seat: int, decision: str, move: Move) -> str:
    """Return what a move does, in a few words."""
    who = NAMES[seat]
    if decision == "orders":
        return f"{who} {_told_orders(move)}"
    if decision == "attack":
        return f"{who} {_told_attack(move)}"
    if decision == "discard":
        return f"{who} discards {' '.join(move['cards'])}"
    placed = (f"{' '.join(move[zone])} to {zone}" for zone in ZONES if zone in move)
    return f"{who} deploys {', '.join(placed)}"


def wrapped(label: str, words: str) -> str:
    """Return words beside a label, in as many lines as they need."""
    return textwrap.fill(words, WIDTH, initial_indent=label, subsequent_indent=" " * len(label))


def row(name: str, zone: Zone) -> str:
    """Return a zone as lines, wounded cards with their wounds."""
    cards = (f"{card}*{zone[card]}" if zone[card] else card for card in DECK if card in zone)
    return wrapped(f"  {name:<11}", " ".join(cards) or "-")


def _told_attack(move: Move) -> str:
    attackers, target = move["attackers"], move["target"]
    if not attackers:
        return "stops attacking"
    if target is None:
        return f"sweeps with {attackers[0]}"
    verb = "duels" if attackers[0] in KNIGHTS else "attacks"
    if attackers[0] in ARCHERS:
        verb = "shoots"
    return f"{verb} {' + '.join(attackers)} > {target}"


def _told_orders(move: Move) -> str:
    if move["action"] == "mass_transfer":
        return "moves " + ", ".join(f"{step['card']} to {step['to']}" for step in move["moves"])
    told = [_told_transfer(transfer) for transfer in move.get("transfers", ())]
    if move["action"] == "incorporate":
        told.append(f"incorporates {move['card']} to {move['zone']}")
    else:
        told.append("goes to attack")
    return ", ".join(told)


def _told_transfer(transfer: Move) -> str:
    swap = transfer.get("swap_with")
    return f"transfers {transfer['card']} to {transfer['to']}" + (f" for {swap}" if swap else "")
