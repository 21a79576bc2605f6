"""The scenes of the card games, as the page draws them: nothing hidden, nothing missing, small."""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple

import msgspec
import pytest

from arena.report.frames import shortened
from referee.cards import back, french, pack, spanish, suit_first
from referee.game import Game, Observation, plain
from referee.games.casino_war.game import CasinoWar
from referee.games.guerra.battle import ZONES
from referee.games.tod_und_leben.scene import areas as areas_of_pairs
from referee.scene import Area, Card, Facts, Group, Row, Text, Token
from referee.testing.cases import Case
from referee.testing.trial import sampling
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
    """Yield what is seen before every step of a random match, and after the last."""
    game, choose = case.new(), sampling()
    while True:
        seats = range(game.seats)
        views = [plain(game.view(seat)) for seat in seats]
        yield Moment(views, board_of(game), [board_of(game, seat) for seat in seats])
        deciders = game.deciders()
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


@pytest.mark.quick(1)
@pytest.mark.parametrize("name", GAMES)
def test_a_single_seats_board_shows_no_card_that_is_not_in_its_view(name):
    for views, _, alone in tables(name):
        for view, board in zip(views, alone, strict=True):
            told = msgspec.json.encode(view).decode()
            assert [code for code in codes_of(board) if f'"{code}"' not in told] == []


@pytest.mark.quick(1)
@pytest.mark.parametrize("name", GAMES)
def test_with_all_eyes_open_nothing_is_shown_that_no_seat_sees(name):
    for views, board, _ in tables(name):
        told = msgspec.json.encode(views).decode()
        assert [code for code in codes_of(board) if f'"{code}"' not in told] == []


@pytest.mark.parametrize("name", GAMES)
def test_boards_are_small(name):
    for _, board, _ in tables(name):
        assert len(items_of(board)) <= MOST_ITEMS


@pytest.mark.parametrize("name", GAMES)
def test_boards_are_json_in_which_cards_and_tokens_differ(name):
    for _, board, _ in tables(name)[::7]:
        assert all(area["t"] for area in msgspec.json.decode(msgspec.json.encode(board)))
        for item in items_of(board):
            encoded = msgspec.to_builtins(item)
            assert isinstance(item, Card) == ("suit" in encoded or "text" not in encoded)


@pytest.mark.parametrize("name", GAMES)
def test_all_seats_are_there_at_every_moment(name):
    for views, board, _ in tables(name)[::7]:
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


def test_all_eyes_open_show_both_hands_of_guerra():
    for views, board, _ in tables("guerra"):
        for seat, view in enumerate(views):
            assert set(view["hand"]) <= codes_of(of_seat(board, seat))


def test_every_card_on_the_table_of_guerra_is_shown_to_everybody():
    for (first, _), _, alone in tables("guerra"):
        for board in alone:
            for seat, zones in enumerate(first["zones"]):
                standing = {card for zone in ZONES for card in zones[zone]}
                assert standing <= codes_of(of_seat(board, seat))


def test_all_eyes_open_show_every_card_drawn_in_steal_war():
    for views, board, _ in tables("steal_war"):
        for seat, view in enumerate(views):
            (row,) = [row for row in rows_of(of_seat(board, seat)) if row.label == "Drawn"]
            assert row.items == ([french(view["card"], "new")] if view["card"] else [EMPTY])


def test_others_in_steal_war_are_seen_to_have_a_card_just_when_they_have_one():
    for views, _, (board, *_) in tables("steal_war"):
        for seat, view in enumerate(views[1:], start=1):
            (row,) = [row for row in rows_of(of_seat(board, seat)) if row.label == "Drawn"]
            assert row.items == [back() if view["card"] else EMPTY]


@pytest.mark.parametrize("name", ["war", "pyanitsa"])
def test_all_eyes_open_show_the_next_card_of_each_pack_that_anybody_knows(name):
    for views, board, _ in tables(name):
        for seat in range(len(views)):
            row = pack_of(board, seat)
            next_ones = {view["packs"][seat][0] for view in views if view["packs"][seat]} - {None}
            assert next_ones == {code_of(card) for card in row.items[:1] if card.text}


@pytest.mark.parametrize("name", ["war", "pyanitsa"])
def test_the_items_of_a_pack_stand_for_all_its_cards(name):
    for views, board, _ in tables(name):
        for seat in range(len(views)):
            row = pack_of(board, seat)
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


@pytest.mark.parametrize(
    ("card", "shown"),
    [
        (spanish("7O"), Card("7", "oros", "seven of coins", "7O")),
        (suit_first("B12"), Card("12", "bastos", "twelve of batons", "B12")),
        (french("KD"), Card("K", "diamonds", "king of diamonds", "KD")),
        (french("TS", "won"), Card("10", "spades", "ten of spades", "TS", mark="won")),
        (french("X1"), Card("X", "joker", "joker 1", "X1")),
        (back(), Card()),
    ],
)
def test_a_card_has_its_name_in_words_and_as_its_game_writes_it(card, shown):
    assert card == shown


def test_neighbours_that_nobody_knows_are_one_back():
    assert pack([None, None, "2C", None]) == [back(2), french("2C"), back()]


def test_what_does_not_fit_is_a_pile_under_the_first_card_of_it():
    row = Row("Pack", pack(["2C", "3C", "4C", None, None]), most=3)
    assert shortened(row) == Row("Pack", [french("2C"), french("3C"), french("4C", count=3)])


def test_an_empty_pack_is_an_empty_place():
    assert pack([]) == [EMPTY]


# --- whole positions


def test_guerra_shows_armies_face_to_face_with_wounds_and_cards_that_have_attacked():
    game = guerra_positions.position(
        "V 5O 6O / C 10B", "V 5C 7E / R 1B", hands=("4E", "2C 3C"), packs=("7C", "")
    )
    guerra_positions.order_attacks(game, "6O>5C")
    assert board_of(game, 0) == [
        Group(
            "Turn 1 of 200, A decides (attack)",
            [
                Group(
                    "",
                    [
                        Row("Rearguard", [standing("1B", "Banner")]),
                        Row("Centre", [EMPTY]),
                        Row("Vanguard", [spanish("7E")], note="in front"),
                    ],
                    1,
                ),
                Facts(
                    "Between the armies",
                    ("Has attacked", "Wounds"),
                    [("none", "none"), ("6O", "6O 5 of 6")],
                    (1, 0),
                ),
                Group(
                    "",
                    [
                        Row(
                            "Vanguard",
                            [
                                spanish("5O"),
                                spanish("6O", "used"),
                                Token("5/6", "wounds", 1, "5 of 6 wounds", "(5 of 6 wounds)"),
                            ],
                            note="in front",
                        ),
                        Row("Centre", [standing("10B", "Archer")]),
                        Row("Rearguard", [EMPTY]),
                    ],
                    0,
                ),
            ],
        ),
        Facts(
            "Strength",
            ("Troops", "Cards to come"),
            [("11", "2"), ("12", "2")],
            (1, 0),
        ),
        Group(
            "reserve",
            [
                Row("Hand", [back(2)], note="2 cards"),
                Row("Pack", [EMPTY]),
                Row(
                    "Cemetery",
                    [standing("11B", "Knight"), standing("12B", "Captain"), spanish("5C")],
                    note="36 cards, the latest last",
                ),
            ],
            1,
        ),
        Group(
            "reserve",
            [
                Row("Hand", [spanish("4E", "new")], note="1 card"),
                Row("Pack", [back()]),
                Row(
                    "Cemetery",
                    [spanish("7B"), standing("11B", "Knight"), standing("12B", "Captain")],
                    note="35 cards, the latest last",
                ),
            ],
            0,
        ),
    ]


def test_an_attacker_in_guerra_that_died_of_it_is_still_told_of():
    game = guerra_positions.position("V 2O 6O 4E / R 1B", "V 7E 7O")
    guerra_positions.order_attacks(game, "2O+6O>7E")
    armies, *_ = board_of(game)
    assert [row[0] for row in armies.areas[1].rows] == ["none", "2O (died), 6O"]


def test_wounds_in_guerra_are_counted_against_the_value_beside_the_banner():
    game = guerra_positions.position("V 7O 1O*0 / R 2B", "V 6O*4 1O")
    items = items_of(of_seat(board_of(game), 1))
    assert Token("4/12", "wounds", 1, "4 of 12 wounds", "(4 of 12 wounds)") in items


def test_a_war_shows_the_cards_face_down_and_who_takes_all():
    game = war_positions.position("9 2 3 5 / 9 4 5 5 / 4 6 K 5")
    battle, *packs, aim = board_of(game)
    assert aim == Text("", ["Whoever ends up with all the cards wins."])
    down = [
        Card(text, "clubs", f"{word} of clubs, laid face down", f"{text}C", mark="down")
        for text, word in (("2", "two"), ("4", "four"), ("6", "six"))
    ]
    assert battle == Group(
        "Battle 1 of at most 3000: C takes 9 cards",
        [
            Row("", [french("9C"), down[0], french("3C", "lost")], 0),
            Row("", [french("9D"), down[1], french("5D", "lost")], 1),
            Row("", [french("4D"), down[2], french("KC", "won")], 2),
        ],
    )
    assert packs[0] == Group("", [Row("Pack, top first", [back()], note="1 card")], 0)
    assert packs[2] == Group(
        "", [Row("Pack, top first", [back()], note="1 card, and 9 to pick up")], 2
    )


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


def test_pyanitsa_shows_a_six_that_beats_an_ace():
    battle, *_ = board_of(war_positions.pyanitsa("6 7 8 / A 7 8"))
    assert battle == Group(
        "Battle 1 of at most 3000: A takes 2 cards",
        [Row("", [french("6C", "won")], 0), Row("", [french("AC", "lost")], 1)],
    )


def test_a_seat_in_steal_war_sees_its_own_card_and_the_piles():
    game = steal_war_positions.position("9 5 6 | 2 3", "K 4 7 | J 9", "3 6 8")
    *table, aim = board_of(game, 0)
    assert aim == Text("", ["Whoever ends up with all the cards wins."])
    assert table == [
        Group(
            "Trick 1 of at most 2000",
            [Row("", [EMPTY], 0), Row("", [EMPTY], 1), Row("", [EMPTY], 2)],
        ),
        Group(
            "",
            [
                Row("Pack", [back(2)]),
                Row("Drawn", [french("9C", "new")]),
                Row("Pile, top first", [french("3C", count=2)]),
            ],
            0,
        ),
        Group(
            "",
            [
                Row("Pack", [back(2)]),
                Row("Drawn", [back()]),
                Row("Pile, top first", [french("9D", count=2)]),
            ],
            1,
        ),
        Group(
            "",
            [Row("Pack", [back(2)]), Row("Drawn", [back()]), Row("Pile, top first", [EMPTY])],
            2,
        ),
    ]


def test_a_theft_is_shown_until_its_trick_is_over():
    game = steal_war_positions.position("9 5 6 | 2 3", "K 4 7 | J 9", "3 6 8")
    steal_war_positions.play(game, steal_war_positions.steal(1), None, {"action": "play"})
    trick, thefts, *seats = board_of(game)
    assert trick == Group(
        "Trick 1 of at most 2000: B takes 3 cards",
        [
            Row("", [french("5C", "lost")], 0),
            Row("", [french("KC", "won")], 1),
            Row("", [french("3D", "lost")], 2),
        ],
    )
    assert thefts == Group(
        "Thefts in this trick", [Row("from B", [french("9C", "won")], 0, "stolen")]
    )
    assert rows_labelled(seats, "Pile, top first") == [[french("9C", count=5)], [EMPTY], [EMPTY]]


def test_a_pile_that_cannot_be_stolen_now_says_so():
    game = steal_war_positions.position("9 5 6 | 2 3", "9 4 7 | J 9", "3 9 8 | J 3")
    steal_war_positions.play(game, {"action": "play"}, None, steal_war_positions.steal(0))
    notes = [[row.note for row in rows_of(of_seat(board_of(game), seat))] for seat in range(3)]
    assert notes[1] == ["", "", "protected"]


def test_a_tie_in_casino_war_shows_the_two_cards_and_all_bets():
    game = casino_war_positions.position("9 9", 1000, 60)
    casino_war_positions.play(game, casino_war_positions.bet(10), casino_war_positions.bet(20, 3))
    table, money, _ = board_of(game, 1)
    assert table == Group(
        "Round 1 of 50: a tie: war or surrender?",
        [Row("Player", [french("9C", "new")]), Row("House", [french("9C", "new")])],
    )
    assert money == Facts(
        "Money",
        ["Money", "Place", "Bet", "On a tie"],
        [["1000", "1", "10", "0"], ["90", "2", "20", "3"]],
        (0, 1),
    )


def test_the_round_before_in_casino_war_shows_its_cards_and_what_it_brought():
    table, money, cards, bets, shoe = board_of(after_a_war())
    rows = [Row("Player", [EMPTY]), Row("House", [EMPTY])]
    assert table == Group("Round 2 of 50: the bets", rows)
    assert money == Facts(
        "Money",
        ["Money", "Place"],
        [["980", "1"], ["980", "1"]],
        (0, 1),
    )
    assert cards == Group(
        "Round 1: cards",
        [
            Row("Player", (french("TC"), french("3C", "lost"))),
            Row("House", (french("TC"), french("KC", "won"))),
        ],
    )
    assert shoe == Text("Shoe", ["312 cards, shuffled before each round"])
    assert bets == Facts(
        "Round 1: bets",
        ["Bet", "On a tie", "Answer", "Change"],
        [["10", "0", "war", "−20"], ["40", "0", "surrender", "−20"]],
        (0, 1),
    )


def test_a_shoe_that_is_not_shuffled_each_round_is_counted():
    game = casino_war_positions.new_game(reshuffle="shoe")
    del game.shoe.cards[:3]
    game.shoe.seen |= {"3": 1, "T": 2}
    *_, shoe = board_of(game, 0)
    assert shoe == Group(
        "Shoe",
        [
            Row("Left", [back(309)], note="of 312; shuffled when fewer than 78"),
            Row("Seen", [Token("3", "rank", name="three"), Token("10", "rank", 2, "ten")]),
        ],
    )


def test_the_end_of_casino_war_has_no_places_for_cards():
    money, cards, bets, _ = board_of(after_a_war(rounds=1))
    assert [money.label, cards.label, bets.label] == [
        "Money in the end",
        "Round 1: cards",
        "Round 1: bets",
    ]


def test_tod_und_leben_shows_pair_by_pair_who_was_higher():
    view = {
        "round": 3,
        "packs": [["9C", "AS", "7C"], ["9H", "KD", "8C"]],
        "cards_won": [4, 2],
        "rounds_won": [2, 1],
    }
    assert areas_of_pairs(view) == [
        Facts(
            "After 3 rounds",
            ("Cards in the last", "Rounds won"),
            [("4", "2"), ("2", "1")],
            (0, 1),
        ),
        Group(
            "Pairs 1 to 3",
            [
                Row("", [french("9C"), french("AS", "won"), french("7C", "lost")], 0),
                Row("", [french("9H"), french("KD", "lost"), french("8C", "won")], 1),
            ],
        ),
    ]


def standing(code: str, role: str) -> Card:
    """Return a card of Guerra that is more than a soldier."""
    card = spanish(code)
    return msgspec.structs.replace(card, name=f"{card.name}, {role}")


def rows_labelled(areas: Sequence[Area], label: str) -> list[Sequence[Card | Token]]:
    return [row.items for row in rows_of(areas) if row.label == label]


def after_a_war(**options: Any) -> CasinoWar:
    """Return the game after tens for both, and a king for the house in the war."""
    game = casino_war_positions.position("T T 3 K", 1000, 1000, **options)
    casino_war_positions.play(game, casino_war_positions.bet(10), casino_war_positions.bet(40))
    casino_war_positions.play(game, casino_war_positions.WAR, casino_war_positions.SURRENDER)
    return game
