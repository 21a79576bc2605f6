"""The worked examples of Guerra's rules page, under their own names, and some besides."""

import pytest

from referee.game import plain
from referee.games.guerra.battle import ARCHERS
from tests.referee.games.guerra_positions import (
    can_attack,
    new_game,
    order_attacks,
    parse,
    play,
    position,
    stop,
    tables,
    written_attack,
)
from tests.referee.games.tables import rows

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


@pytest.mark.parametrize(("a", "b", "attacks", "a_after", "b_after"), rows(ATTACKS) + rows(BESIDES))
def test_attack(a, b, attacks, a_after, b_after):
    game = position(a + BOTH_HAVE, b + BOTH_HAVE)
    order_attacks(game, attacks)
    assert tables(game) == (parse(a_after + BOTH_HAVE), parse(b_after + BOTH_HAVE))


@pytest.mark.parametrize(("a", "b", "attacks", "a_after", "b_after"), rows(SMALL_DIE))
def test_attack_in_which_the_small_die(a, b, attacks, a_after, b_after):
    game = position(a + BOTH_HAVE, b + BOTH_HAVE, joint_attack="small_die")
    order_attacks(game, attacks)
    assert tables(game) == (parse(a_after + BOTH_HAVE), parse(b_after + BOTH_HAVE))


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


class TestG2:
    """A: V 7O / C 3O 4C / R 5E."""

    SWAP = ({"card": "5E", "to": "centre", "swap_with": "4C"},)
    BACK_AND_FORTH = ({"card": "4C", "to": "rearguard"}, {"card": "3O", "to": "vanguard"})

    def refusal(self, transfers, allowed=1):
        game = position("V 7O / C 3O 4C / R 5E", "R 2B", transfers=allowed)
        return game.refusal(0, {"action": "attack", "transfers": [*transfers]})

    def test_g2_a_swap_is_one_transfer(self):
        assert self.refusal(self.SWAP) is None

    def test_g2_one_card_back_and_another_forward_are_two_transfers(self):
        assert self.refusal(self.BACK_AND_FORTH)
        assert self.refusal(self.BACK_AND_FORTH, allowed=2) is None

    def test_g2_a_mass_transfer_does_both(self):
        game = position("V 7O / C 3O 4C / R 5E", "R 2B", packs=("2E", "2E"))
        play(game, {"action": "mass_transfer", "moves": [*self.BACK_AND_FORTH]})
        assert tables(game)[0] == parse("V 7O 3O / R 5E 4C")

    @pytest.mark.parametrize("allowed", [1, 2])
    def test_g2_no_card_steps_from_rearguard_to_vanguard(self, allowed):
        assert self.refusal([{"card": "5E", "to": "vanguard"}], allowed)


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


class TestG5:
    """A: V 7O / C 6C; B: V 5E 7E; both 7 die."""

    def game(self, attack_line):
        game = position("V 7O / C 6C", "V 5E 7E", packs=("2E", "2E"), attack_line=attack_line)
        order_attacks(game, "7O>7E")
        return game

    def test_g5_the_centre_takes_over_with_the_current_line(self):
        assert can_attack(self.game("current"), "6C>5E")

    def test_g5_the_turn_is_over_with_the_fixed_line(self):
        assert self.game("fixed").to_move == 1


def test_g6_an_army_may_be_broken_through_in_one_turn():
    game = position("V 5O 6C 7E / R 2B", "V 3O / C 4C / R 5E", hands=("", "7B"))
    order_attacks(game, "5O>3O, 6C>4C, 7E>5E")
    assert (game.places(), game.reason) == ([1, 2], "breakthrough")


def test_g7_mutual_ruin_is_a_draw():
    game = position("R 5O", "R 5C", hands=("7B", "7B"))
    order_attacks(game, "5O>5C")
    assert (game.places(), game.reason) == ([1, 1], "breakthrough")


def test_g8_the_last_card_may_be_lost_in_ones_own_attack():
    game = position("R 5O", "R 6C", hands=("7B", "7B"))
    order_attacks(game, "5O>6C")
    assert (game.places(), game.reason) == ([2, 1], "breakthrough")


def test_g9_leaving_the_rearguard_is_no_defeat():
    game = position("V 5O / R 2B", "R 2B", packs=("2E", "2E"))
    play(game, {"action": "mass_transfer", "moves": [{"card": "2B", "to": "centre"}]})
    assert game.deciders() == (1,)


class TestG10:
    """A: V 7O / C 1O 12C / R 10B 11E; B: V 6O 6C / R 5E; nothing else is left."""

    def game(self, b_hand=""):
        a, b = "V 7O / C 1O 12C / R 10B 11E", "V 6O 6C / R 5E"
        game = position(a, b, hands=("", b_hand), seat=0)
        order_attacks(game)
        stop(game)
        return game

    def test_g10_equal_troops_are_a_draw(self):
        game = self.game()
        assert [army.troops() for army in game.armies] == [17, 17]
        assert (game.places(), game.reason) == ([1, 1], "conclusion")

    def test_g10_play_goes_on_while_one_side_has_a_card_to_send_in(self):
        game = self.game(b_hand="2E")
        assert game.deciders() == (1,)
        play(game, {"action": "incorporate", "card": "2E", "zone": "rearguard"})
        assert [army.troops() for army in game.armies] == [17, 19]
        assert (game.places(), game.reason) == ([2, 1], "conclusion")


class TestG11:
    """A: V 11O; B: V 5O 11O 11C."""

    def test_g11_beside_its_twin_a_knight_may_only_duel_it(self):
        game = position("V 11O", "V 5O 11O 11C")
        order_attacks(game)
        assert can_attack(game, "11O>11O")
        assert not can_attack(game, "11O>")
        assert not can_attack(game, "11O>11C")

    def test_g11_any_suit_lets_knights_of_two_suits_duel(self):
        game = position("V 11O / R 2B", "V 5O 11C", knight_duel="any_suit")
        order_attacks(game, "11O>11C")
        assert tables(game) == (parse("R 2B"), parse("V 5O"))


def test_g12_without_a_legal_attack_none_is_asked():
    game = position("V 1O 10C / C 7O", "V 2C", packs=("2E", "2E"))
    order_attacks(game)
    assert (game.to_move, game.asked) == (1, "orders")


def test_g13_after_max_turns_the_troops_are_counted():
    game = position("R 7O 2O", "R 7C 10C", hands=("3O", "1B"), packs=("2B", "3B"), max_turns=2)
    for _ in range(2):
        order_attacks(game)
        stop(game)
    assert [army.troops() for army in game.armies] == [9, 8]
    assert (game.places(), game.reason, game.turn) == ([1, 2], "max_turns", 2)


class TestG15:
    """A: V 7O / C 10E / R 2B; B: V 7C 3O / C 12B / R 3B, with `archers` aimed."""

    def game(self, **options):
        rows = "V 7O / C 10E / R 2B", "V 7C 3O / C 12B / R 3B"
        game = position(*rows, packs=("2E", "2E"), **options)
        order_attacks(game)
        return game

    def test_g15_an_archer_may_shoot_at_any_card_of_the_two_front_zones(self):
        game = self.game(archers="aimed")
        limits = game.decision(0).limits
        assert (limits["archers"], limits["in_range"]) == (["10E"], ["7C", "3O", "12B"])
        assert all(can_attack(game, f"10E>{card}") for card in limits["in_range"])
        assert not any(can_attack(game, text) for text in ("10E>3B", "10E+7O>7C", "7O+10E>7C"))
        assert not any(can_attack(game, text) for text in ("10E>", "10E>5B", "7O>12B"))

    def test_g15_an_archer_kills_from_behind_and_is_unhurt(self):
        game = self.game(archers="aimed")
        play(game, written_attack("10E>12B"))
        assert tables(game) == (parse("V 7O / C 10E / R 2B"), parse("V 7C 3O / R 3B"))
        assert game.attacked == ["10E"]
        assert game.decision(0).limits["archers"] == []
        assert not can_attack(game, "10E>3O")
        assert can_attack(game, "7O>3O")

    def test_g15_without_the_option_no_shot_is_aimed(self):
        game = self.game()
        assert not can_attack(game, "10E>7C")
        assert [*game.decision(0).limits] == ["attackers", "targets", "sweeps", "duels"]


def test_g16_an_aimed_shot_beside_the_banner_deals_two():
    game = position("V 10E 1E / R 2B", "V 2C / R 3B", packs=("2E", "2E"), archers="aimed")
    order_attacks(game, "10E>2C")
    assert tables(game) == (parse("V 10E 1E / R 2B"), parse("R 3B"))


def test_g17_an_archer_that_shoots_at_an_archer_dies_with_it():
    rows = "C 10E / R 2B", "V 7C / C 10O / R 3B"
    game = position(*rows, packs=("2E", "2E"), archers="aimed")
    order_attacks(game, "10E>10O")
    assert tables(game) == (parse("R 2B"), parse("V 7C / R 3B"))


@pytest.mark.parametrize(("a", "b"), [("V 1O / R 10E 2B", "V 7C / R 3B"), ("V 10E / R 2B", "R 3B")])
def test_g18_the_rearguard_neither_shoots_nor_is_shot_at(a, b):
    game = position(a, b, packs=("2E", "2E"), archers="aimed")
    order_attacks(game)
    assert (game.to_move, game.asked) == (1, "orders")


def test_nobody_shoots_once_the_fixed_line_is_empty():
    a, b = "V 5O / C 10E / R 2B", "V 5C 7C / R 3B"
    game = position(a, b, packs=("2E", "2E"), archers="aimed", attack_line="fixed")
    order_attacks(game)
    assert can_attack(game, "10E>5C")
    play(game, written_attack("5O>5C"))
    assert game.to_move == 1


def test_a_shot_at_the_last_card_breaks_through():
    game = position("V 10E / R 2B", "V 12C", hands=("", "7B"), archers="aimed")
    order_attacks(game, "10E>12C")
    assert (game.places(), game.reason) == ([1, 2], "breakthrough")


def test_a_banner_that_is_shot_doubles_nobody_any_more():
    game = position("C 10E / R 2B", "V 1O 7O*7 / R 3B", packs=("2E", "2E"), archers="aimed")
    order_attacks(game, "10E>1O")
    assert tables(game)[1] == parse("R 3B")


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
