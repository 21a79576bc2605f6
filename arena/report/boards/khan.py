"""Khan's board: the points, the combat, and what stands before and behind each screen."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

import msgspec

from arena.report.boards.cards import Mark as CardMark
from arena.report.boards.cards import back, suit_first
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
from referee.games.khan.cards import KINDS, ROUNDS, without
from referee.games.khan.text import deed

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


def board(views: Views, names: Sequence[str], fixed: Fixed) -> Sequence[Area]:
    """Return the points, the combat, each seat's camp, the last turns and what is left."""
    view = public(views)
    names = [f"seat {seat} {name}" for seat, name in enumerate(names)]  # as the moves call them
    areas: list[Area] = [_headline(view, names), _points(views, names, fixed.table["goal"])]
    if combat := view["combat"]:
        areas.append(_combat(combat, view["scarce"], names))
    areas += [_camp(seat, views, name) for seat, name in enumerate(names)]
    if turns := view["recent"]:
        rows = [[str(turn["turn"]), names[turn["seat"]], _told(turn, names)] for turn in turns]
        seats = [turn["seat"] for turn in turns]
        areas.append(Facts("Last turns", ("Turn", "Who", "What"), rows, seats))
    return [*areas, *_supplies(view)]


def _headline(view: Observation, names: Sequence[str]) -> Facts:
    seat = view["to_move"]
    return Facts(f"Turn {view['turn']}", (), [[f"{names[seat]} in turn"]], [seat])


def _points(views: Views, names: Sequence[str], goal: int) -> Track:
    """Return the way to the goal; a seat whose own eyes are closed stands where it is seen."""
    seen = public(views)["seen_points"]
    marks = []
    for seat, (name, view) in enumerate(zip(names, views, strict=True)):
        points = view["points"] if view else seen[seat]
        text = str(points) if view else f"{points}+"
        words = f"{counted(points, 'point')}{'' if view else ' or more'}"
        marks.append(Mark(min(points, goal), text, seat, f"{name}, {words}"))
    return Track("Points", 0, goal, marks, ("", "wins"))


def _camp(seat: int, views: Views, name: str) -> Group:
    view, own = public(views), views[seat]
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
    return Group(name, areas, seat)


def _hoard(tokens: Mapping[str, int], unseen: int) -> str:
    """Return the tokens behind a screen in words, since there are many of them."""
    told = [f"{count} {kind}" for kind, count in tokens.items()]
    return ", ".join([*told, f"{unseen} unseen"] if unseen else told) or "nothing"


def _combat(combat: Mapping[str, Any], scarce: Sequence[str], names: Sequence[str]) -> Group:
    seats = (combat["seat"], combat["target"])
    areas: list[Area] = [
        Row(f"{names[seat]}, {title}", _formation(fought, side), seat, _result(fought, side, seat))
        for title, fought in zip(ROUNDS, combat["rounds"], strict=False)
        for side, seat in enumerate(seats)
    ]
    for seat, special in zip(seats, combat["declared"], strict=True):
        if special:
            areas.append(Row("Declared", [_card(special)], seat, _TITLES[special]))
    for seat, cards in zip(seats, combat["discarded"], strict=True):
        if cards:
            areas.append(Row("Given up", [_card(card, "lost") for card in cards], seat))
    if combat["loot"]:
        areas.append(Row("Loot", _tokens(combat["loot"], scarce), combat["winner"]))
    attack = f"{names[seats[0]]} attacks {names[seats[1]]}"
    won = "" if combat["winner"] is None else f", {names[combat['winner']]} wins"
    return Group(f"{attack}{won}", areas, combat["seat"])


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
        yield Row("Discards", [_card(pile[-1])], note=f"{len(pile)}, the last shown")
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
def _card(code: str, mark: CardMark = "") -> Card:
    """Return a card with what it is in this game."""
    card = suit_first(code, mark)
    title = _TITLES.get(code) or _ARMIES[code[0]]
    return msgspec.structs.replace(card, name=f"{card.name}, {title}")


def _told(turn: Mapping[str, Any], names: Sequence[str]) -> str:
    """Return what a seat did in its turn, in a few words."""
    if turn["action"] == "draw":
        drawn = [turn["token"] or "a token"] if turn["token_to"] else []
        drawn += [turn["card"] or "a card"] if turn["card_to"] else []
        told = f"draws {' and '.join(drawn) or 'nothing'}"
        return f"{told}, {deed('discard', turn['discard'], 0)}" if turn["discard"] else told
    won = sum(fought["winner"] == turn["seat"] for fought in turn["rounds"])
    attack = f"attacks {names[turn['target']]}, wins {won} of {len(turn['rounds'])} rounds"
    loot = sum(turn["loot"].values())
    return f"{attack}, loots {counted(loot, 'token')}" if loot else attack
