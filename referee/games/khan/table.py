"""Khan's table and words: the points, the combat, what stands before and behind each screen."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

import msgspec

from referee.games.khan.camp import KINDS, ROUNDS, in_order, without
from referee.rules.cards import back, suit_first
from referee.rules.game import Move, Observation
from referee.rules.scene import Area, Card, Facts, Group, Look, Mark, Row, Text, Token, Track
from referee.rules.words import counted

LEGEND = (
    "E beats B, B beats O, O beats E; C leads. O1 gunpowder, C1 poison, B1 champion, E1 retreat."
)


def called(seat: int) -> str:
    """Return what a seat is called."""
    return f"seat {seat}"


def deed(decision: str, move: Move, stage: int) -> str:
    """Return what a seat does by `move`, as the predicate of a sentence."""
    match decision:
        case "turn":
            peaceful = move["action"] == "draw"
            return "draws" if peaceful else f"attacks seat {move['target']}"
        case "discard":
            replaced = move.get("replacement")
            more = f", and turns {replaced} face up for it" if replaced else ""
            return f"discards {move['discard']}{more}"
        case "reveal":
            return f"shows {' '.join(in_order(move['cards'])) or 'nothing'} as {ROUNDS[stage]}"
        case "gunpowder" if move["use"]:
            return f"uses gunpowder on {' '.join(in_order(move['discard']))}"
        case "gunpowder" | "poison":
            return f"{'uses' if move['use'] else 'keeps'} its {decision}"
        case "replace_leader":
            return f"sends {move['card'] or 'nobody'} in as leader"
        case "retreat":
            return "retreats" if move["use"] else "does not retreat"
    return f"turns {' '.join(in_order(move['cards']))} face up"


def told_turn(turn: Mapping[str, Any]) -> str:
    """Return what a seat did in a turn, as the predicate of a sentence."""
    if turn["action"] == "draw":
        return _told_draw(turn)
    rounds = "; ".join(_clash(fought) for fought in turn["rounds"])
    seats = (turn["seat"], turn["target"])
    declared = zip(seats, turn["declared"], strict=True)
    specials = [f"{special} declared by {called(seat)}" for seat, special in declared if special]
    parts = [rounds, *specials, _aftermath(turn)]
    return f"attacks {called(turn['target'])}: {'; '.join(parts)}"


def _told_tokens(tokens: Mapping[str, int]) -> str:
    return ", ".join(kind if count == 1 else f"{kind}*{count}" for kind, count in tokens.items())


def _clash(fought: Mapping[str, Any]) -> str:
    sides = zip(fought["shown"], fought["destroyed"], strict=True)
    return " v ".join(_side(shown, destroyed) for shown, destroyed in sides)


def _side(shown: Sequence[str] | None, destroyed: Sequence[str]) -> str:
    if shown is None:
        return "..."
    cards = " ".join(shown) or "-"
    return f"{cards} ({' '.join(destroyed)} destroyed)" if destroyed else cards


def _aftermath(combat: Mapping[str, Any]) -> str:
    parts = [f"{called(combat['winner'])} wins"]
    if combat["loot"]:
        parts.append(f"loots {_told_tokens(combat['loot'])}")
    seats = (combat["seat"], combat["target"])
    for seat, cards in zip(seats, combat["discarded"], strict=True):
        if cards:
            parts.append(f"{called(seat)} discards {' '.join(cards)}")
    return ", ".join(parts)


def _told_draw(turn: Mapping[str, Any]) -> str:
    places = {"front": "in front", "behind": "behind", "hand": "in hand"}
    parts = []
    if turn["token_to"]:
        parts.append(turn["token"] or f"a token {places[turn['token_to']]}")
    if turn["card_to"]:
        parts.append(f"{turn['card']} face up" if turn["card"] else "a card in hand")
    told = f"draws {' and '.join(parts) or 'nothing'}"
    if discard := turn["discard"]:
        told += f", {deed('discard', discard, 0)}"
    return told


_TITLES = {
    "O1": "gunpowder",
    "C1": "poison",
    "B1": "champion",
    "E1": "retreat",
    "C10": "jack",
    "C11": "knight",
    "C12": "king",
}
_ARMIES = {"E": "horsemen", "B": "raiders", "O": "archers"}


def areas(views: Sequence[Observation | None], turns: int, goal: int) -> Iterator[Area]:
    """Yield the points, the combat, each seat's camp, the last turns and what is left.

    Each seat's view is None where its eyes are closed; there are at most so many `turns`.
    """
    view = next(view for view in views if view is not None)
    yield _headline(view, turns)
    yield _points(views, view, goal)
    if combat := view["combat"]:
        yield _combat(combat, view["scarce"])
    yield from (_camp(each, own, view) for each, own in enumerate(views))
    if recent := view["recent"]:
        rows = [[str(turn["turn"]), told_turn(turn)] for turn in recent]
        yield Facts("Last turns", ("Turn", "What"), rows, [turn["seat"] for turn in recent])
    yield from _supplies(view)
    yield Text("", [LEGEND])


def _headline(view: Observation, most: int) -> Facts:
    return Facts(f"Turn {view['turn']} of at most {most}", (), [["in turn"]], [view["to_move"]])


def _points(views: Sequence[Observation | None], view: Observation, goal: int) -> Track:
    """Return the way to the goal; a seat whose own eyes are closed stands where it is seen."""
    marks = []
    for seat, (own, seen) in enumerate(zip(views, view["seen_points"], strict=True)):
        points = own["points"] if own else seen
        text = str(points) if own else f"{points}+"
        words = f"{counted(points, 'point')}{'' if own else ' or more'}"
        marks.append(Mark(min(points, goal), text, seat, words))
    return Track("Points", 0, goal, marks, ("", "wins"))


def _camp(seat: int, own: Observation | None, view: Observation) -> Group:
    scarce = view["scarce"]
    cards: list[Card | Token]
    if own:
        new = [own["drawn"]] if own["drawn"] else []
        cards = [_card(card) for card in without(own["hand"], new)]
        cards += [_card(card, "new") for card in new]
        behind, unseen = own["behind"], 0
    else:
        known, behind = view["seen_in_hand"][seat], view["seen_behind"][seat]
        cards = [_card(card) for card in known]
        if closed := view["hand_size"][seat] - len(known):
            cards.append(back(closed))
        unseen = view["behind_size"][seat] - sum(behind.values())
    screened: list[Area] = [Row("Hand", cards), Facts("Hoard", (), [[_hoard(behind, unseen)]])]
    areas: list[Area] = [
        Row("Face up", [_card(card) for card in view["face_up"][seat]]),
        Row("In sight", _tokens(view["front"][seat], scarce)),
        Group("Behind the screen", screened, hidden=True),
    ]
    return Group("", areas, seat)


def _hoard(tokens: Mapping[str, int], unseen: int) -> str:
    """Return the tokens behind a screen in words, since there are many of them."""
    told = [f"{count} {kind}" for kind, count in tokens.items()]
    return ", ".join([*told, f"{unseen} unseen"] if unseen else told) or "nothing"


def _combat(combat: Mapping[str, Any], scarce: Sequence[str]) -> Group:
    seats = (combat["seat"], combat["target"])
    areas: list[Area] = [
        Row("face up before", [*map(_card, cards)], seat)
        for seat, cards in zip(seats, combat["face_up"], strict=True)
    ]
    areas += [
        Row(title, _formation(fought, side), seat, _result(fought, side, seat))
        for title, fought in zip(ROUNDS, combat["rounds"], strict=False)
        for side, seat in enumerate(seats)
    ]
    for seat, special in zip(seats, combat["declared"], strict=True):
        if special:
            areas.append(Row("declared", [_card(special)], seat, _TITLES[special]))
    for seat, cards in zip(seats, combat["discarded"], strict=True):
        if cards:
            areas.append(Row("given up", [_card(card, "lost") for card in cards], seat))
    if combat["loot"]:
        areas.append(Row("loot", _tokens(combat["loot"], scarce), combat["winner"]))
    won = "" if combat["winner"] is None else f", {called(combat['winner'])} wins"
    return Group(f"{called(seats[0])} attacks {called(seats[1])}{won}", areas)


def _formation(fought: Mapping[str, Any], side: int) -> list[Card]:
    """Return what a side has shown in a round, what is destroyed of it last."""
    gone = fought["destroyed"][side]
    stands = without(fought["shown"][side] or (), gone)
    return [*map(_card, stands), *(_card(card, "lost") for card in gone)]


def _result(fought: Mapping[str, Any], side: int, seat: int) -> str:
    if fought["shown"][side] is None:
        return "still to show"
    return "wins" if fought["winner"] == seat else ""


def _supplies(view: Observation) -> Iterator[Area]:
    yield Row("Scarce", _tokens(dict.fromkeys(view["scarce"], 1), view["scarce"]), note="worth 2")
    yield Row("Deck", [back(view["deck"])])
    if pile := view["discards"]:
        cards = [_card(card) for card in reversed(pile)]
        yield Row("Discards, latest first", cards, most=1)
    yield Row("Bag", [Token("tokens", "bag", view["bag"], "tokens to be drawn")])


def _tokens(tokens: Mapping[str, int], scarce: Sequence[str]) -> list[Card | Token]:
    return [
        Token(kind, "scarce", tokens[kind], f"{kind}, scarce")
        if kind in scarce
        else Token(kind, "token", tokens[kind])
        for kind in KINDS
        if kind in tokens
    ]


@cache
def _card(code: str, mark: Look = "") -> Card:
    """Return a card with what it is in this game."""
    card = suit_first(code, mark)
    title = _TITLES.get(code) or _ARMIES[code[0]]
    return msgspec.structs.replace(card, name=f"{card.name}, {title}")
