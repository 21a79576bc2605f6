"""Guerra: the worked examples of its page by name, what is refused, what always holds."""

import re
from collections import Counter
from itertools import chain, combinations, permutations
from random import Random

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from referee.games.guerra.battle import ARCHERS, DECK, ZONES, value
from referee.games.guerra.game import Guerra
from referee.rules.game import plain
from tests.referee.games.guerra_positions import (
    STOP,
    at_orders,
    can_attack,
    in_battle,
    new_game,
    opening,
    order_attacks,
    parse,
    position,
    stop,
    tables,
    too_many,
    written_attack,
)
from tests.referee.games.tables import defaults, play, refused, rows

ATTACKS = """
E1  | V 7O           | V 5C                      | 7O>5C         | V 7O*5      |
E2  | V 7O           | V 7C                      | 7O>7C         |             |
E3  | V 4C 5O        | V 7E                      | 5O>7E, 4C>7E  |             |
E4  | V 1O 7O        | V 7C                      | 7O>7C         | V 1O 7O*7   |
E5  | V 7C           | V 1O 7O                   | 7C>7O         |             | V 1O 7O*7
E6  | V 3E           | V 7O*4                    | 3E>7O         |             |
E7  | V 7E           | V 7O*4                    | 7E>7O         |             |
E8  | V 4O 4C        | V 7E                      | 4O+4C>7E      | V 4O*3      |
E9  | V 2O 3C 7B     | V 7E                      | 2O+3C+7B>7E   | V 7B*2      |
E10 | V 3O 4C        | V 7E                      | 3O+4C>7E      |             |
E11 | V 2O           | V 12C                     | 2O>12C        | V 2O*1      |
E12 | V 2O 3O        | V 1E 10C                  | 2O>10C, 3O>1E | V 2O*1 3O*1 |
E13 | V 3O           | V 11C                     | 3O>11C        | V 3O*2      |
E14 | V 11O          | V 5O 11O                  | 11O>11O       |             | V 5O
E15 | V 12O          | V 12C                     | 12O>12C       |             |
H1  | V 4C 5O        | V 7E                      | 4C+5O>7E      | V 5O*3      |
H2  | V 4O 4C        | V 7E                      | 4C+4O>7E      | V 4C*3      |
H3  | V 6O 12O       | V 7C                      | 6O>7C, 12O>7C | V 6O 12O    |
H4  | V 7C 12O       | V 7E                      | 12O+7C>7E     | V 7C*6 12O  |
H5  | V 6O 12O 4C 5E | V 7B                      | 6O+4C+5E>7B   | V 6O 12O 5E |
H6  | V 5O 6C        | V 3E                      | 5O+6C>3E      | V 6C        |
H7  | V 2O 2E        | V 7C*4                    | 2O+2E>7C      |             |
H8  | V 2C           | V 1O 7O*7 12O*1           | 2C>1O         | V 2C*1      |
H9  | V 11O          | V 1O 7O 10O 12O 2C / C 6O | 11O>          | V 11O       | V 2C / C 6O
H10 | V 7C 11O       | V 5E / C 6O 4C            | 7C>5E, 11O>   | V 11O 7C*5  | C 4C
H11 | V 12O          | V 1C 12C                  | 12O>12C       |             | V 1C
H12 | V 2O           | V 1C 12C                  | 2O>12C        |             | V 1C
H13 | V 1O 7O        | V 1C 7C                   | 7O>7C         | V 1O        | V 1C
H14 | V 12O 12E      | V 11B                     | 12O+12E>11B   | V 12O 12E   |
H15 | V 7O 6C        | V 2C / C 3C               | 7O>2C, 6C>3C  | V 7O*2 6C*3 |
H16 | V 7O / C 6C    | V 5E 7E                   | 7O>7E, 6C>5E  | C 6C*5      |
H20 | V 12O 3E       | V 1C 12C                  | 12O+3E>12C    | V 3E*1      | V 1C
"""

SMALL_DIE = """
H21 | V 4C 5O    | V 7E | 4C+5O>7E  |             |
H22 | V 2O 7B    | V 5E | 2O+7B>5E  | V 7B*5      |
H23 | V 7C 12O   | V 7E | 12O+7C>7E | V 12O       |
H24 | V 5O 6C    | V 3E | 5O+6C>3E  | V 5O*3 6C*3 |
H25 | V 1O 4O 3C | V 7E | 4O+3C>7E  | V 1O 4O*7   |
the Captains fight as ever | V 12O 3E | V 12C | 12O+3E>12C | V 3E*1 |
"""

AIMED = """
G16 | V 10E 1E | V 2C         | 10E>2C  | V 10E 1E |
G17 | C 10E    | V 7C / C 10O | 10E>10O |          | V 7C
a Banner that is shot doubles nobody | C 10E | V 1O 7O*7 | 10E>1O | C 10E |
"""


COURSES = """
G5 current | V 7O / C 6C | V 5E 7E | packs=2E,2E | orders; 7O>7E | can 6C>5E
G5 fixed   | V 7O / C 6C | V 5E 7E | packs=2E,2E attack_line=fixed | orders; 7O>7E | asks 1 orders
G6  | V 5O 6C 7E / R 2B | V 3O / C 4C / R 5E | hands=7B,7B packs=3E,3E | \
orders; 5O>3O; 6C>4C; 7E>5E; stop | places 1 2 breakthrough
G7  | R 5O | R 5C | hands=7B,7B packs=3E,3E | orders; 5O>5C; stop | places 1 1 breakthrough
G8  | R 5O | R 6C | hands=7B,7B packs=3E,3E | orders; 5O>6C; stop | places 2 1 breakthrough
G9  | V 5O / R 2B | R 2B | packs=2E,2E | mass 2B>centre | asks 1 orders
G12 | V 1O 10C / C 7O | V 2C | packs=2E,2E | orders | asks 1 orders
G13 | R 7O 2O | R 7C 10C | hands=3O,1B packs=2B,3B max_turns=2 | orders; stop; orders; stop | \
troops 9 8, places 1 2 max_turns, turn 2
G15 without the option | V 7O / C 10E / R 2B | V 7C 3O / C 12B / R 3B | packs=2E,2E | orders | \
cannot 10E>7C
G18 neither shoots | V 1O / R 10E 2B | V 7C / R 3B | packs=2E,2E archers=aimed | orders | \
asks 1 orders
G18 nor is shot at | V 10E / R 2B | R 3B | packs=2E,2E archers=aimed | orders | asks 1 orders
a shot at the last card | V 10E / R 2B | V 12C | hands=7B,7B packs=3E,3E archers=aimed | \
orders; 10E>12C; stop | places 1 2 breakthrough
a volley that breaks through | V 12O | C 10O / R 2B | hands=7B,7B packs=3E,3E | orders; stop | \
places 2 1 breakthrough
a volley that ruins both | C 10O | C 10O | hands=7B,7B packs=3E,3E | orders; stop | \
places 1 1 breakthrough
volleys of several suits fall at once | V 10O 10C / R 2B | V 1O 2O 1C 2C | seat=1 packs=3E,3E | \
orders; stop | b V 2O*1 2C*1
all have attacked but one | V 7O 6O / R 2B | V 2C 3C / R 2B | packs=3E,3E | orders; 7O>2C | \
attackers 6O, targets 3C
all have attacked | V 7O 6O / R 2B | V 2C 3C / R 2B | packs=3E,3E | orders; 7O>2C; 6O>3C | \
asks 1 orders, turn 2
an Archer behind a fixed line | V 5O / C 10E / R 2B | V 5C 7C / R 3B | \
packs=2E,2E archers=aimed attack_line=fixed | orders | can 10E>5C
nobody shoots once it is empty | V 5O / C 10E / R 2B | V 5C 7C / R 3B | \
packs=2E,2E archers=aimed attack_line=fixed | orders; 5O>5C | asks 1 orders
the packs' last breath at the turn limit | R 7O | R 2B | turn=200 | orders; stop | \
places 1 2 conclusion
"""

ILLEGAL = """
H17 | V 5O            | V 12C / C 12O | 5O>12C | 5O>12O
H18 | V 11O           | V 5O 11O      |        | 11O>
H19 | V 1O 10C / C 7O | V 2C          |        | 7O>2C
"""

BESIDES = """
a Banner never doubles a Knight    | V 3C           | V 1O 11O | 3C>11O   | V 3C*2         | V 1O
a Banner of another suit is no use | V 7C 1O        | V 7E     | 7C>7E    | V 1O           |
a Banner of another zone neither   | V 7O / C 1O    | V 7E     | 7O>7E    | C 1O           |
a Captain of another zone          | V 6O / C 12O   | V 5C     | 6O>5C    | V 6O*5 / C 12O |
a Captain of another suit          | V 6O 12C       | V 5C     | 6O>5C    | V 6O*5 12C     |
a doubled Captain deals two        | V 1O 12O       | V 2C     | 12O>2C   | V 1O 12O       |
an unhurt attacker is subtracted   | V 1O 6O 12O 7C | V 7E     | 6O+7C>7E | V 1O 6O 12O 7C |
the doubled card is the strongest  | V 1O 4O 7C     | V 7E     | 7C+4O>7E | V 1O 4O        |
two Captains die with the third    | V 12O 12E 5C   | V 12C    | 12O+5C+12E>12C | V 5C       |
a Captain wounds like one Soldier  | V 12O          | V 11C    | 12O>11C  | V 12O          | V 11C*1
"""

VOLLEYS = """
V1 | C 10O / R 2B    | V 5O / C 10O / R 2B              | R 2B | V 5O / R 2B
V2 | C 1O 10O / R 2B | V 2O 5C 12O / C 1O 4O 11O / R 3O | same | V 5C / C 4O*2 / R 3O
V3 | V 10O / R 2B    | V 2O 5C 12O / C 1O 4O 11O / R 3O | same | V 2O*1 5C / C 4O*1 11O*1 / R 3O
V4 | R 10O 2B        | V 2O 12O / R 3O                  | same | same
V5 | V 1O 10O / R 2B | V 7O / R 10O 2B                  | same | V 7O*2 / R 10O 2B
"""

BOTH_HAVE = "/ R 2B 3B"


@pytest.mark.parametrize(
    ("options", "a", "b", "attacks", "a_after", "b_after"),
    [
        pytest.param(options, *row.values, id=row.id)
        for table, options in (
            (ATTACKS, {}),
            (BESIDES, {}),
            (SMALL_DIE, {"joint_attack": "small_die"}),
            (AIMED, {"archers": "aimed"}),
        )
        for row in rows(table)
    ],
)
def test_attack(options, a, b, attacks, a_after, b_after):
    game = position(a + BOTH_HAVE, b + BOTH_HAVE, **options)
    order_attacks(game, attacks)
    assert tables(game) == (parse(a_after + BOTH_HAVE), parse(b_after + BOTH_HAVE))


def options_of(text):
    """Read `hands=2O+3O,7B turn=200`."""
    given = dict(word.split("=") for word in text.split())
    options = {name: int(value) if value.isdigit() else value for name, value in given.items()}
    lists = given.keys() & {"hands", "packs"}
    return options | {name: given[name].replace("+", " ").split(",") for name in lists}


def seen(game, what, rest):
    """Return a fact of the game as it is written in the table."""
    match what:
        case "asks":
            return [game.to_move, game.asked]
        case "places":
            return [*game.places(), game.reason]
        case "troops":
            return [army.troops() for army in game.armies]
        case "turn":
            return [game.turn]
        case "b":
            return rest if tables(game)[1] == parse(" ".join(rest)) else tables(game)
        case "can" | "cannot":
            return rest if can_attack(game, *rest) == (what == "can") else []
    return game.decision(0).limits[what]


@pytest.mark.parametrize(("a", "b", "options", "moves", "facts"), rows(COURSES))
def test_course(a, b, options, moves, facts):
    game = position(a, b, **options_of(options))
    for word, *rest in map(str.split, moves.split("; ")):
        if word in ("orders", "stop"):
            (order_attacks if word == "orders" else stop)(game)
        else:
            play(game, mass(*steps(*rest)) if word == "mass" else written_attack(word))
    for what, *expected in map(str.split, facts.split(", ")):
        assert [*map(str, seen(game, what, expected))] == expected, what


@pytest.mark.parametrize(("a", "b", "before", "attack"), rows(ILLEGAL))
def test_illegal_attack(a, b, before, attack):
    game = position(a + BOTH_HAVE, b + BOTH_HAVE)
    order_attacks(game, before)
    assert not can_attack(game, attack)


@pytest.mark.parametrize(("a", "b", "a_after", "b_after"), rows(VOLLEYS))
def test_volley(a, b, a_after, b_after):
    game = position(a, b, seat=1, packs=("7E", "7E"))
    order_attacks(game)
    stop(game)
    a_after, b_after = a_after.replace("same", a), b_after.replace("same", b)
    assert (game.to_move, game.asked) == (0, "orders")
    assert tables(game) == (parse(a_after), parse(b_after))


def test_g1_after_the_opening_the_rows_hold_one_two_and_three_cards():
    game = new_game()
    while game.asked == "deploy":
        play(game, game.default(game.to_move))
    view = plain(game.view(0))
    assert [[len(zone) for zone in army.values()] for army in view["zones"]] == [[1, 2, 3]] * 2
    assert view["turn"] == 1
    assert (view["hand_size"], view["pack"]) == ([5, 4], [29, 30])


SWAP = ({"card": "5E", "to": "centre", "swap_with": "4C"},)
BACK_AND_FORTH = ({"card": "4C", "to": "rearguard"}, {"card": "3O", "to": "vanguard"})


@pytest.mark.parametrize(
    ("transfers", "allowed", "is_legal"),
    [
        *((SWAP, 1, True), (BACK_AND_FORTH, 1, False), (BACK_AND_FORTH, 2, True)),
        *(([{"card": "5E", "to": "vanguard"}], allowed, False) for allowed in (1, 2)),
    ],
)
def test_g2_a_swap_is_one_transfer_and_no_card_takes_two_steps(transfers, allowed, is_legal):
    game = position("V 7O / C 3O 4C / R 5E", "R 2B", transfers=allowed)
    refusal = game.refusal(0, {"action": "attack", "transfers": [*transfers]})
    assert (refusal is None) == is_legal


def test_g2_a_mass_transfer_does_both():
    game = position("V 7O / C 3O 4C / R 5E", "R 2B", packs=("2E", "2E"))
    play(game, {"action": "mass_transfer", "moves": [*BACK_AND_FORTH]})
    assert tables(game)[0] == parse("V 7O 3O / R 5E 4C")


def test_transfers_come_before_an_incorporation_and_before_attacks():
    game = position("V 7O / R 2B", "R 2B", hands=("7C", ""), packs=("3E", "3E"))
    play(game, incorporation(transfers=[step("2B", "centre")]))
    assert tables(game)[0] == parse("V 7O / C 2B 7C")
    game = position("V 7O / C 3O / R 2B", "V 2C / R 2B")
    play(game, transferring(*steps("3O>vanguard/7O")))
    assert game.decision(0).limits["attackers"] == ["3O"]


def test_g3_with_eight_cards_in_hand_exactly_one_is_discarded():
    game = position("R 2B", "R 2B", hands=("2O 3O 4O 5O 6O 7O 2C 3C", ""))
    order_attacks(game)
    stop(game)
    assert game.asked == "discard"
    assert game.refusal(0, {"cards": ["2O", "3O"]})
    play(game, {"cards": ["4O"]})
    assert "4O" in game.armies[0].cemetery
    assert len(game.armies[0].hand) == 7


def test_g4_wounds_last_until_their_owners_turn():
    game = position("V 10O / R 2B", "V 7O / R 2B", seat=1, packs=("3E 2E", "2E"))
    order_attacks(game)
    stop(game)
    assert tables(game)[1]["vanguard"] == {"7O": 1}
    play(game, {"action": "incorporate", "card": "2E", "zone": "centre"})
    assert (game.to_move, tables(game)[1]["vanguard"]) == (1, {"7O": 0})


def test_g10_equal_troops_are_a_draw_once_nobody_can_send_in_a_card():
    games = []
    for hand in ("", "2E"):
        a, b = "V 7O / C 1O 12C / R 10B 11E", "V 6O 6C / R 5E"
        games.append(position(a, b, hands=("", hand), seat=0))
        order_attacks(games[-1])
        stop(games[-1])
    ended, goes_on = games
    assert [army.troops() for army in ended.armies] == [17, 17]
    assert (ended.places(), ended.reason) == ([1, 1], "conclusion")
    assert goes_on.deciders() == (1,)
    play(goes_on, {"action": "incorporate", "card": "2E", "zone": "rearguard"})
    assert [army.troops() for army in goes_on.armies] == [17, 19]
    assert (goes_on.places(), goes_on.reason) == ([2, 1], "conclusion")


def test_g11_beside_its_twin_a_knight_may_only_duel_it_unless_any_suit_may():
    game = position("V 11O", "V 5O 11O 11C")
    order_attacks(game)
    assert [can_attack(game, text) for text in ("11O>11O", "11O>", "11O>11C")] == [
        True,
        False,
        False,
    ]
    game = position("V 11O / R 2B", "V 5O 11C", knight_duel="any_suit")
    order_attacks(game, "11O>11C")
    assert tables(game) == (parse("R 2B"), parse("V 5O"))


def archers(**options):
    game = position("V 7O / C 10E / R 2B", "V 7C 3O / C 12B / R 3B", packs=("2E", "2E"), **options)
    order_attacks(game)
    return game


def test_g15_an_archer_shoots_alone_at_any_card_of_the_two_front_zones_and_is_unhurt():
    game = archers(archers="aimed")
    limits = game.decision(0).limits
    assert (limits["archers"], limits["in_range"]) == (["10E"], ["7C", "3O", "12B"])
    assert all(can_attack(game, f"10E>{card}") for card in limits["in_range"])
    illegal = ("10E>3B", "10E+7O>7C", "7O+10E>7C", "10E>", "10E>5B", "7O>12B")
    assert not any(can_attack(game, text) for text in illegal)
    play(game, written_attack("10E>12B"))
    assert tables(game) == (parse("V 7O / C 10E / R 2B"), parse("V 7C 3O / R 3B"))
    assert (game.attacked, game.decision(0).limits["archers"]) == (["10E"], [])
    assert (can_attack(game, "10E>3O"), can_attack(game, "7O>3O")) == (False, True)


def deploy_without_archers_in_front(game):
    hand = sorted(game.armies[game.to_move].hand, key=lambda card: card not in ARCHERS)
    asked = game.decision(game.to_move).limits
    return {
        zone: [hand.pop(0 if zone == "rearguard" else -1) for _ in range(count)]
        for zone, count in asked.items()
    }


def test_g14_two_peaceful_armies_meet_their_conclusion_after_68_turns():
    game = new_game()
    while game.asked == "deploy":
        play(game, deploy_without_archers_in_front(game))
    while game.deciders():
        card = game.armies[game.to_move].hand[0]
        zone = "rearguard" if card in ARCHERS else "centre"
        play(game, {"action": "incorporate", "card": card, "zone": zone})
    assert (game.turn, game.places(), game.reason) == (68, [1, 1], "conclusion")
    assert [army.troops() for army in game.armies] == [148, 148]
    assert all(len(army.cemetery) == 0 for army in game.armies)


def test_the_limits_name_sweeps_and_duels():
    game = position("V 11O 11C 11E 12B", "V 2C 11E 11B / R 2B", knight_duel="any_suit")
    order_attacks(game)
    assert game.decision(0).limits == {
        "attackers": ["12B"],
        "targets": ["2C", "11E", "11B"],
        "sweeps": ["11C"],
        "duels": [[k, other] for k in ("11O", "11C", "11E") for other in ("11E", "11B")],
    }


OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "transfers": st.just(2),
        "attack_line": st.just("fixed"),
        "knight_duel": st.just("any_suit"),
        "max_turns": st.integers(2, 60),
    },
)


def assert_whole(army):
    """No card is lost, doubled, or left standing with wounds that reach its value."""
    standing = [card for zone in army.zones.values() for card in zone]
    held = Counter([*standing, *army.hand, *army.pack, *army.cemetery])
    assert held == Counter(DECK)
    for zone in army.zones.values():
        assert all(0 <= wounds < value(card, zone) for card, wounds in zone.items())


@settings(max_examples=6)
@given(st.integers(0, 10**6), OPTIONS)
def test_random_play_keeps_every_card_and_ends_and_asks_for_attacks_that_are_possible(
    seed, options
):
    game, rng = new_game(str(seed), **options), Random(seed)
    while seats := game.deciders():
        (seat,) = seats
        limit = 7 + (game.turn == 0) * 3
        assert len(game.armies[1 - seat].hand) <= limit
        if game.asked == "attack":
            limits = game.decision(seat).limits
            assert limits["attackers"] or limits["sweeps"] or limits["duels"]
            assert game.line in (None, game.armies[seat].foremost())
        game.apply({seat: game.sample(seat, rng)})
        for army in game.armies:
            assert_whole(army)
    assert sorted(game.places()) in ([1, 1], [1, 2])
    assert game.reason in {"breakthrough", "conclusion", "max_turns"}
    assert game.turn <= game.options.max_turns


def deployed(rearguard=("2O", "3O", "4O"), centre=("5O", "6O"), **others):
    return {"rearguard": [*rearguard], "centre": [*centre], **others}


def attack(*attackers, target=None):
    return {"attackers": [*attackers], "target": target}


def transferring(*transfers):
    return {"action": "attack", "transfers": [*transfers]}


def step(card, to, **others):
    return {"card": card, "to": to, **others}


def steps(text):
    """Read `7O>centre 5E>centre/4C`: cards, where they go, and with which they swap."""
    found = [re.split("[>/]", part) for part in text.split()]
    return [dict(zip(("card", "to", "swap_with"), words, strict=False)) for words in found]


def mass(*moves):
    return {"action": "mass_transfer", "moves": [*moves]}


def incorporation(**fields):
    return {"action": "incorporate", "card": "7C", "zone": "centre"} | fields


def two_allowed():
    return at_orders(transfers=2)


def aimed():
    """Archers may shoot: 10C, which stands in front."""
    game = in_battle(archers="aimed")
    game.armies[0].cemetery.remove("10O")
    game.armies[0].zones["rearguard"]["10O"] = 0
    return game


def aimed_twice():
    """10C has shot."""
    game = aimed()
    play(game, attack("10C", target="5B"))
    return game


REFUSALS = [
    (opening, {"rearguard": ["2O", "3O", "4O"]}, '"centre" is missing'),
    (opening, {"rearguard": []}, '"rearguard" takes 3'),
    (opening, deployed(vanguard=[]), '"vanguard" is not asked for'),
    (opening, deployed(centre=["5O"]), '"centre" takes 2'),
    (opening, deployed(centre=["5O", "2O"]), "'2O' is named twice"),
    (opening, deployed(centre=["5O", "7B"]), "'7B' is still in your pack"),
    (opening, deployed(centre=["5O", "8O"]), "'8O' is not a card"),
    (at_orders, transferring(*steps("7O>rearguard")), "steps to centre"),
    (at_orders, transferring(*steps("7O>vanguard")), "in your vanguard"),
    (at_orders, transferring(*steps("7C>centre")), "is in your hand"),
    (at_orders, transferring(*steps("7E>centre")), "your cemetery"),
    (at_orders, transferring(*steps("7O>centre 5E>centre")), "allows 1"),
    (two_allowed, transferring(*steps("7O>centre 5E>centre 6E>centre")), "allows 2"),
    (two_allowed, transferring(*steps("5E>centre 5E>vanguard")), "'5E' would move twice"),
    (two_allowed, transferring(*steps("5E>centre 6E>centre/5E")), "'5E' would move twice"),
    (at_orders, transferring(*steps("5E>centre/7O")), "a swap is with a card of centre"),
    (at_orders, transferring(*steps("5E>centre/7C")), "'7C' is in your hand"),
    (at_orders, incorporation(card="7O"), "'7O' is in your vanguard"),
    (at_orders, incorporation(transfers=[step("7O", "rearguard")]), "steps to centre"),
    (at_orders, mass(*steps("7O>rearguard")), "steps to centre"),
    (at_orders, mass(*steps("5E>centre 5E>vanguard")), "'5E' would move twice"),
    (in_battle, attack(target="7C"), "no attackers are named"),
    (in_battle, attack("7O"), "attack one enemy card"),
    (in_battle, attack("7O", "7O", target="7C"), "'7O' is named twice"),
    (in_battle, attack("5O", target="7C"), "attacks come from your vanguard"),
    (in_battle, attack("7C", target="7C"), "'7C' is in your hand"),
    (in_battle, attack("2E", target="7C"), "'2E' is in your cemetery"),
    (in_battle, attack("4E", target="7C"), "'4E' has already attacked"),
    (in_battle, attack("1C", target="7C"), "Banner, which never attacks"),
    (in_battle, attack("10C", target="7C"), "'10C' is an Archer"),
    (in_battle, attack("7O", "11B", target="7C"), "attacks alone"),
    (in_battle, attack("7O", target="5B"), "in the enemy's centre; only"),
    (in_battle, attack("11E", target="7E"), "does not attack '7E'"),
    (in_battle, attack("11E", target="11C"), "only the Knight of its suit"),
    (in_battle, attack("11E"), "'11E' cannot sweep the enemy's vanguard"),
    (in_battle, attack("11B"), "holds no card of suit B"),
    (aimed, attack("7O", "10C", target="7C"), "an Archer, which shoots alone"),
    (aimed, attack("10E", target="7C"), "'10E' is in your cemetery; shots come"),
    (aimed, attack("10O", target="7C"), "'10O' is in your rearguard; shots"),
    (aimed, attack("10C"), "an Archer shoots at one enemy card"),
    (aimed, attack("10C", target="2B"), "in the enemy's rearguard; shots reach"),
    (aimed_twice, attack("10C", target="7C"), "'10C' has already attacked"),
    (too_many, {"cards": []}, "must name exactly 1, not 0"),
    (too_many, {"cards": ["2B"]}, "'2B' is in your rearguard"),
]


test_a_reply_is_refused_with_a_reason = refused(REFUSALS)


ACCEPTED = [
    (at_orders, {"action": "attack"}, {"action": "attack", "transfers": []}),
    (at_orders, {"action": "attack", "card": 7, "moves": None}, transferring()),
    (
        at_orders,
        transferring(step("5E", "centre", swap_with=None)),
        transferring(*steps("5E>centre")),
    ),
    (at_orders, mass(*steps("7O>centre")) | {"transfers": None}, mass(*steps("7O>centre"))),
]


@pytest.mark.parametrize(("asked", "move", "canonical"), ACCEPTED)
def test_what_may_be_left_out_is_not_missed(asked, move, canonical):
    game = asked()
    assert Draft202012Validator(Guerra.schemas()[game.asked]).is_valid(move)
    assert game.read(game.to_move, move) == game.read(game.to_move, canonical)


DEFAULTS = [
    (opening, {"rearguard": ["2O", "3O", "4O"], "centre": ["5O", "6O"]}),
    (at_orders, {"action": "attack", "transfers": []}),
    (in_battle, STOP),
    (too_many, {"cards": ["3C"]}),
]


test_defaults_are_those_of_the_rules_page = defaults(DEFAULTS)


def as_text(move):
    return msgspec.json.encode(move, order="sorted")


def sampled(game, count=2000):
    rng = Random(1)
    return {as_text(game.sample(0, rng)) for _ in range(count)}


def groups(cards):
    return chain.from_iterable(permutations(cards, size) for size in range(len(cards) + 1))


def test_every_legal_attack_comes_up():
    game = position("V 7O 6C 11O 11E 1E / R 12B", "V 2O 3B 11E / R 2B")
    order_attacks(game)
    every = (
        attack(*group, target=target)
        for group in groups([*game.armies[0].zones["vanguard"]])
        for target in (*DECK, None)
    )
    assert sampled(game) == {as_text(move) for move in every if game.refusal(0, move) is None}


def legal_orders(game):
    """Find the legal orders of a small position among all that might be."""
    army, every = game.armies[0], DECK[:20]
    cards = [card for zone in army.zones.values() for card in zone]
    steps = [step(card, to) for card in cards for to in ZONES]
    swaps = [s | {"swap_with": other} for s in steps for other in (*cards, None)]
    transfers = [list(some) for size in range(3) for some in permutations(swaps, size)]
    incorporated = [{"card": card, "zone": zone} for card in every for zone in ZONES]
    orders = chain(
        (transferring(*some) for some in transfers),
        (incorporation(**new, transfers=some) for some in transfers for new in incorporated),
        (mass(*some) for size in range(1, 5) for some in combinations(steps, size)),
    )
    return {as_text(move) for move in orders if game.refusal(0, move) is None}


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    ("table", "hand", "transfers"),
    [("C 6C", "2O", 2), ("V 7O / C 6C", "2O 3O", 1), ("V 7O / C 6C 5C / R 12B", "", 2)],
)
def test_every_legal_order_comes_up(table, hand, transfers):
    game = position(table, "R 2B", hands=(hand, ""), transfers=transfers)
    assert sampled(game, 8000) == legal_orders(game)
