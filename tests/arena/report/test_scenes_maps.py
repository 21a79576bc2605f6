"""The scenes of World War, Khan, Duel and Cold War: what the page shows of them, and to whom."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations
from math import hypot
from random import Random
from typing import Any

import pytest

from arena.report.frames import shortened
from referee.cards import back
from referee.game import Game, Observation, plain
from referee.games import GAMES
from referee.games.world_war.goals import Continents, Destroy
from referee.games.world_war.scene import GROUND
from referee.options import new_game, read_options
from referee.scene import Area, Card, Facts, Group, Map, Row, Token
from tests.arena.report.sketch import sketch
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


def goals(areas: Sequence[Area], seat: int) -> list[str]:
    return [
        area.rows[0][0]
        for area in camp(areas, seat).areas
        if isinstance(area, Facts) and area.label.startswith("Objective")
    ]


# --- Every moment of random matches ---


@pytest.mark.parametrize(("name", "seats", "raw"), MATCHES)
def test_every_hand_is_on_the_board_with_all_eyes_open_and_of_others_what_is_public(
    name, seats, raw
):
    label, held, size = ("Hand", "hand", "hand_size")
    if name == "world_war":
        label, held, size = ("Cards", "cards", "cards_held")
    rng = Random(3)
    for at, game in enumerate(moments(name, seats, raw)):
        if at % 3 and game.deciders():
            continue
        board, views = drawn(game), views_of(game)
        facts = sum(len(area.rows) for area in within(board) if isinstance(area, Facts))
        assert len([*pieces(board)]) + facts <= 75
        if name == "cold_war" or (name == "duel" and not views[0]["turn"]):
            continue  # nobody holds any cards, in Duel before traits are chosen
        for eyes, view in enumerate(views):
            own = labelled(camp(board, eyes).areas, label)
            assert Counter(codes(own.items)) == Counter(view[held])
            for seat in {*range(seats)} - {eyes}:
                hand = labelled(camp(drawn(game, eyes), seat).areas, label).items
                assert codes(hand) == (view["seen_in_hand"][seat] if name == "khan" else [])
                assert sum(card.count for card in hand) == view[size][seat]
        if name != "world_war":
            shown = {item.code for item in pieces(board) if isinstance(item, Card)}
            for seat in game.deciders():
                assert {*CODE.findall(game.describe(seat, game.sample(seat, rng)))} <= shown


def test_objectives_are_shown_to_their_own_seats_and_at_the_end_to_all():
    for name, seats, raw in MATCHES[1:2]:
        for game in moments(name, seats, raw):
            assert all(goals(drawn(game), seat) for seat in range(seats))
            assert goals(drawn(game, 0), 0)
            assert bool(goals(drawn(game, 0), 1)) == bool(game.reason)


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
    alaska, kamchatka = 0, 29
    world = labelled(drawn(game), "The world")
    assert isinstance(world, Map)
    assert world.arrows == [(alaska, kamchatka)]
    assert world.marked == [alaska, kamchatka]
    assert [world.owner[each] for each in (alaska, kamchatka)] == [0, 1]
    assert [world.texts[each] for each in (alaska, kamchatka)] == ["6", "4"]
    assert labelled(drawn(game), "alaska → kamchatka") == Facts(
        "alaska → kamchatka", (), [["up to 3 dice"], ["up to 3 dice"]], [0, 1]
    )


def test_a_conquest_is_an_arrow_while_more_armies_may_follow():
    game = war.position("alaska:6", "kamchatka", at="attack", dice=["6,5,2 v 1"])
    war.play(game, war.attack("alaska", "kamchatka"))
    assert game.war.asked == "occupy"
    assert labelled(drawn(game), "The world").arrows == [(0, 29)]
    war.play(game, {"armies": 0})
    world = labelled(drawn(game), "The world")
    assert (world.arrows, world.marked) == ([], [])


def test_what_a_seat_holds_and_brings_and_who_is_out_stands_in_a_table(golden):
    game = war.position("alaska:2", "", "japan", seats=4, fallen=[(1, 2, 5)], at="attack")
    golden(sketch([labelled(drawn(game), "Forces")]))
    game = war.position("south_america:2", "africa", at="attack")
    golden(sketch([labelled(drawn(game), label) for label in ("Forces", "Continents")]))


def test_the_last_dice_are_shown_with_what_they_cost(golden):
    dice = ["6,5,2 v 5,5", "6,6,1 v 5,1"]
    game = war.position("alaska:6", "kamchatka:4", at="attack", defence="max", dice=dice)
    war.play(game, war.attack("alaska", "kamchatka", rolls=2))
    golden(sketch([labelled(drawn(game), "alaska → kamchatka, 2 rolls")]))


def test_an_objective_that_has_changed_is_shown_with_the_one_dealt():
    missions = [Destroy(0), Continents(["asia", "africa"], 0), Continents(["europe", "oceania"], 1)]
    game = war.position("alaska:6", "kamchatka:4", at="attack", missions=missions)
    assert goals(drawn(game), 0) == ["hold 24 territories", "destroy A yourself"]
    assert goals(drawn(game), 1) == ["hold asia and africa"]
    assert goals(drawn(game), 2) == ["hold europe and oceania and one more continent"]
    assert goals(drawn(game, 1), 0) == []


def test_cards_show_their_weapons_and_another_hand_its_back(golden):
    game = war.position("alaska:6", "kamchatka:4", at="attack", hands=["peru joker_1"])
    golden(sketch(camp(drawn(game, 0), 0).areas[:1]))
    assert camp(drawn(game, 1), 0).areas[0] == Row("Cards", [back(2)])


# --- Khan ---


def test_a_camp_is_what_stands_before_and_behind_the_screen(golden):
    game = khan_positions.position(
        "E2 E3 B5 C10", "O2 O3 O4", front=["gold, wood"], behind=["2 steel, gold"]
    )
    golden(sketch([camp(drawn(game), 0)]))
    golden(sketch([camp(drawn(game, 1), 0)]))


def test_points_are_marks_on_the_way_to_the_goal(golden):
    game = khan_positions.position("E2 E3", "O2 O3", front=["gold", "wood"], behind=["2 steel"])
    golden(sketch([labelled(drawn(game, 0), "Points")]))


def test_a_combat_shows_what_both_sides_have_put_forward(golden):
    game = khan_positions.fight("E2 E3 E4", cards=["E2 E3 E4 C10", "B2 B3 B4 C11"])
    golden(sketch([labelled(drawn(game), "seat 0 attacks seat 1")]))
    khan_positions.play(game, khan_positions.show("B2 B3 B4"))
    golden(sketch([labelled(drawn(game), "seat 0 attacks seat 1")]))


# --- Duel ---


def duel(**given):
    return duel_positions.position("B3 B4 E2", "O1 C4", trait=(2, 7), **given)


def test_the_line_shows_the_pawn_and_where_an_attack_drives_it(golden):
    game = duel(pawn=1)
    golden(sketch(drawn(game)[1:2]))
    duel_positions.play(game, duel_positions.attack("B3 B4"))
    board = drawn(game)
    golden(sketch([board[1], labelled(board, "B is to retreat 2 points")]))


def test_attributes_of_both_fencers_are_on_the_same_scale(golden):
    golden(sketch([labelled(drawn(duel(stamina=(12, 4), fencing=(8, 9))), "Stamina")]))


def test_a_fencer_has_a_hand_potentiators_and_a_trait(golden):
    board = drawn(duel(in_play=("B12 O10", "")), 0)
    golden(sketch([camp(board, 0), *camp(board, 1).areas[:1]]))


def test_before_the_duel_traits_are_to_choose_from(golden):
    golden(sketch(camp(drawn(duel_positions.new_game(rolls=(3, 1, 8, 5))), 0).areas))


def test_actions_of_the_last_turns_are_told_with_what_came_of_them(golden):
    game = duel()
    duel_positions.play(game, duel_positions.attack("B3 B4"), duel_positions.defence("O1"))
    duel_positions.play(game, duel_positions.RETREAT)
    golden(sketch([labelled(drawn(game), "Lately")]))


# --- Cold War ---


def test_missiles_stand_by_whom_they_are_aimed_at(golden):
    game = cold_war_notation.new(("- 7 0 8 / 2", *cold_war_notation.POSITION_X[1:]))
    golden(sketch([camp(drawn(game), 0)]))


def test_each_division_into_pairs_has_a_mark_near_the_pair_that_leads(golden):
    game = cold_war_notation.new(cold_war_notation.POSITION_X)
    golden(sketch([labelled(drawn(game), "Aimed by each pair at the other")]))
    game = cold_war_notation.new(("- 0 0 0 / 0", *cold_war_notation.POSITION_X[1:]))
    (mark,) = labelled(drawn(game), "Aimed by each pair at the other").areas[0].marks
    assert mark.at > 0
    assert mark.text == f"+{mark.at} N&E"


def test_the_last_plays_and_their_attacks_are_told(golden):
    game = cold_war_notation.new(cold_war_notation.POSITION_X)
    shift = {"play": "shift", "move": [6, 6, 0, -12]}
    plays = ({"play": "attack", "with": 1}, {"play": "attack", "with": 0}, shift, {"play": "null"})
    game.apply(dict(enumerate(plays)))
    golden(sketch([labelled(drawn(game), label) for label in ("Last plays", "Attacks")]))


def test_what_was_laid_in_a_null_play_is_told_where_it_is_shown():
    game = cold_war_notation.new(null_plays="shown")
    null, passed = cold_war_notation.NULL, cold_war_notation.PASS
    game.apply({0: {"play": "arm", "add": [0, 5, 0, 0]}, 1: passed, 2: passed, 3: null})
    lines = labelled(drawn(game), "Last plays").lines
    assert lines[0] == "loses the play: arm West +5"
    assert lines[3] == "loses the play"


def test_messages_are_shown_as_they_came_and_long_ones_cut():
    game = cold_war_notation.new(talk=True, talk_exchanges=3, talk_chars=1500)
    words = "<b>\u202etreason"  # the rules remove what turns the direction
    game.apply({0: {"say": words}, 1: {"say": "x" * 1200}, 2: {"say": ""}, 3: {"say": "no"}})
    said = labelled(drawn(game), "Messages, exchange 1")
    cut = f"{'x' * 1000}… (200 characters more)"
    assert said.lines == ["<b>treason", cut, "(silent)", "no"]
    assert said.seats == [0, 1, 2, 3]


def test_the_page_shows_the_last_exchanges_and_a_terminal_all():
    game = cold_war_notation.new(talk=True, talk_exchanges=3)
    for words in ("one", "two", "three"):
        game.apply({seat: {"say": words} for seat in range(4)})
    shown = [area.label for area in drawn(game) if area.label.startswith("Messages")]
    assert shown == ["Messages, exchange 2", "Messages, exchange 3"]
    assert all(words in game.text(0) for words in ("one", "two", "three"))
