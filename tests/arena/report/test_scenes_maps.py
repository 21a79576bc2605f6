"""The scenes of World War, Khan, Duel and Cold War: what the page shows of them, and to whom."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations
from math import hypot
from random import Random
from typing import Any

import msgspec
import pytest

from arena.report.frames import shortened
from referee.cards import back, suit_first
from referee.game import Game, Observation, plain
from referee.games import GAMES
from referee.games.world_war.goals import Continents, Destroy
from referee.games.world_war.scene import GROUND
from referee.options import new_game, read_options
from referee.scene import Area, Card, Facts, Group, Map, Mark, Row, Text, Token, Track
from tests.referee.games import cold_war_notation, duel_positions, khan_positions
from tests.referee.games import world_war_positions as war

LETTER = {"espadas": "E", "bastos": "B", "oros": "O", "copas": "C"}
CODE = re.compile(r"\b[OCEB](?:1[0-2]|[1-9])\b")
"""A card in the words of Khan and Duel."""
MATCHES = [
    ("world_war", 3, {"max_rounds": 5}),
    ("world_war", 4, {"max_rounds": 3, "objective": "world", "defence": "max"}),
    ("world_war", 6, {"max_rounds": 3, "setup": "in_turn", "attack_mode": "single"}),
    ("khan", 2, {}),
    ("khan", 3, {"deck": 48, "first_player": "random"}),
    ("khan", 5, {"max_turns_per_player": 15}),
    *(("duel", 2, {"deck": deck}) for deck in (40, 40, 48)),
    ("cold_war", 4, {"max_rounds": 20}),
    ("cold_war", 4, {"max_rounds": 8, "talk": True, "talk_exchanges": 3}),
    ("cold_war", 4, {"max_rounds": 8, "null_plays": "shown"}),
]
SECRET = [match for match in MATCHES if match[0] != "cold_war"]


def moments(name: str, seats: int, raw: dict[str, Any]) -> Iterator[Game]:
    """Yield a random match at every moment, its end included."""
    kind = GAMES[name]
    game = new_game(kind, seats, read_options(kind, raw), f"deal {raw}")
    rng = Random(7)
    yield game
    while deciders := game.deciders():
        game.apply({seat: game.sample(seat, rng) for seat in deciders})
        yield game


def views_of(game: Game) -> list[Observation]:
    return [plain(game.view(seat)) for seat in range(game.seats)]


def drawn(game: Game, eyes: int | None = None) -> Sequence[Area]:
    """Return what the page draws of a moment, with all eyes open or only those of one seat."""
    return [short for area in game.scene(eyes) if (short := shortened(area))]


def within(areas: Sequence[Area]) -> Iterator[Area]:
    """Yield the areas and all that stand in groups."""
    for area in areas:
        yield area
        if isinstance(area, Group):
            yield from within(area.areas)


def pieces(areas: Sequence[Area]) -> Iterator[Card | Token]:
    for area in within(areas):
        if isinstance(area, Row):
            yield from area.items


def labelled(areas: Sequence[Area], label: str) -> Any:
    """Return the first area of that label."""
    return next(area for area in within(areas) if area.label == label)


def camp(areas: Sequence[Area], seat: int) -> Group:
    """Return the group of a seat's things."""
    return next(area for area in areas if isinstance(area, Group) and area.seat == seat)


def codes(items: Sequence[Card | Token]) -> list[str]:
    """Return what the cards that can be seen are called in views."""
    found = []
    for item in items:
        if isinstance(item, Card) and item.text:
            found.append(LETTER[item.suit] + item.text)
        elif isinstance(item, Token) and item.kind in ("infantry", "cavalry", "cannon", "joker"):
            found.append(item.name.split(",")[0].replace(" ", "_"))
    return found


def strings(value: Any) -> Iterator[str]:
    """Yield all texts in a view but the names of its fields."""
    if isinstance(value, dict):
        value = value.values()
    if isinstance(value, str):
        yield value
    elif not isinstance(value, int | float | None):
        for each in value:
            yield from strings(each)


def goals(areas: Sequence[Area], seat: int) -> list[str]:
    return [
        area.rows[0][0]
        for area in camp(areas, seat).areas
        if isinstance(area, Facts) and area.label.startswith("Objective")
    ]


# --- Every moment of random matches ---


@pytest.mark.parametrize(("name", "seats", "raw"), MATCHES)
def test_a_board_is_json_and_holds_no_more_than_the_eye_can_take_in(name, seats, raw):
    for game in moments(name, seats, raw):
        board = drawn(game)
        lines = sum(len(area.rows) for area in within(board) if isinstance(area, Facts))
        assert len([*pieces(board)]) + lines <= 75
        assert msgspec.json.decode(msgspec.json.encode(board))


@pytest.mark.parametrize(("name", "seats", "raw"), SECRET)
def test_with_one_seats_eyes_every_card_is_one_that_its_bot_saw(name, seats, raw):
    for game in moments(name, seats, raw):
        for seat, view in enumerate(views_of(game)):
            seen = {*strings(view)}
            if name == "world_war":  # cards are named like territories, which all can see
                seen = {*view["cards"], *view["used_pile"]}
            assert {*codes([*pieces(drawn(game, seat))])} <= seen


@pytest.mark.parametrize(("name", "seats", "raw"), SECRET)
def test_with_all_eyes_open_every_hand_is_on_the_board(name, seats, raw):
    label, field = ("Cards", "cards") if name == "world_war" else ("Hand", "hand")
    for game in moments(name, seats, raw):
        board = drawn(game)
        for seat, view in enumerate(views_of(game)):
            if name == "duel" and not view["turn"]:
                continue  # nobody holds any cards before traits are chosen
            row = labelled(camp(board, seat).areas, label)
            assert Counter(codes(row.items)) == Counter(view[field])


@pytest.mark.parametrize(
    ("name", "seats", "raw"), [match for match in SECRET if match[0] != "world_war"]
)
def test_the_cards_in_a_decisions_words_are_on_the_board_that_it_is_made_on(name, seats, raw):
    named, rng = 0, Random(3)
    for game in moments(name, seats, raw):
        shown = {item.code for item in pieces(drawn(game)) if isinstance(item, Card)}
        for seat in game.deciders():
            words = {*CODE.findall(game.describe(seat, game.sample(seat, rng)))}
            assert words <= shown
            named += len(words)
    assert named


@pytest.mark.parametrize(("name", "seats", "raw"), SECRET)
def test_with_one_seats_eyes_another_hand_is_what_is_public_of_it(name, seats, raw):
    for game in moments(name, seats, raw):
        for eyes, view in enumerate(views_of(game)):
            board = drawn(game, eyes)
            for seat in {*range(seats)} - {eyes}:
                if name == "duel" and not view["turn"]:
                    continue
                label = "Cards" if name == "world_war" else "Hand"
                hand = labelled(camp(board, seat).areas, label).items
                known = view["seen_in_hand"][seat] if name == "khan" else []
                size = view["cards_held" if name == "world_war" else "hand_size"][seat]
                assert codes(hand) == known
                assert sum(card.count for card in hand) == size


@pytest.mark.parametrize(
    ("name", "seats", "raw"), [match for match in MATCHES if match[0] == "world_war"]
)
def test_objectives_are_shown_to_their_own_seats_and_at_the_end_to_all(name, seats, raw):
    for game in moments(name, seats, raw):
        for seat in range(seats):
            assert goals(drawn(game), seat)
            for other in {*range(seats)} - {seat}:
                assert bool(goals(drawn(game, seat), other)) == bool(game.reason)


# --- The map ---


GROUND_NAMES = [*war.new_game().table()["territories"]]


def test_the_ground_has_the_territories_in_their_order_and_their_continents():
    territories = war.new_game().table()["territories"]
    assert war.new_game().ground == GROUND
    assert [place.name for place in GROUND.places] == GROUND_NAMES
    continents = [territory["continent"] for territory in territories.values()]
    assert [place.region for place in GROUND.places] == continents


def test_the_roads_are_the_borders_and_no_others():
    territories = war.new_game().table()["territories"]
    borders = {
        frozenset((name, other)) for name, each in territories.items() for other in each["borders"]
    }
    roads = [frozenset(GROUND_NAMES[end] for end in road) for road in GROUND.roads]
    assert len(roads) == 83
    assert {*roads} == borders


def test_places_lie_apart_and_inside_the_canvas():
    for place in GROUND.places:
        assert 30 <= place.x <= 970
        assert 30 <= place.y <= 570
    for one, two in combinations(GROUND.places, 2):
        assert hypot(one.x - two.x, one.y - two.y) >= 52


def test_no_two_roads_cross():
    def turn(a, b, c):
        return (b.x - a.x) * (c.y - a.y) > (c.x - a.x) * (b.y - a.y)

    around = (
        GROUND_NAMES.index("alaska"),
        GROUND_NAMES.index("kamchatka"),
    )  # it leaves by the sides
    inland = [road for road in GROUND.roads if road != around]
    for first, second in combinations(inland, 2):
        if {*first}.isdisjoint(second):
            a, b, c, d = (GROUND.places[end] for end in (*first, *second))
            assert turn(a, b, c) == turn(a, b, d) or turn(c, d, a) == turn(c, d, b)


# --- World War ---


def test_an_attack_that_awaits_an_answer_is_an_arrow():
    game = war.position("alaska:6", "kamchatka:4", at="attack")
    war.play(game, war.attack("alaska", "kamchatka"))
    assert game.war.asked == "defend"
    alaska, kamchatka = 0, 29
    board = drawn(game)
    world = labelled(board, "The world")
    assert isinstance(world, Map)
    assert world.arrows == [(alaska, kamchatka)]
    assert world.marked == [alaska, kamchatka]
    assert (world.owner[alaska], world.texts[alaska]) == (0, "6")
    assert (world.owner[kamchatka], world.texts[kamchatka]) == (1, "4")
    assert labelled(board, "alaska → kamchatka") == Facts(
        "alaska → kamchatka", (), [["up to 3 dice"], ["up to 3 dice"]], [0, 1]
    )


def test_a_conquest_that_more_armies_may_follow_is_an_arrow():
    game = war.position("alaska:6", "kamchatka", at="attack", dice=["6,5,2 v 1"])
    war.play(game, war.attack("alaska", "kamchatka"))
    assert game.war.asked == "occupy"
    assert labelled(drawn(game), "The world").arrows == [(0, 29)]
    war.play(game, {"armies": 0})
    world = labelled(drawn(game), "The world")
    assert (world.arrows, world.marked) == ([], [])


def test_an_attack_that_is_over_leaves_no_mark_on_the_map():
    game = war.position("alaska:6", "kamchatka:4", at="attack", defence="max", dice=["6,5,2 v 5,5"])
    war.play(game, war.attack("alaska", "kamchatka"))
    assert game.war.asked == "attack"
    world = labelled(drawn(game), "The world")
    assert (world.arrows, world.marked) == ([], [])


def test_who_is_out_stands_in_a_column_of_its_own():
    game = war.position("alaska:2", "", "japan", seats=4, fallen=[(1, 2, 5)], at="attack")
    forces = labelled(drawn(game), "Forces")
    assert forces.head == ["Territories", "Armies", "Cards", "Reinforcements", "Out"]
    assert forces.rows[1] == ["0", "0", "0", "none", "round 5, by C"]
    assert forces.rows[0][-1] == ""


def test_the_last_dice_are_shown_with_what_they_cost():
    game = war.position(
        "alaska:6", "kamchatka:4", at="attack", defence="max", dice=["6,5,2 v 5,5", "6,6,1 v 5,1"]
    )
    war.play(game, war.attack("alaska", "kamchatka", rolls=2))
    assert labelled(drawn(game), "alaska → kamchatka, 2 rolls").areas[0] == Row(
        "", [Token(face, "die") for face in "661"], 0, "lost 1 army"
    )


def test_what_a_seat_holds_and_brings_stands_in_a_table():
    game = war.position("south_america:2", "africa", at="attack")
    forces = labelled(drawn(game), "Forces")
    assert [*map(list, forces.rows)] == [
        ["4", "8", "0", "+3 a turn"],
        ["6", "6", "0", "+5 a turn"],
        ["32", "32", "0", "+29 a turn"],
    ]
    continents = labelled(drawn(game), "Continents")
    assert ["south america", "+2", "all A's"] in continents.rows


def test_an_objective_that_has_changed_is_shown_with_the_one_dealt():
    missions = [Destroy(0), Continents(["asia", "africa"], 0), Continents(["europe", "oceania"], 1)]
    game = war.position("alaska:6", "kamchatka:4", at="attack", missions=missions)
    assert goals(drawn(game), 0) == ["hold 24 territories", "destroy A yourself"]
    assert goals(drawn(game), 1) == ["hold asia and africa"]
    assert goals(drawn(game), 2) == ["hold europe and oceania and one more continent"]
    assert goals(drawn(game, 1), 0) == []


def test_cards_show_their_weapons_and_another_hand_its_back():
    game = war.position("alaska:6", "kamchatka:4", at="attack", hands=["peru joker_1"])
    cards = [
        Token("peru", "infantry", 1, "peru, infantry", "peru (infantry)"),
        Token("joker", "joker", 1, "joker 1", "joker_1"),
    ]
    assert camp(drawn(game, 0), 0).areas[0] == Row("Cards", cards)
    assert camp(drawn(game, 1), 0).areas[0] == Row("Cards", [back(2)])


# --- Khan ---


def test_a_camp_is_what_stands_before_and_behind_the_screen():
    game = khan_positions.position(
        "E2 E3 B5 C10", "O2 O3 O4", front=["gold, wood"], behind=["2 steel, gold"]
    )
    group = camp(drawn(game), 0)
    assert (group.label, group.seat) == ("", 0)
    face_up, sight, screen = group.areas
    assert codes(face_up.items) == ["E2", "E3"]
    assert sight.items == [Token("gold", "scarce", 1, "gold, scarce"), Token("wood", "token")]
    assert (screen.label, screen.hidden) == ("Behind the screen", True)
    hand, hoard = screen.areas
    assert hand.items[1] == Card("10", "copas", "ten of cups, jack", "C10")
    assert codes(hand.items) == ["B5", "C10"]
    assert hoard == Facts("Hoard", (), [["2 steel, 1 gold"]])


def test_a_screen_hides_what_stands_behind_it():
    game = khan_positions.position("E2 E3 B5 C10", "O2 O3 O4", behind=["2 steel, gold"])
    hand, hoard = camp(drawn(game, 1), 0).areas[2].areas
    assert hand.items == [back(2)]
    assert hoard.rows == [["3 unseen"]]


def test_points_are_marks_on_the_way_to_the_goal():
    game = khan_positions.position("E2 E3", "O2 O3", front=["gold", "wood"], behind=["2 steel"])
    assert labelled(drawn(game, 0), "Points") == Track(
        "Points",
        0,
        20,
        [Mark(4, "4", 0, "4 points"), Mark(1, "1+", 1, "1 point or more")],
        ("", "wins"),
    )


def test_a_combat_shows_what_both_sides_have_put_forward():
    game = khan_positions.fight("E2 E3 E4", cards=["E2 E3 E4 C10", "B2 B3 B4 C11"])
    group = labelled(drawn(game), "seat 0 attacks seat 1")
    assert [(row.seat, row.label, codes(row.items), row.note) for row in group.areas[2:]] == [
        (0, "vanguard", ["E2", "E3", "E4"], ""),
        (1, "vanguard", [], "still to show"),
    ]
    khan_positions.play(game, khan_positions.show("B2 B3 B4"))
    group = labelled(drawn(game), "seat 0 attacks seat 1")
    assert [row.note for row in group.areas[2:4]] == ["wins", ""]


# --- Duel ---


def duel(**given):
    return duel_positions.position("B3 B4 E2", "O1 C4", trait=(2, 7), **given)


def test_the_line_shows_the_pawn_and_where_an_attack_drives_it():
    game = duel(pawn=1)
    ends = ("B is out", "A is out")
    pawn = Mark(1, "●", name="pawn at 1")
    assert drawn(game)[1] == Track("The line", -4, 4, [pawn], ends)
    duel_positions.play(game, duel_positions.attack("B3 B4"))
    driven = Mark(-1, "○", name="driven to -1")
    assert drawn(game)[1] == Track("The line", -4, 4, [pawn, driven], ends)
    cards = [suit_first("B3"), suit_first("B4")]
    assert labelled(drawn(game), "B is to retreat 2 points") == Group(
        "B is to retreat 2 points", [Row("", cards, 0, "thrust, strength 2")]
    )


def test_attributes_of_both_fencers_are_on_the_same_scale():
    game = duel(stamina=(12, 4), fencing=(8, 9))
    assert labelled(drawn(game), "Stamina") == Track(
        "Stamina",
        0,
        12,
        [Mark(12, "12", 0), Mark(4, "4", 1)],
        note="at most 12 and 9",
    )


def test_a_fencer_has_a_hand_potentiators_and_a_trait():
    game = duel(in_play=("B12 O10", ""))
    ann, bob = (camp(drawn(game, 0), seat) for seat in (0, 1))
    hand = [suit_first(code) for code in ("B3", "B4", "E2")]
    assert ann.areas == [
        Row("Hand", hand, note="3 of 9"),
        Row("In play", [suit_first("B12"), suit_first("O10")]),
        Row("Counts more", [Token("thrust +1", "bonus"), Token("parry +1", "bonus")]),
        Facts("Trait", (), [["Big", "maximum stamina +3"]]),
    ]
    assert bob.areas[0] == Row("Hand", [back(2)], note="2 of 9")


def test_before_the_duel_traits_are_to_choose_from():
    game = duel_positions.new_game(rolls=(3, 1, 8, 5))
    assert camp(drawn(game), 0).areas == [
        Row("Dice", [Token("3", "die"), Token("1", "die")]),
        Facts("To choose from", (), [["Quick", "maximum dexterity +3"], ["Trained", "fencing +3"]]),
    ]


def test_actions_of_the_last_turns_are_told_with_what_came_of_them():
    game = duel()
    duel_positions.play(game, duel_positions.attack("B3 B4"), duel_positions.defence("O1"))
    duel_positions.play(game, duel_positions.RETREAT)
    assert labelled(drawn(game), "Lately") == Facts(
        "Lately",
        ("Turn", "What"),
        [["1", "thrusts B3 B4 (2), B parries O1 (1), B retreats 1"]],
        [0],
    )


# --- Cold War ---


def test_missiles_stand_by_whom_they_are_aimed_at():
    game = cold_war_notation.new(("- 7 0 8 / 2", *cold_war_notation.POSITION_X[1:]))
    assert camp(drawn(game), 0) == Group(
        "",
        [
            Row(
                "Aims at",
                [
                    Token("West", "missile", 7, "missiles at West"),
                    Token("East", "missile", 8, "missiles at East"),
                ],
                note="15 in all",
            ),
            Row("Keeps", [Token("reserve", "reserve", 2, "missiles that threaten nobody")]),
        ],
        0,
    )


def test_each_division_into_pairs_has_a_mark_near_the_pair_that_leads():
    game = cold_war_notation.new(cold_war_notation.POSITION_X)
    first = labelled(drawn(game), "Aimed by each pair at the other").areas[0]
    assert first == Track(
        "South & West : North & East",
        -24,
        24,
        [Mark(-10, "+10 S&W", name="South & West by 10")],
        ("South & West", "North & East"),
        "34 : 24",
    )


def test_a_lead_of_the_others_is_theirs_by_name():
    game = cold_war_notation.new(("- 0 0 0 / 0", *cold_war_notation.POSITION_X[1:]))
    (mark,) = labelled(drawn(game), "Aimed by each pair at the other").areas[0].marks
    assert mark.at > 0
    assert mark.text == f"+{mark.at} N&E"


def test_the_last_plays_and_their_attacks_are_told():
    game = cold_war_notation.new(cold_war_notation.POSITION_X)
    game.apply(
        {
            0: {"play": "attack", "with": 1},
            1: {"play": "attack", "with": 0},
            2: {"play": "shift", "move": [6, 6, 0, -12]},
            3: {"play": "null"},
        }
    )
    board = drawn(game)
    assert labelled(board, "Last plays") == Text(
        "Last plays",
        [
            "attacks with West",
            "attacks with South",
            "shifts: South +6, West +6, East -12",
            "loses the play",
        ],
        [0, 1, 2, 3],
    )
    assert labelled(board, "Attacks").rows == [["South & West", "34 : 36", "repelled"]]


def test_what_was_laid_in_a_null_play_is_told_where_it_is_shown():
    game = cold_war_notation.new(null_plays="shown")
    null, passed = cold_war_notation.NULL, cold_war_notation.PASS
    game.apply({0: {"play": "arm", "add": [0, 5, 0, 0]}, 1: passed, 2: passed, 3: null})
    lines = labelled(drawn(game), "Last plays").lines
    assert lines[0] == "loses the play: arm West +5"
    assert lines[3] == "loses the play"


def test_messages_are_shown_as_they_came_and_long_ones_cut():
    game = cold_war_notation.new(talk=True, talk_exchanges=3, talk_chars=1500)
    words = "<b>\u202etreason"
    game.apply({0: {"say": words}, 1: {"say": "x" * 1200}, 2: {"say": ""}, 3: {"say": "no"}})
    assert labelled(drawn(game), "Messages, exchange 1") == Text(
        "Messages, exchange 1",
        [
            "<b>treason",  # the rules remove what turns the direction
            f"{'x' * 1000}… (200 characters more)",
            "(silent)",
            "no",
        ],
        [0, 1, 2, 3],
    )


def test_the_page_shows_the_last_exchanges_and_a_terminal_all():
    game = cold_war_notation.new(talk=True, talk_exchanges=3)
    for words in ("one", "two", "three"):
        game.apply({seat: {"say": words} for seat in range(4)})
    shown = [area.label for area in drawn(game) if area.label.startswith("Messages")]
    assert shown == ["Messages, exchange 2", "Messages, exchange 3"]
    assert all(words in game.text(0) for words in ("one", "two", "three"))
