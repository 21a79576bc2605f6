"""The boards of the card games: nothing hidden, nothing missing, small; some positions whole."""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import msgspec
import pytest

from arena.report.boards import BOARDS
from arena.report.boards.cards import back, fan, french, spanish, suit_first
from arena.report.scene import Area, Card, Facts, Fixed, Group, Row, Token
from referee.game import Game, Observation, plain
from referee.games.casino_war.game import CasinoWar
from referee.games.guerra.battle import ZONES
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
NAMES = ("ann", "bob", "cid", "dora", "eve", "fay", "gus", "hal", "ida", "jon", "kim", "leo")
MOST_ITEMS = 84  # all cards of Steal War, and three places for each of ten seats
EMPTY = Card(count=0)

Views = Sequence[Observation | None]


def board_of(game: Game, *open_eyes: int) -> Sequence[Area]:
    """Return the board as the seats named see it, or with all cards open."""
    views = [
        plain(game.view(seat)) if not open_eyes or seat in open_eyes else None
        for seat in range(game.seats)
    ]
    return drawn(game.name, views, fixed(game))


def fixed(game: Game) -> Fixed:
    return Fixed(game.table(), msgspec.to_builtins(game.options))


def drawn(name: str, views: Views, known: Fixed) -> Sequence[Area]:
    return BOARDS[name](views, NAMES[: len(views)], known)


def random_moments(case: Case) -> Iterator[list[Observation]]:
    """Yield the views of all seats before every step of a random match, and after the last."""
    game, choose = case.new(), sampling()
    while True:
        yield [plain(game.view(seat)) for seat in range(game.seats)]
        deciders = game.deciders()
        if not deciders:
            return
        game.apply({seat: choose(game, seat) for seat in deciders})


@cache
def tables(name: str) -> list[tuple[list[Observation], Fixed]]:
    """Return the tables of matches with all numbers of seats and all options."""
    return [(views, fixed(case.new())) for case in cases_of(name) for views in random_moments(case)]


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
def test_a_single_seats_board_shows_no_card_that_is_not_in_its_view(name):
    for views, known in tables(name):
        for own, view in enumerate(views):
            alone = [view if seat == own else None for seat in range(len(views))]
            told = msgspec.json.encode(view).decode()
            assert [
                code for code in codes_of(drawn(name, alone, known)) if f'"{code}"' not in told
            ] == []


@pytest.mark.parametrize("name", GAMES)
def test_with_all_eyes_open_nothing_is_shown_that_no_seat_sees(name):
    for views, known in tables(name):
        told = msgspec.json.encode(views).decode()
        assert [
            code for code in codes_of(drawn(name, views, known)) if f'"{code}"' not in told
        ] == []


@pytest.mark.parametrize("name", GAMES)
def test_boards_are_small(name):
    for views, known in tables(name):
        assert len(items_of(drawn(name, views, known))) <= MOST_ITEMS


@pytest.mark.parametrize("name", GAMES)
def test_boards_are_json_in_which_cards_and_tokens_differ(name):
    for views, known in tables(name)[::7]:
        board = drawn(name, views, known)
        assert all(area["t"] for area in msgspec.json.decode(msgspec.json.encode(board)))
        for item in items_of(board):
            encoded = msgspec.to_builtins(item)
            assert isinstance(item, Card) == ("suit" in encoded or "text" not in encoded)


@pytest.mark.parametrize("name", GAMES)
def test_all_seats_are_named_at_every_moment(name):
    for views, known in tables(name)[::7]:
        encoded = msgspec.json.encode(drawn(name, views, known)).decode()
        assert all(name in encoded for name in NAMES[: len(views)])


def test_all_eyes_open_show_both_hands_of_guerra():
    for views, known in tables("guerra"):
        board = drawn("guerra", views, known)
        for seat, view in enumerate(views):
            assert set(view["hand"]) <= codes_of(of_seat(board, seat))


def test_every_card_on_the_table_of_guerra_is_shown_to_everybody():
    for (first, second), known in tables("guerra"):
        for board in (
            drawn("guerra", [first, None], known),
            drawn("guerra", [None, second], known),
        ):
            for seat, zones in enumerate(first["zones"]):
                standing = {card for zone in ZONES for card in zones[zone]}
                assert standing <= codes_of(of_seat(board, seat))


def test_all_eyes_open_show_every_card_drawn_in_steal_war():
    for views, known in tables("steal_war"):
        board = drawn("steal_war", views, known)
        for seat, view in enumerate(views):
            (row,) = [row for row in rows_of(of_seat(board, seat)) if row.label == "Drawn"]
            assert row.items == ([french(view["card"], "new")] if view["card"] else [EMPTY])


def test_others_in_steal_war_are_seen_to_have_a_card_just_when_they_have_one():
    for views, known in tables("steal_war"):
        board = drawn("steal_war", [views[0], *(None for _ in views[1:])], known)
        for seat, view in enumerate(views[1:], start=1):
            (row,) = [row for row in rows_of(of_seat(board, seat)) if row.label == "Drawn"]
            assert row.items == [back() if view["card"] else EMPTY]


@pytest.mark.parametrize("name", ["war", "pyanitsa"])
def test_all_eyes_open_show_the_next_card_of_each_pack_that_anybody_knows(name):
    for views, known in tables(name):
        board = drawn(name, views, known)
        for seat in range(len(views)):
            (row,) = rows_of(of_seat(board, seat))
            next_ones = {view["packs"][seat][0] for view in views if view["packs"][seat]} - {None}
            assert next_ones == {code_of(card) for card in row.items[:1] if card.text}


@pytest.mark.parametrize("name", ["war", "pyanitsa"])
def test_the_items_of_a_pack_stand_for_all_its_cards(name):
    for views, known in tables(name):
        board = drawn(name, views, known)
        for seat in range(len(views)):
            (row,) = rows_of(of_seat(board, seat))
            assert sum(card.count for card in row.items) == len(views[0]["packs"][seat])


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
    assert fan([None, None, "2C", None], 8) == [back(2), french("2C"), back()]


def test_what_does_not_fit_is_a_pile_under_the_first_card_of_it():
    assert fan(["2C", "3C", "4C", "5C"], 3) == [french("2C"), french("3C"), french("4C", count=2)]


def test_an_empty_pack_is_an_empty_place():
    assert fan([], 8) == [EMPTY]


# --- whole positions


def test_guerra_shows_armies_face_to_face_with_wounds_and_cards_that_have_attacked():
    game = guerra_positions.position(
        "V 5O 6O / C 10B", "V 5C 7E / R 1B", hands=("4E", "2C 3C"), packs=("7C", "")
    )
    guerra_positions.order_attacks(game, "6O>5C")
    assert board_of(game, 0) == [
        Group(
            "Turn 1 of 200, A to move",
            [
                Group(
                    "B bob",
                    [
                        Row("Rearguard", [standing("1B", "Banner")]),
                        Row("Centre", [EMPTY]),
                        Row("Vanguard", [spanish("7E")], note="in front"),
                    ],
                    1,
                ),
                Facts(
                    "Between the armies",
                    ("Army", "Has attacked", "Wounds"),
                    [("B bob", "none", "none"), ("A ann", "6O", "6O 5 of 6")],
                    (1, 0),
                ),
                Group(
                    "A ann",
                    [
                        Row(
                            "Vanguard",
                            [
                                spanish("5O"),
                                spanish("6O", "used"),
                                Token("5/6", "wounds", name="5 of 6 wounds"),
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
            ("Army", "Troops", "Cards to come"),
            [("B bob", "11", "2"), ("A ann", "12", "2")],
            (1, 0),
        ),
        Group(
            "B bob: reserve",
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
            "A ann: reserve",
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
    assert [row[1] for row in armies.areas[1].rows] == ["none", "2O (died), 6O"]


def test_wounds_in_guerra_are_counted_against_the_value_beside_the_banner():
    game = guerra_positions.position("V 7O 1O*0 / R 2B", "V 6O*4 1O")
    items = items_of(of_seat(board_of(game), 1))
    assert Token("4/12", "wounds", name="4 of 12 wounds") in items


def test_a_war_shows_the_cards_face_down_and_who_takes_all():
    game = war_positions.position("9 2 3 5 / 9 4 5 5 / 4 6 K 5")
    battle, *packs = board_of(game)
    down = [
        Card(text, "clubs", f"{word} of clubs, laid face down", f"{text}C", mark="used")
        for text, word in (("2", "two"), ("4", "four"), ("6", "six"))
    ]
    assert battle == Group(
        "Battle 1: C takes 9 cards",
        [
            Row("A ann", [french("9C"), down[0], french("3C", "lost")], 0),
            Row("B bob", [french("9D"), down[1], french("5D", "lost")], 1),
            Row("C cid", [french("4D"), down[2], french("KC", "won")], 2),
        ],
    )
    assert packs[0] == Group("A ann", [Row("Pack, top first", [back()], note="1 card")], 0)
    assert packs[2] == Group(
        "C cid", [Row("Pack, top first", [back()], note="1 card, and 9 to pick up")], 2
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
        "Battle 1: A takes 2 cards",
        [Row("A ann", [french("6C", "won")], 0), Row("B bob", [french("AC", "lost")], 1)],
    )


def test_a_seat_in_steal_war_sees_its_own_card_and_the_piles():
    game = steal_war_positions.position("9 5 6 | 2 3", "K 4 7 | J 9", "3 6 8")
    assert board_of(game, 0) == [
        Group(
            "Trick 1",
            [Row("A ann", [EMPTY], 0), Row("B bob", [EMPTY], 1), Row("C cid", [EMPTY], 2)],
        ),
        Group(
            "A ann",
            [
                Row("Pack", [back(2)]),
                Row("Drawn", [french("9C", "new")]),
                Row("Pile", [french("3C", count=2)]),
            ],
            0,
        ),
        Group(
            "B bob",
            [
                Row("Pack", [back(2)]),
                Row("Drawn", [back()]),
                Row("Pile", [french("9D", count=2)]),
            ],
            1,
        ),
        Group(
            "C cid",
            [Row("Pack", [back(2)]), Row("Drawn", [back()]), Row("Pile", [EMPTY])],
            2,
        ),
    ]


def test_a_theft_is_shown_until_its_trick_is_over():
    game = steal_war_positions.position("9 5 6 | 2 3", "K 4 7 | J 9", "3 6 8")
    steal_war_positions.play(game, steal_war_positions.steal(1), None, {"action": "play"})
    trick, thefts, *seats = board_of(game)
    assert trick == Group(
        "Trick 1: B takes 3 cards",
        [
            Row("A ann", [french("5C", "lost")], 0),
            Row("B bob", [french("KC", "won")], 1),
            Row("C cid", [french("3D", "lost")], 2),
        ],
    )
    assert thefts == Group(
        "Thefts in this trick", [Row("A from B", [french("9C", "won")], 0, "stolen")]
    )
    assert rows_labelled(seats, "Pile") == [[french("9C", count=5)], [EMPTY], [EMPTY]]


def test_a_pile_that_cannot_be_stolen_now_says_so():
    game = steal_war_positions.position("9 5 6 | 2 3", "9 4 7 | J 9", "3 9 8 | J 3")
    steal_war_positions.play(game, {"action": "play"}, None, steal_war_positions.steal(0))
    notes = [[row.note for row in rows_of(of_seat(board_of(game), seat))] for seat in range(3)]
    assert notes[1] == ["", "", "protected"]


def test_a_tie_in_casino_war_shows_the_two_cards_and_all_bets():
    game = casino_war_positions.position("9 9", 1000, 60)
    casino_war_positions.play(game, casino_war_positions.bet(10), casino_war_positions.bet(20, 3))
    table, money = board_of(game, 1)
    assert table == Group(
        "Round 1 of 50",
        [Row("Player", [french("9C", "new")]), Row("House", [french("9C", "new")])],
    )
    assert money == Facts(
        "Money",
        ["Bot", "Money", "Place", "Bet", "On a tie"],
        [["A ann", "1000", "1", "10", "0"], ["B bob", "90", "2", "20", "3"]],
        (0, 1),
    )


def test_the_round_before_in_casino_war_shows_its_cards_and_what_it_brought():
    table, money, cards, bets = board_of(after_a_war())
    assert table == Group("Round 2 of 50", [Row("Player", [EMPTY]), Row("House", [EMPTY])])
    assert money == Facts(
        "Money",
        ["Bot", "Money", "Place"],
        [["A ann", "980", "1"], ["B bob", "980", "1"]],
        (0, 1),
    )
    assert cards == Group(
        "Round 1: cards",
        [
            Row("Player", (french("TC"), french("3C", "lost"))),
            Row("House", (french("TC"), french("KC", "won"))),
        ],
    )
    assert bets == Facts(
        "Round 1: bets",
        ["Bot", "Bet", "On a tie", "Answer", "Change"],
        [["A ann", "10", "0", "war", "−20"], ["B bob", "40", "0", "surrender", "−20"]],
        (0, 1),
    )


def test_a_shoe_that_is_not_shuffled_each_round_is_counted():
    game = casino_war_positions.new_game(reshuffle="shoe")
    view = plain(game.view(0))
    view["left"] = 309
    view["seen"] |= {"3": 1, "T": 2}
    *_, shoe = drawn("casino_war", [view, None], fixed(game))
    assert shoe == Group(
        "Shoe",
        [
            Row("Left", [back(309)]),
            Row("Seen", [Token("3", "rank", name="three"), Token("10", "rank", 2, "ten")]),
        ],
    )


def test_the_end_of_casino_war_has_no_places_for_cards():
    money, cards, bets = board_of(after_a_war(rounds=1))
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
    assert drawn("tod_und_leben", [view, view], Fixed({}, {})) == [
        Facts(
            "After 3 rounds",
            ("Bot", "Cards in the last", "Rounds won"),
            [("A ann", "4", "2"), ("B bob", "2", "1")],
            (0, 1),
        ),
        Group(
            "Pairs 1 to 3",
            [
                Row("A ann", [french("9C"), french("AS", "won"), french("7C", "lost")], 0),
                Row("B bob", [french("9H"), french("KD", "lost"), french("8C", "won")], 1),
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
