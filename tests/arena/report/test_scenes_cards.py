"""The scenes of the card games, as the page draws them: nothing hidden, nothing missing, small."""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import count
from typing import Any, NamedTuple

import msgspec
import pytest

from arena.report.frames import shortened
from referee.cards import back, french, pack, spanish, suit_first
from referee.game import Game, Observation, plain
from referee.games.casino_war.game import CasinoWar
from referee.games.guerra.battle import ZONES
from referee.games.tod_und_leben.scene import areas as areas_of_pairs
from referee.scene import Area, Card, Facts, Group, Row, Token
from referee.testing.cases import Case
from referee.testing.trial import sampling
from tests.arena.report.sketch import sketch
from tests.referee.games import (
    casino_war_positions,
    guerra_positions,
    steal_war_positions,
    war_positions,
)
from tests.referee.games.conformance import cases_of, moments

GAMES = ("guerra", "war", "steal_war", "pyanitsa", "tod_und_leben", "casino_war")
CODE = re.compile(r"\b(?:[1-7]|1[0-2])[OCEB]\b|\b[2-9TJQKA][CDHS]\b|\bX[12]\b")
"""A card in the words of these games."""
SPANISH = {"oros": "O", "copas": "C", "espadas": "E", "bastos": "B"}
FRENCH = {"clubs": "C", "diamonds": "D", "hearts": "H", "spades": "S"}
MOST_ITEMS = 84  # all cards of Steal War, and three places for each of ten seats
EMPTY = Card(count=0)


class Moment(NamedTuple):
    """What is shown before a step of a match."""

    views: list[Observation]
    shown: Sequence[Area]
    """With all eyes open."""
    alone: list[Sequence[Area]]
    """With one seat's eyes, by seat."""


def board_of(game: Game, eyes: int | None = None) -> Sequence[Area]:
    """Return what the page draws of a scene."""
    return [short for area in game.scene(eyes) if (short := shortened(area))]


def random_moments(case: Case) -> Iterator[Moment]:
    """Yield what is seen before every fifth step of a random match, and after the last."""
    game, choose = case.new(), sampling()
    for step in count():
        deciders = game.deciders()
        if not deciders or step % 5 == 0:
            seats = range(game.seats)
            views = [plain(game.view(seat)) for seat in seats]
            yield Moment(views, board_of(game), [board_of(game, seat) for seat in seats])
        if not deciders:
            return
        game.apply({seat: choose(game, seat) for seat in deciders})


@cache
def tables(name: str) -> list[Moment]:
    """Return the moments of matches with all numbers of seats and all options."""
    return [moment for case in cases_of(name) for moment in random_moments(case)]


def rows_of(areas: Sequence[Area]) -> Iterator[Row]:
    for area in areas:
        if isinstance(area, Group):
            yield from rows_of(area.areas)
        elif isinstance(area, Row):
            yield area


def items_of(areas: Sequence[Area]) -> list[Card | Token]:
    return [item for row in rows_of(areas) for item in row.items]


def code_of(card: Card) -> str:
    """Return the name that a card has in views."""
    if card.suit == "joker":
        return "X" + card.name[len("joker ")]
    if card.suit in SPANISH:
        return card.text + SPANISH[card.suit]
    return card.text.replace("10", "T") + FRENCH[card.suit]


def codes_of(areas: Sequence[Area]) -> set[str]:
    """Return the cards whose faces are shown."""
    return {code_of(card) for card in items_of(areas) if isinstance(card, Card) and card.text}


def of_seat(areas: Sequence[Area], seat: int) -> list[Area]:
    """Return the groups of a seat, those within others too."""
    groups = [area for area in areas if isinstance(area, Group)]
    within = [inner for group in groups for inner in of_seat(group.areas, seat)]
    return [group for group in groups if group.seat == seat] + within


# --- what holds at every moment


@pytest.mark.parametrize("name", GAMES)
def test_a_board_shows_all_seats_and_no_card_that_is_not_in_a_view_of_whoever_looks(name):
    for views, board, alone in tables(name):
        for seen, drawn in ((views, board), *zip(views, alone, strict=True)):
            told = msgspec.json.encode(seen).decode()
            assert [code for code in codes_of(drawn) if f'"{code}"' not in told] == []
        assert len(items_of(board)) <= MOST_ITEMS
        assert seats_of(board) == {*range(len(views))}


def seats_of(areas: Sequence[Area]) -> set[int]:
    found: set[int] = set()
    for area in areas:
        if isinstance(area, Facts):
            found |= {*area.seats}
        elif isinstance(area, Group):
            found |= seats_of(area.areas)
        if isinstance(area, Group | Row) and area.seat is not None:
            found.add(area.seat)
    return found


def test_all_eyes_open_show_both_hands_of_guerra_and_to_everybody_what_is_on_the_table():
    for views, board, alone in tables("guerra"):
        for seat, view in enumerate(views):
            assert set(view["hand"]) <= codes_of(of_seat(board, seat))
            zones = views[0]["zones"][seat]
            standing = {card for zone in ZONES for card in zones[zone]}
            assert all(standing <= codes_of(of_seat(own, seat)) for own in alone)


def test_all_eyes_open_show_every_card_drawn_in_steal_war_and_others_that_there_is_one():
    for views, board, (first, *_) in tables("steal_war"):
        for seat, view in enumerate(views):
            drawn = rows_labelled(of_seat(board, seat), "Drawn")
            assert drawn == [[french(view["card"], "new")] if view["card"] else [EMPTY]]
            if seat:
                others = rows_labelled(of_seat(first, seat), "Drawn")
                assert others == [[back() if view["card"] else EMPTY]]


@pytest.mark.parametrize("name", ["war", "pyanitsa"])
def test_a_pack_shows_how_many_it_has_and_the_next_card_that_anybody_knows(name):
    for views, board, _ in tables(name):
        for seat in range(len(views)):
            row = pack_of(board, seat)
            next_ones = {view["packs"][seat][0] for view in views if view["packs"][seat]} - {None}
            assert next_ones == {code_of(card) for card in row.items[:1] if card.text}
            assert len(row.items) <= 8
            assert sum(card.count for card in row.items) == len(views[0]["packs"][seat])


def pack_of(board: Sequence[Area], seat: int) -> Row:
    (row,) = [row for row in rows_of(of_seat(board, seat)) if row.label.startswith("Pack")]
    return row


@pytest.mark.parametrize("name", ["guerra", "war", "steal_war", "pyanitsa"])
def test_the_cards_in_a_decisions_words_are_on_the_board_that_it_is_made_on(name):
    named = 0
    for case in cases_of(name)[:4]:
        game = case.new()
        for seat, move in moments(game, sampling()):
            words = {*CODE.findall(game.describe(seat, move))}
            items = items_of(board_of(game))
            shown = {item.code for item in items if isinstance(item, Card)}
            under = sum(item.count - 1 for item in items if isinstance(item, Card) and item.code)
            assert len(words - shown) <= under  # in a pile, only the top is seen
            named += len(words)
    assert named


# --- cards


def test_a_card_has_its_name_in_words_and_as_its_game_writes_it():
    for card, shown in (
        (spanish("7O"), Card("7", "oros", "seven of coins", "7O")),
        (suit_first("B12"), Card("12", "bastos", "twelve of batons", "B12")),
        (french("KD"), Card("K", "diamonds", "king of diamonds", "KD")),
        (french("TS", "won"), Card("10", "spades", "ten of spades", "TS", mark="won")),
        (french("X1"), Card("X", "joker", "joker 1", "X1")),
        (back(), Card()),
    ):
        assert card == shown


def test_a_pack_is_one_back_for_neighbours_that_nobody_knows_and_a_pile_where_it_is_too_long():
    assert pack([None, None, "2C", None]) == [back(2), french("2C"), back()]
    assert pack([]) == [EMPTY]
    row = Row("Pack", pack(["2C", "3C", "4C", None, None]), most=3)
    assert shortened(row) == Row("Pack", [french("2C"), french("3C"), french("4C", count=3)])


# --- whole positions


def test_guerra_shows_armies_face_to_face_with_wounds_and_cards_that_have_attacked(golden):
    game = guerra_positions.position(
        "V 5O 6O / C 10B", "V 5C 7E / R 1B", hands=("4E", "2C 3C"), packs=("7C", "")
    )
    guerra_positions.order_attacks(game, "6O>5C")
    golden(sketch(board_of(game, 0)))


def test_an_attacker_in_guerra_that_died_of_it_is_still_told_of():
    game = guerra_positions.position("V 2O 6O 4E / R 1B", "V 7E 7O")
    guerra_positions.order_attacks(game, "2O+6O>7E")
    armies, *_ = board_of(game)
    assert [row[0] for row in armies.areas[1].rows] == ["none", "2O (died), 6O"]


def test_wounds_in_guerra_are_counted_against_the_value_beside_the_banner():
    game = guerra_positions.position("V 7O 1O*0 / R 2B", "V 6O*4 1O")
    items = items_of(of_seat(board_of(game), 1))
    assert Token("4/12", "wounds", 1, "4 of 12 wounds", "(4 of 12 wounds)") in items


def test_a_war_shows_the_cards_face_down_and_who_takes_all(golden):
    golden(sketch(board_of(war_positions.position("9 2 3 5 / 9 4 5 5 / 4 6 K 5"))))


def test_many_cards_face_down_are_a_pile():
    game = war_positions.position("8 2 3 4 5 6 7 8 9 / 8 2 3 4 5 6 7 8 T", war_length="razboi")
    battle, *_ = board_of(game)
    assert [item.count for item in items_of([battle])] == [1, 7, 1, 1, 7, 1]


def test_cards_that_went_under_a_pack_are_seen_by_those_who_know_them():
    game = war_positions.position("9 2 3 / 8 4 5", order_seen="winner")
    war_positions.play(game, {"order": ["8C", "9C"]})
    mine, others = (board_of(game, seat)[1] for seat in (0, 1))
    assert items_of([mine]) == [back(), french("8C"), french("9C")]
    assert items_of([others]) == [back(3)]


def test_pyanitsa_shows_a_six_that_beats_an_ace(golden):
    golden(sketch(board_of(war_positions.pyanitsa("6 7 8 / A 7 8"))[:1]))


def test_a_seat_in_steal_war_sees_its_own_card_and_the_piles(golden):
    game = steal_war_positions.position("9 5 6 | 2 3", "K 4 7 | J 9", "3 6 8")
    golden(sketch(board_of(game, 0)))


def test_a_theft_is_shown_until_its_trick_is_over(golden):
    game = steal_war_positions.position("9 5 6 | 2 3", "K 4 7 | J 9", "3 6 8")
    steal_war_positions.play(game, steal_war_positions.steal(1), None, {"action": "play"})
    golden(sketch(board_of(game)))


def test_a_pile_that_cannot_be_stolen_now_says_so():
    game = steal_war_positions.position("9 5 6 | 2 3", "9 4 7 | J 9", "3 9 8 | J 3")
    steal_war_positions.play(game, {"action": "play"}, None, steal_war_positions.steal(0))
    notes = [[row.note for row in rows_of(of_seat(board_of(game), seat))] for seat in range(3)]
    assert notes[1] == ["", "", "protected"]


def test_a_tie_in_casino_war_shows_the_two_cards_and_all_bets(golden):
    game = casino_war_positions.position("9 9", 1000, 60)
    casino_war_positions.play(game, casino_war_positions.bet(10), casino_war_positions.bet(20, 3))
    golden(sketch(board_of(game, 1)[:2]))


def test_the_round_before_in_casino_war_shows_its_cards_and_what_it_brought(golden):
    golden(sketch(board_of(after_a_war())))
    money, cards, bets, _ = board_of(after_a_war(rounds=1))  # the end has no places for cards
    assert [area.label for area in (money, cards, bets)] == [
        *("Money in the end", "Round 1: cards", "Round 1: bets")
    ]


def test_a_shoe_that_is_not_shuffled_each_round_is_counted(golden):
    game = casino_war_positions.new_game(reshuffle="shoe")
    del game.shoe.cards[:3]
    game.shoe.seen |= {"3": 1, "T": 2}
    golden(sketch(board_of(game, 0)[-1:]))


def test_tod_und_leben_shows_pair_by_pair_who_was_higher(golden):
    view = {
        "round": 3,
        "packs": [["9C", "AS", "7C"], ["9H", "KD", "8C"]],
        "cards_won": [4, 2],
        "rounds_won": [2, 1],
    }
    golden(sketch(areas_of_pairs(view)))


def rows_labelled(areas: Sequence[Area], label: str) -> list[Sequence[Card | Token]]:
    return [row.items for row in rows_of(areas) if row.label == label]


def after_a_war(**options: Any) -> CasinoWar:
    """Return the game after tens for both, and a king for the house in the war."""
    game = casino_war_positions.position("T T 3 K", 1000, 1000, **options)
    casino_war_positions.play(game, casino_war_positions.bet(10), casino_war_positions.bet(40))
    casino_war_positions.play(game, casino_war_positions.WAR, casino_war_positions.SURRENDER)
    return game
