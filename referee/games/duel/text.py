"""Duel as people see it: the line, both fencers, what they did of late, and moves in words."""

import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from referee.game import Observation
from referee.games.duel.cards import SUITS, USE, in_order
from referee.games.duel.fencer import TRAITS

NAMES = "AB"
ROLES = ("the challenger", "the challenged")
EFFECTS = {
    1: "fencing +3",
    2: "maximum stamina +3",
    3: "maximum dexterity +3",
    4: "each thrust and cut counts one card more",
    5: "each parry and moulinet counts one card more",
    6: "rolls twice when breathing or using footwork",
    7: "whenever the rival retreats, he retreats one point more",
    8: "fencing, maximum stamina and maximum dexterity +1",
}
WIDTH = 80
_NUMBERS = ("", "first", "second", "third")
_QUESTIONS = {"defend": "how to defend", "emergency_parry": "whether to parry in emergency"}
_LOSSES = {
    "retreat": "has been driven off the line",
    "stamina": "has no stamina left",
    "dexterity": "has no dexterity left",
}


def told(seat: int, move: Mapping[str, Any]) -> str:
    """Return what a move does, in a few words."""
    return f"{NAMES[seat]} {_deed(move)}"


def drawn(
    view: Observation,
    hands: Sequence[Sequence[str] | None],
    coming: Sequence[str],
    places: Sequence[int],
    reason: str,
) -> str:
    """Return the table of a `view`, with what may be shown of the hands and the deck."""
    lines = [f"Duel, {_stage(view, places, reason)}", ""]
    if view["turn"] == 0:
        lines += _set_up(view)
    else:
        lines += [_line(view["pawn"]), "", *_fencers(view), ""]
        for name, hand in zip(NAMES, hands, strict=True):
            if hand is not None:
                lines += _wrapped(f"Hand of {name}:", in_order(hand))
        lines += _cards(view)
        lines += _lately(view)
    if coming:
        lines += ["", *_wrapped("Next in the deck:", coming)]
    if view["attack"]:
        lines += ["", *_told_event(view["attack"], done=False), _threat(view["attack"])]
    elif places == [] and view["turn"]:
        lines += ["", _prices(view["price"])]
    return "\n".join(lines)


def _stage(view: Observation, places: Sequence[int], reason: str) -> str:
    if places:
        return f"over in turn {view['turn']}: {_outcome(places, reason)}"
    seat = view["seat"]
    who = f"{NAMES[seat]}, {ROLES[seat]},"
    if view["turn"] == 0:
        return f"set-up: {who} chooses a trait"
    question = _QUESTIONS.get(view["decision"]) or f"the {_NUMBERS[view['action']]} action"
    return f"turn {view['turn']}: {who} decides {question}"


def _outcome(places: Sequence[int], reason: str) -> str:
    if 2 not in places:
        return "stopped, a draw"
    loser = places.index(2)
    if reason == "max_turns":
        return f"stopped, {NAMES[1 - loser]} is ahead and wins"
    return f"{NAMES[loser]} {_LOSSES[reason]}, {NAMES[1 - loser]} wins"


def _set_up(view: Observation) -> list[str]:
    lines = []
    for name, role, pairs, trait in zip(NAMES, ROLES, view["dice"], view["trait"], strict=True):
        rolls = ", ".join(f"{first} {second}" for first, second in pairs)
        lines.append(f"{name}, {role}, rolled {rolls}.")
        for number in pairs[-1]:
            mark = "*" if number == trait else " "
            lines.append(f"  {mark} {number} {TRAITS[number]:<10} {EFFECTS[number]}")
    return [*lines, "", "Cards are dealt when both have chosen."]


def _line(pawn: int) -> str:
    points = (f"[{point:+}]" if point == pawn else f" {point:+} " for point in range(-4, 5))
    line = " ".join(points).replace("+0", " 0")
    return f"B's end | {line} | A's end"


def _fencers(view: Observation) -> list[str]:
    rows: list[tuple[str, list[str]]] = [
        ("", [f"{name}, {role}" for name, role in zip(NAMES, ROLES, strict=True)]),
        ("trait", [TRAITS.get(trait, "-") for trait in view["trait"]]),
        ("stamina", _of_most(view["stamina"], view["max_stamina"])),
        ("dexterity", _of_most(view["dexterity"], view["max_dexterity"])),
        ("fencing", [*map(str, view["fencing"])]),
        ("cards in hand", [*map(str, view["hand_size"])]),
    ]
    rows += [
        (f"bonus to a {USE[suit]} ({suit})", [f"+{bonus[suit]}" for bonus in view["bonus"]])
        for suit in SUITS
    ]
    return [f"  {label:<24}{a:<20}{b}".rstrip() for label, (a, b) in rows]


def _of_most(values: Sequence[int], most: Sequence[int]) -> list[str]:
    return [f"{value} of {limit}" for value, limit in zip(values, most, strict=True)]


def _cards(view: Observation) -> Iterator[str]:
    for name, cards in zip(NAMES, view["in_play"], strict=True):
        if cards:
            yield from _wrapped(f"In play of {name}:", in_order(cards))
    discards = in_order(view["discards"])
    yield from _wrapped(f"Deck {view['deck']}; discards {len(discards)}:", discards)


def _wrapped(label: str, words: Iterable[str]) -> list[str]:
    text = f"{label} {' '.join(words) or '-'}"
    return textwrap.wrap(text, WIDTH, subsequent_indent="    ")


def _lately(view: Observation) -> Iterator[str]:
    if view["log"]:
        yield ""
    for event in view["log"]:
        yield from _told_event(event)


def _told_event(event: Mapping[str, Any], *, done: bool = True) -> list[str]:
    text = f"Turn {event['turn']}: {_event(event, done=done)}."
    return textwrap.wrap(text, WIDTH, subsequent_indent="    ")


def _event(event: Mapping[str, Any], *, done: bool) -> str:
    told_action = told(event["seat"], event)
    if "rolls" in event:
        return f"{told_action} and rolls {' and '.join(map(str, event['rolls']))}"
    if "drawn" in event:
        return f"{told_action} and draws {_counted(event['drawn'], 'card')}"
    if "strength" not in event:
        return told_action
    return f"{told_action} with strength {event['strength']}{_answer(event, done=done)}"


def _answer(attack: Mapping[str, Any], *, done: bool) -> str:
    """Return what came of an attack so far; the retreat only if that is done."""
    rival = 1 - attack["seat"]
    if attack["defence"] is None:
        return ""
    parts = [told(rival, {"cards": attack["defence"]})]
    if attack["guard"]:
        parts[0] += f" with guard {attack['guard']}"
    for name, points in zip(NAMES, attack["retreat"], strict=True):
        if points and attack["emergency"]:
            parts.append(f"{name} parries the retreat of {points} in emergency")
        elif points and done:
            parts.append(f"{name} retreats {points}")
    return "; " + "; ".join(parts)


def _threat(attack: Mapping[str, Any]) -> str:
    rival = 1 - attack["seat"]
    points = _counted(attack["retreat"][rival], "point")
    if attack["defence"] is None:
        return f"Undefended, {NAMES[rival]} is to retreat {points}."
    return f"{NAMES[rival]} is to retreat {points}; an emergency parry costs 2 stamina."


def _prices(prices: Mapping[str, int]) -> str:
    return (
        f"Stamina: {prices['attack']} to attack, observe or feint,"
        f" {prices['breathe']} to breathe or use footwork."
    )


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _deed(move: Mapping[str, Any]) -> str:
    if "trait" in move:
        return f"chooses {move['trait']}, {TRAITS[move['trait']]}"
    if "use" in move:
        return "parries in emergency" if move["use"] else "retreats"
    if "action" not in move or move["action"] == "attack":
        return _shown(move)
    if move["action"] == "observe":
        return f"observes with {move['card']}" if "card" in move else "observes"
    return {
        "breathe": "breathes",
        "footwork": "uses footwork",
        "feint": "feints",
        "end_turn": "ends the turn",
    }[move["action"]]


def _shown(move: Mapping[str, Any]) -> str:
    """Return a ladder as the attack or defence it is."""
    cards = in_order(move.get("cards", ()))
    if not cards:
        return "attacks" if "action" in move else "does not defend"
    verb = {"B": "thrusts", "E": "cuts", "O": "parries", "C": "moulinet"}[cards[0][0]]
    ladder = " ".join(cards)
    return f"answers {ladder} by moulinet" if verb == "moulinet" else f"{verb} {ladder}"
