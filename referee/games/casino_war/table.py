"""Casino War's table: the cards, everybody's money, the rounds before, and the shoe."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from referee.games.casino_war.shoe import LEAST_PER_DECK, Shoe
from referee.games.war_family.cards import deck, strength
from referee.rules.cards import EMPTY, back, french, rank_text, rank_word
from referee.rules.game import ranked
from referee.rules.scene import Area, Card, Facts, Group, Look, Row, Text, Token

_NOTHING = "–"


def round_area(table: Mapping[str, Any], rounds: int) -> Group:
    """Return the two cards of a tie; while bets are made, the places they will lie in."""
    cards = [
        Row(whose.capitalize(), [french(table[whose], "new") if table[whose] else EMPTY])
        for whose in ("player", "house")
    ]
    what = "the bets" if table["decision"] == "bet" else "a tie: war or surrender?"
    return Group(f"Round {table['round']} of {rounds}: {what}", cards)


def money_area(table: Mapping[str, Any], seats: Sequence[int]) -> Facts:
    """Return what each seat has, how it stands, and once they are shown its bets."""
    money, bets = table["money"], table["bets"]
    head = ["Money", "Place", *(["Bet", "On a tie"] if bets else [])]
    places = ranked([-each for each in money])
    rows = [
        [str(money[seat]), str(places[seat]), *(_stake(bets[seat]) if bets else ())]
        for seat in seats
    ]
    return Facts("Money" if table["decision"] else "Money in the end", head, rows, seats)


def _stake(bet: Mapping[str, int] | None) -> tuple[str, str]:
    """Return a bet and the bet on a tie, as cells."""
    return (str(bet["bet"]), str(bet["tie_bet"])) if bet else (_NOTHING, _NOTHING)


def last_areas(last: Mapping[str, Any], seats: Sequence[int]) -> Iterator[Area]:
    """Yield the cards of the round before, and what it brought to whom."""
    label = f"Round {last['round']}"
    pairs = [(last["player"], last["house"])]
    if last["war"]:
        pairs.append((last["war"]["player"], last["war"]["house"]))
    player, house = zip(*(_compared(pair, at > 0) for at, pair in enumerate(pairs)), strict=True)
    yield Group(f"{label}: cards", [Row("Player", player), Row("House", house)])
    answers = last["answers"]
    head = ["Bet", "On a tie", *(["Answer"] if answers else []), "Change"]
    rows = [
        [
            *_stake(last["bets"][seat]),
            *([answers[seat] or _NOTHING] if answers else ()),
            f"{change:+}".replace("-", "−") if last["bets"][seat] else _NOTHING,
        ]
        for seat, change in enumerate(last["change"])
    ]
    yield Facts(f"{label}: bets", head, rows, seats)


def _compared(pair: tuple[str, str], in_war: bool) -> tuple[Card, Card]:
    """Return player's and house's cards; in a war equal ones win, else they have no mark."""
    ahead = strength(pair[0]) - strength(pair[1])
    looks: tuple[Look, Look] = ("won", "lost") if ahead > 0 or in_war else ("", "")
    if ahead < 0:
        looks = ("lost", "won")
    return french(pair[0], looks[0]), french(pair[1], looks[1])


def shoe_area(shoe: Shoe, decks: int, *, each_round: bool, is_open: bool) -> Area:
    """Return how many cards are left, by rank those seen since the last shuffle, and the burned."""
    most = decks * len(deck())
    burned: list[Area] = []
    if is_open and shoe.burned:
        burned.append(Row("Burned", [french(card) for card in shoe.burned]))
    if each_round:
        told = [f"{most} cards, shuffled before each round"]
        return Group("Shoe", [Text("", told), *burned]) if burned else Text("Shoe", told)
    seen = [
        Token(rank_text(rank), "rank", count, rank_word(rank))
        for rank, count in shoe.seen.items()
        if count
    ]
    few = f"of {most}; shuffled when fewer than {LEAST_PER_DECK * decks}"
    rows = [Row("Left", [back(len(shoe.cards))], note=few), Row("Seen", seen or [EMPTY])]
    return Group("Shoe", [*rows, *burned])
