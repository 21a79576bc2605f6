"""Guerra told to people: moves in words."""

from referee.games.guerra.battle import ARCHERS, KNIGHTS, ZONES
from referee.rules.game import Move

NAMES = "AB"


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
