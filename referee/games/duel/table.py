"""Duel's table and its words: the line with the pawn, the fencers, the attack, the last deeds."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from referee.games.duel.fencer import END, SUITS, TRAITS, USE, Deck, in_order
from referee.rules.cards import back, suit_first
from referee.rules.game import Observation
from referee.rules.scene import Area, Card, Facts, Group, Mark, Row, Text, Token, Track
from referee.rules.words import counted

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
_LOSSES = {
    "retreat": "has been driven off the line",
    "stamina": "has no stamina left",
    "dexterity": "has no dexterity left",
}


def told(seat: int, move: Mapping[str, Any]) -> str:
    """Return what a move does, in a few words."""
    return f"{NAMES[seat]} {deed(move)}"


def outcome(places: Sequence[int], reason: str) -> str:
    """Return who has won, and why."""
    if 2 not in places:
        return "stopped, a draw"
    loser = places.index(2)
    if reason == "max_turns":
        return f"stopped, {NAMES[1 - loser]} is ahead and wins"
    return f"{NAMES[loser]} {_LOSSES[reason]}, {NAMES[1 - loser]} wins"


def deed(move: Mapping[str, Any]) -> str:
    """Return what a move does, without who does it."""
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


Event = dict[str, Any]
"""An action as a view tells it; an attack begins with nothing decided and is filled in."""

RECENT = 3
"""The turns, the present one included, whose actions a view tells."""


def recent(log: list[Event], turn: int) -> list[Event]:
    """Return the actions of the last turns up to `turn`."""
    first = len(log)
    while first and log[first - 1]["turn"] > turn - RECENT:
        first -= 1
    return log[first:]


_NEXT = 12  # so many cards of the deck are shown where all are open
_MOST = 12  # of stamina, dexterity and fencing, whatever the trait
_ORDINALS = ("", "first", "second", "third")
_QUESTIONS = {"defend": "decides how to defend", "emergency_parry": "may parry in emergency"}


def areas(
    views: Sequence[Observation | None], asked: str | None, decider: int, deck: Deck, end: str
) -> Iterator[Area]:
    """Yield the line, the attack, the fencers' attributes, their cards, the last deeds.

    Each seat's view is None where its eyes are closed; `end` tells who has won, at the end.
    """
    view = next(view for view in views if view is not None)
    yield _headline(view, asked, decider, end)
    yield _line(view)
    if view["attack"]:
        yield _attack(view["attack"])
    for name in ("stamina", "dexterity", "fencing"):
        yield _attribute(view, name)
    yield from (_fencer(each, own, view) for each, own in enumerate(views))
    yield from _lately(view)
    yield from _piles(deck, is_open=None not in views)
    if asked == "action":
        price = view["price"]
        told_price = (
            f"{price['attack']} to attack, observe or feint, {price['breathe']} to breathe or"
            " use footwork"
        )
        yield Text("Stamina", [told_price])


def _headline(view: Observation, asked: str | None, decider: int, end: str) -> Facts:
    label = f"Turn {view['turn']}" if view["turn"] else "Set-up"
    if asked is None:
        return Facts(label, (), [[end]])
    if asked in _QUESTIONS:
        stage = _QUESTIONS[asked]
    else:
        number = view["action"]
        stage = f"decides the {_ORDINALS[number]} action" if number else "chooses a trait"
    return Facts(label, (), [[stage]], [decider])


def _line(view: Observation) -> Track:
    """Return the line with the pawn, and where it is driven if nothing is done about it."""
    pawn, attack = view["pawn"], view["attack"]
    marks = [Mark(pawn, "●", name=f"pawn at {pawn}")]
    if attack and any(attack["retreat"]):
        first, second = attack["retreat"]
        driven = max(-END, min(END, pawn + first - second))
        marks.append(Mark(driven, "○", name=f"driven to {driven}"))
    return Track("The line", -END, END, marks, (f"{NAMES[1]} is out", f"{NAMES[0]} is out"))


def _attribute(view: Observation, name: str) -> Track:
    marks = [Mark(value, str(value), seat) for seat, value in enumerate(view[name])]
    if most := view.get(f"max_{name}"):
        return Track(name.capitalize(), 0, _MOST, marks, note=f"at most {most[0]} and {most[1]}")
    return Track(name.capitalize(), 0, _MOST, marks)


def _attack(attack: Mapping[str, Any]) -> Group:
    """Return the attack that awaits an answer."""
    seat, rival = attack["seat"], 1 - attack["seat"]
    blow = USE[attack["cards"][0][0]]
    strength = f"{blow}, strength {attack['strength']}"
    areas: list[Area] = [Row("", _cards(attack["cards"]), seat, strength)]
    label = f"{NAMES[rival]} is to retreat {counted(attack['retreat'][rival], 'point')}"
    if attack["defence"] is not None:
        guard = f"{_answer(attack)}, guard {attack['guard']}"
        areas.append(Row("", _cards(attack["defence"]), rival, guard))
        label += "; an emergency parry costs 2 stamina"
    return Group(label, areas)


def _answer(attack: Mapping[str, Any]) -> str:
    return USE[attack["defence"][0][0]] if attack["defence"] else "no defence"


def _fencer(seat: int, own: Observation | None, view: Observation) -> Group:
    trait, size = view["trait"][seat], view["hand_size"][seat]
    if not view["turn"]:
        dice = view["dice"][seat][-1]
        rows = [[TRAITS[each], EFFECTS[each]] for each in ([trait] if trait else dice)]
        traits = Facts("Trait" if trait else "To choose from", (), rows)
        return Group(
            ROLES[seat], [Row("Dice", [Token(str(face), "die") for face in dice]), traits], seat
        )
    hand = _cards(own["hand"]) if own else [back(size)] if size else []
    areas: list[Area] = [
        Row("Hand", hand, note=f"{size} of {view['fencing'][seat]}"),
        Row("In play", _cards(in_order(view["in_play"][seat]))),
    ]
    bonus = view["bonus"][seat]
    if tokens := [Token(f"{USE[suit]} +{bonus[suit]}", "bonus") for suit in SUITS if bonus[suit]]:
        areas.append(Row("Counts more", tokens))
    if trait:
        areas.append(Facts("Trait", (), [[TRAITS[trait], EFFECTS[trait]]]))
    return Group(ROLES[seat], areas, seat)


def _lately(view: Observation) -> Iterator[Area]:
    if log := view["log"]:
        rows = [[str(event["turn"]), _deed(event)] for event in log]
        yield Facts("Lately", ("Turn", "What"), rows, [event["seat"] for event in log])


def _deed(event: Mapping[str, Any]) -> str:
    """Return an action that is over, and what came of it."""
    words = [deed(event)]
    if "rolls" in event:
        words.append(f"rolls {' and '.join(map(str, event['rolls']))}")
    if "drawn" in event:
        words.append(f"draws {counted(event['drawn'], 'card')}")
    if "strength" in event:
        words[0] += f" ({event['strength']})"
    if event.get("defence") is not None:
        guard = f" ({event['guard']})" if event["defence"] else ""
        words.append(f"{told(1 - event['seat'], {'cards': event['defence']})}{guard}")
    for seat, points in enumerate(event.get("retreat", ())):
        if points:
            end = "parries in emergency" if event["emergency"] else f"retreats {points}"
            words.append(f"{NAMES[seat]} {end}")
    return ", ".join(words)


def _piles(deck: Deck, *, is_open: bool) -> Iterator[Area]:
    """Yield the deck, in its order if that may be seen, and the discards."""
    yield Row("Deck", [back(len(deck.cards))])
    if is_open and deck.cards:  # nobody at the table knows it
        yield Text("Next in the deck", [" ".join(deck.cards[: -_NEXT - 1 : -1])], most=0)
    if deck.discards:
        yield Row("Discards, latest first", _cards(deck.discards[::-1]), most=1)


def _cards(cards: Sequence[str]) -> list[Card | Token]:
    return [suit_first(card) for card in cards]
