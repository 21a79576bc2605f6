"""The board of Casino War: the cards on the table, everybody's money, and the round before."""

from collections.abc import Mapping, Sequence
from typing import Any

from arena.report.boards.cards import EMPTY, Mark, back, called, french, rank_text, rank_word
from arena.report.scene import Area, Card, Facts, Fixed, Group, Row, Token, Views, public
from referee.game import Observation, ranked
from referee.games.war_family.cards import strength

_NOTHING = "–"


def board(views: Views, names: Sequence[str], fixed: Fixed) -> Sequence[Area]:
    """Return the round with its cards, the money, the round before, and a shoe that is counted."""
    table = public(views)
    areas: list[Area] = [_round(table, fixed.options["rounds"])] if table["decision"] else []
    areas.append(_money(table, names))
    if table["last"]:
        areas += _last(table["last"], names)
    if fixed.options["reshuffle"] == "shoe":
        areas.append(_shoe(table))
    return areas


def _round(table: Observation, rounds: int) -> Group:
    """Return the two cards of a tie; while bets are made, the places they will lie in."""
    cards = [
        Row(whose.capitalize(), [french(table[whose], "new") if table[whose] else EMPTY])
        for whose in ("player", "house")
    ]
    return Group(f"Round {table['round']} of {rounds}", cards)


def _money(table: Observation, names: Sequence[str]) -> Facts:
    """Return what each seat has, how it stands, and once they are shown its bets."""
    money, bets = table["money"], table["bets"]
    head = ["Bot", "Money", "Place", *(["Bet", "On a tie"] if bets else [])]
    places = ranked([-each for each in money])
    rows = [
        [
            called(seat, names),
            str(money[seat]),
            str(places[seat]),
            *(_stake(bets[seat]) if bets else ()),
        ]
        for seat in range(len(money))
    ]
    label = "Money" if table["decision"] else "Money in the end"
    return Facts(label, head, rows, tuple(range(len(money))))


def _stake(bet: Mapping[str, int] | None) -> tuple[str, str]:
    """Return a bet and the bet on a tie, as cells."""
    return (str(bet["bet"]), str(bet["tie_bet"])) if bet else (_NOTHING, _NOTHING)


def _last(last: Mapping[str, Any], names: Sequence[str]) -> list[Area]:
    """Return the cards of the round before, and what it brought to whom."""
    label = f"Round {last['round']}"
    pairs = [(last["player"], last["house"])]
    if last["war"]:
        pairs.append((last["war"]["player"], last["war"]["house"]))
    player, house = zip(*(_compared(pair, at > 0) for at, pair in enumerate(pairs)), strict=True)
    answers = last["answers"]
    head = ["Bot", "Bet", "On a tie", *(["Answer"] if answers else []), "Change"]
    rows = [
        [
            called(seat, names),
            *_stake(last["bets"][seat]),
            *([answers[seat] or _NOTHING] if answers else ()),
            f"{change:+}".replace("-", "−") if last["bets"][seat] else _NOTHING,
        ]
        for seat, change in enumerate(last["change"])
    ]
    cards = Group(f"{label}: cards", [Row("Player", player), Row("House", house)])
    return [cards, Facts(f"{label}: bets", head, rows, tuple(range(len(rows))))]


def _compared(pair: tuple[str, str], in_war: bool) -> tuple[Card, Card]:
    """Return player's and house's cards; in a war equal ones win, else they have no mark."""
    ahead = strength(pair[0]) - strength(pair[1])
    marks: tuple[Mark, Mark] = ("won", "lost") if ahead > 0 or in_war else ("", "")
    if ahead < 0:
        marks = ("lost", "won")
    return french(pair[0], marks[0]), french(pair[1], marks[1])


def _shoe(table: Observation) -> Group:
    """Return how many cards are left, and by rank how many were seen since the last shuffle."""
    seen = [
        Token(rank_text(rank), "rank", count, rank_word(rank))
        for rank, count in table["seen"].items()
        if count
    ]
    return Group("Shoe", [Row("Left", [back(table["left"])]), Row("Seen", seen or [EMPTY])])
