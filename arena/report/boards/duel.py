"""Duel's board: the line with the pawn, what the fencers have left, the attack, the cards."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from arena.report.boards.cards import LETTERS, back, called, suit_first
from arena.report.scene import (
    Area,
    Card,
    Facts,
    Fixed,
    Group,
    Mark,
    Row,
    Token,
    Track,
    Views,
    public,
)
from arena.text import counted
from referee.game import Observation
from referee.games.duel.cards import SUITS, USE, in_order
from referee.games.duel.fencer import TRAITS
from referee.games.duel.game import END
from referee.games.duel.text import EFFECTS, told

_MOST = 12  # of stamina, dexterity and fencing, whatever the trait
_ORDINALS = ("", "first", "second", "third")


def board(views: Views, names: Sequence[str], _fixed: Fixed) -> Sequence[Area]:
    """Return the line, the attack, the fencers' attributes, their cards, the last deeds."""
    view = public(views)
    names = [called(seat, names) for seat in range(len(names))]
    areas: list[Area] = [_headline(view, names), _line(view, names)]
    if view["attack"]:
        areas.append(_attack(view["attack"], names))
    areas += [_attribute(view, name, names) for name in ("stamina", "dexterity", "fencing")]
    areas += [_fencer(seat, views, name) for seat, name in enumerate(names)]
    return [*areas, *_lately(view), *_piles(view)]


def _headline(view: Observation, names: Sequence[str]) -> Facts:
    seat, number = view["on_turn"], view["action"]
    stage = f"{_ORDINALS[number]} action" if number else "chooses a trait"
    label = f"Turn {view['turn']}" if view["turn"] else "Set-up"
    return Facts(label, (), [[names[seat], stage]], [seat])


def _line(view: Observation, names: Sequence[str]) -> Track:
    """Return the line with the pawn, and where it is driven if nothing is done about it."""
    pawn, attack = view["pawn"], view["attack"]
    marks = [Mark(pawn, "●", name="the pawn")]
    if attack and any(attack["retreat"]):
        first, second = attack["retreat"]
        driven = max(-END, min(END, pawn + first - second))
        marks.append(Mark(driven, "○", name="where the attack drives the pawn"))
    return Track("The line", -END, END, marks, (f"{names[1]} is out", f"{names[0]} is out"))


def _attribute(view: Observation, name: str, names: Sequence[str]) -> Track:
    values = view[name]
    marks = [
        Mark(value, str(value), seat, f"{names[seat]}, {value}")
        for seat, value in enumerate(values)
    ]
    if most := view.get(f"max_{name}"):
        return Track(name.capitalize(), 0, _MOST, marks, note=f"at most {most[0]} and {most[1]}")
    return Track(name.capitalize(), 0, _MOST, marks)


def _attack(attack: Mapping[str, Any], names: Sequence[str]) -> Group:
    """Return the attack that awaits an answer."""
    seat, rival = attack["seat"], 1 - attack["seat"]
    blow = USE[attack["cards"][0][0]]
    strength = f"{blow}, strength {attack['strength']}"
    areas: list[Area] = [Row(names[seat], _cards(attack["cards"]), seat, strength)]
    if attack["defence"] is not None:
        guard = f"{_answer(attack)}, guard {attack['guard']}"
        areas.append(Row(names[rival], _cards(attack["defence"]), rival, guard))
    points = attack["retreat"][rival]
    return Group(f"{names[rival]} is to retreat {points}", areas, seat)


def _answer(attack: Mapping[str, Any]) -> str:
    return USE[attack["defence"][0][0]] if attack["defence"] else "no defence"


def _fencer(seat: int, views: Views, name: str) -> Group:
    view, own = public(views), views[seat]
    trait, size = view["trait"][seat], view["hand_size"][seat]
    if not view["turn"]:
        dice = view["dice"][seat][-1]
        rows = [[TRAITS[each], EFFECTS[each]] for each in ([trait] if trait else dice)]
        traits = Facts("Trait" if trait else "To choose from", (), rows)
        return Group(name, [Row("Dice", [Token(str(face), "die") for face in dice]), traits], seat)
    hand = _cards(own["hand"]) if own else [back(size)] if size else []
    areas: list[Area] = [
        Row("Hand", hand, note=f"of {view['fencing'][seat]}"),
        Row("In play", _cards(in_order(view["in_play"][seat]))),
    ]
    bonus = view["bonus"][seat]
    if tokens := [Token(f"{USE[suit]} +{bonus[suit]}", "bonus") for suit in SUITS if bonus[suit]]:
        areas.append(Row("Counts more", tokens))
    areas.append(Facts("Trait", (), [[TRAITS[trait], EFFECTS[trait]]]))
    return Group(name, areas, seat)


def _lately(view: Observation) -> Iterator[Area]:
    if log := view["log"]:
        rows = [[str(event["turn"]), _deed(event)] for event in log]
        yield Facts("Lately", ("Turn", "What"), rows, [event["seat"] for event in log])


def _deed(event: Mapping[str, Any]) -> str:
    """Return an action that is over, and what came of it."""
    words = [told(event["seat"], event)]
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
            words.append(f"{LETTERS[seat]} {end}")
    return ", ".join(words)


def _piles(view: Observation) -> Iterator[Area]:
    yield Row("Deck", [back(view["deck"])])
    if pile := view["discards"]:
        yield Row(
            "Discards", [suit_first(pile[-1])], note=f"{counted(len(pile), 'card')}, the last shown"
        )


def _cards(cards: Sequence[str]) -> list[Card | Token]:
    return [suit_first(card) for card in cards]
