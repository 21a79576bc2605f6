"""Why a reply in Guerra breaks the rules, in words for the bot's author."""

from collections.abc import Collection, Mapping, Sequence

from referee.games.guerra.battle import (
    ARCHERS,
    BANNERS,
    BOWSHOT,
    KNIGHTS,
    STEPS,
    SUIT,
    Army,
    Attacks,
)
from referee.rules.game import Move


def deploy_refusal(move: Move, army: Army, asked: Mapping[str, int]) -> str | None:
    """Return why `move` does not deploy exactly the cards `asked` for."""
    for zone in move:
        if zone not in asked:
            return f'"{zone}" is not asked for now, only {" and ".join(asked)}'
    named: list[str] = []
    for zone, count in asked.items():
        if zone not in move:
            return f'"{zone}" is missing'
        if len(move[zone]) != count:
            return f'"{zone}" takes {count} of your cards, not {len(move[zone])}'
        named += move[zone]
    return _repeated(named) or _not_in_hand(named, army)


def orders_refusal(move: Move, army: Army, transfers: int) -> str | None:
    """Return why `move` cannot be carried out by `army`, with so many `transfers` allowed."""
    if move["action"] == "mass_transfer":
        return _wrong_moves(move["moves"], army)
    reason = _wrong_transfers(move["transfers"], army, transfers)
    if reason or move["action"] == "attack":
        return reason
    return _not_in_hand([move["card"]], army)


def attack_refusal(
    move: Move, own: Army, enemy: Army, attacks: Attacks, spent: Collection[str]
) -> str | None:
    """Return why `move` is neither the stop nor one of the `attacks` now open to `own`."""
    attackers, target = move["attackers"], move["target"]
    if not attackers:
        return None if target is None else 'no attackers are named; to stop, "target" is null'
    if "archers" in attacks and (archers := [card for card in attackers if card in ARCHERS]):
        if len(attackers) > 1:
            return f"'{archers[0]}' is an Archer, which shoots alone"
        return _wrong_shot(archers[0], target, own, enemy, spent)
    for card in attackers:
        if reason := _wrong_attacker(card, own, spent, alone=len(attackers) == 1):
            return reason
    if attackers[0] in KNIGHTS:
        return _wrong_knight(attackers[0], target, enemy, attacks)
    if target is None:
        return 'Soldiers and Captains attack one enemy card: name it in "target"'
    return _wrong_target(target, enemy)


def discard_refusal(cards: Sequence[str], army: Army, surplus: int) -> str | None:
    """Return why `cards` are not exactly the `surplus`."""
    if len(cards) != surplus:
        return f'"cards" must name exactly {surplus}, not {len(cards)}'
    return _not_in_hand(cards, army)


def _repeated(cards: Sequence[str]) -> str | None:
    for at, card in enumerate(cards):
        if card in cards[:at]:
            return f"'{card}' is named twice"
    return None


def _whereabouts(card: str, army: Army) -> str:
    if zone := army.zone_of(card):
        return f"is in your {zone}"
    if card in army.hand:
        return "is in your hand"
    return "is in your cemetery" if card in army.cemetery else "is still in your pack"


def _not_in_hand(cards: Sequence[str], army: Army) -> str | None:
    for card in cards:
        if card not in army.hand:
            return f"'{card}' {_whereabouts(card, army)}, not in your hand"
    return None


def _wrong_transfers(transfers: Sequence[Move], army: Army, allowed: int) -> str | None:
    if len(transfers) > allowed:
        return f'"transfers" holds {len(transfers)}; the option `transfers` allows {allowed}'
    moved: list[str] = []
    for transfer in transfers:
        if reason := _wrong_transfer(transfer, army, moved):
            return reason
    return None


def _wrong_transfer(transfer: Move, army: Army, moved: list[str]) -> str | None:
    if reason := _wrong_step(transfer, army, moved):
        return reason
    other = transfer["swap_with"]
    if other is None:
        return None
    if reason := _wrong_mover(other, army, moved):
        return reason
    if army.zone_of(other) != transfer["to"]:
        return f"'{other}' {_whereabouts(other, army)}; a swap is with a card of {transfer['to']}"
    moved.append(other)
    return None


def _wrong_step(step: Move, army: Army, moved: list[str]) -> str | None:
    card, to = step["card"], step["to"]
    if reason := _wrong_mover(card, army, moved):
        return reason
    here = army.zone_of(card)
    if to not in STEPS[here]:
        return f"'{card}' is in your {here} and steps to {' or '.join(STEPS[here])}, not to {to}"
    moved.append(card)
    return None


def _wrong_mover(card: str, army: Army, moved: Collection[str]) -> str | None:
    if card in moved:
        return f"'{card}' would move twice in this turn"
    if not army.zone_of(card):
        return f"'{card}' {_whereabouts(card, army)}, not on the table"
    return None


def _wrong_moves(moves: Sequence[Move], army: Army) -> str | None:
    moved: list[str] = []
    for step in moves:
        if reason := _wrong_step(step, army, moved):
            return reason
    return None


def _wrong_attacker(card: str, own: Army, spent: Collection[str], *, alone: bool) -> str | None:
    line = own.foremost()
    if card not in own.zones[line]:
        return f"'{card}' {_whereabouts(card, own)}; attacks come from your {line}"
    if card in spent:
        return f"'{card}' has already attacked this turn"
    if card in BANNERS:
        return f"'{card}' is a Banner, which never attacks"
    if card in ARCHERS:
        return f"'{card}' is an Archer, which only shoots by itself, in the volley"
    if card in KNIGHTS and not alone:
        return f"'{card}' is a Knight, which attacks alone"
    return None


def _wrong_knight(knight: str, target: str | None, enemy: Army, attacks: Attacks) -> str | None:
    front = enemy.foremost()
    if target is not None:
        if [knight, target] in attacks["duels"]:
            return None
        if target not in KNIGHTS:
            return f"a Knight does not attack '{target}': it sweeps (target null) or duels a Knight"
        return _wrong_target(target, enemy) or f"'{knight}' may duel only the Knight of its suit"
    if knight in attacks["sweeps"]:
        return None
    if knight in enemy.zones[front]:
        return f"'{knight}' cannot sweep the enemy's {front}, where its twin stands; it may duel it"
    return f"'{knight}' cannot sweep: the enemy's {front} holds no card of suit {SUIT[knight]}"


def _wrong_shot(
    archer: str, target: str | None, own: Army, enemy: Army, spent: Collection[str]
) -> str | None:
    if own.zone_of(archer) not in BOWSHOT:
        return f"'{archer}' {_whereabouts(archer, own)}; shots come from your vanguard or centre"
    if archer in spent:
        return f"'{archer}' has already attacked this turn"
    if target is None:
        return 'an Archer shoots at one enemy card: name it in "target"'
    if not (where := enemy.zone_of(target)):
        return f"'{target}' is not on the enemy's table"
    if where not in BOWSHOT:
        return f"'{target}' is in the enemy's {where}; shots reach its vanguard and centre"
    return None


def _wrong_target(target: str, enemy: Army) -> str | None:
    front, where = enemy.foremost(), enemy.zone_of(target)
    if not where:
        return f"'{target}' is not on the enemy's table"
    if where != front:
        return f"'{target}' is in the enemy's {where}; only its {front} can be attacked"
    return None
