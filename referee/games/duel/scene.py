"""Duel's table: the line with the pawn, what the fencers have left, the attack, the cards."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from referee.games.duel.cards import SUITS, USE, in_order
from referee.games.duel.fencer import END, TRAITS
from referee.games.duel.text import EFFECTS, NAMES, ROLES, deed, outcome, told
from referee.rules.cards import back, suit_first
from referee.rules.game import Observation
from referee.rules.scene import Area, Card, Facts, Group, Mark, Row, Text, Token, Track
from referee.rules.words import counted

if TYPE_CHECKING:
    from referee.games.duel.game import Duel

_NEXT = 12  # so many cards of the deck are shown where all are open
_MOST = 12  # of stamina, dexterity and fencing, whatever the trait
_ORDINALS = ("", "first", "second", "third")
_QUESTIONS = {"defend": "decides how to defend", "emergency_parry": "may parry in emergency"}


def areas(game: "Duel", seat: int | None) -> Iterator[Area]:
    """Yield the line, the attack, the fencers' attributes, their cards, the last deeds."""
    views = game.views(seat)
    view = next(view for view in views if view is not None)
    yield _headline(game, view)
    yield _line(view)
    if view["attack"]:
        yield _attack(view["attack"])
    for name in ("stamina", "dexterity", "fencing"):
        yield _attribute(view, name)
    yield from (_fencer(each, own, view) for each, own in enumerate(views))
    yield from _lately(view)
    yield from _piles(game, seat)
    if game.asked == "action":
        price = view["price"]
        told_price = (
            f"{price['attack']} to attack, observe or feint, {price['breathe']} to breathe or"
            " use footwork"
        )
        yield Text("Stamina", [told_price])


def _headline(game: "Duel", view: Observation) -> Facts:
    label = f"Turn {view['turn']}" if view["turn"] else "Set-up"
    if game.asked is None:
        return Facts(label, (), [[outcome(game.places(), game.reason)]])
    if game.asked in _QUESTIONS:
        stage = _QUESTIONS[game.asked]
    else:
        number = view["action"]
        stage = f"decides the {_ORDINALS[number]} action" if number else "chooses a trait"
    return Facts(label, (), [[stage]], [game.decider])


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


def _piles(game: "Duel", viewer: int | None) -> Iterator[Area]:
    """Yield the deck, in its order if that may be seen, and the discards."""
    deck = game.deck
    yield Row("Deck", [back(len(deck.cards))])
    if viewer is None and deck.cards:  # nobody at the table knows it
        yield Text("Next in the deck", [" ".join(deck.cards[: -_NEXT - 1 : -1])], most=0)
    if deck.discards:
        yield Row("Discards, latest first", _cards(deck.discards[::-1]), most=1)


def _cards(cards: Sequence[str]) -> list[Card | Token]:
    return [suit_first(card) for card in cards]
