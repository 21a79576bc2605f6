"""Duel as people see it: the text of the table, and moves in words."""

import pytest

from referee.games.duel.cards import kinds
from referee.games.duel.fencer import LETHAL, VETERAN
from tests.referee.games.duel_positions import (
    BREATHE,
    END_TURN,
    FEINT,
    FOOTWORK,
    NO_DEFENCE,
    PARRY,
    RETREAT,
    at_action,
    at_choice,
    at_defence,
    at_emergency,
    attack,
    defence,
    new_game,
    observe,
    play,
    position,
)

TEXT = """\
Duel, turn 1: B, the challenged, decides how to defend

B's end |  -4   -3   -2   -1    0   +1  [+2]  +3   +4  | A's end

                          A, the challenger   B, the challenged
  trait                   Lethal              Veteran
  stamina                 5 of 9              9 of 10
  dexterity               8 of 9              10 of 10
  fencing                 8                   10
  cards in hand           1                   2
  bonus to a thrust (B)   +1                  +0
  bonus to a cut (E)      +0                  +0
  bonus to a parry (O)    +0                  +0
  bonus to a moulinet (C) +0                  +2

Hand of A: C3
Hand of B: O7 C10
In play of A: B12
In play of B: C11 C12
Deck 3; discards 3: B3 B4 E1

Turn 1: A breathes and rolls 3.

Next in the deck: E7 O2 B1

Turn 1: A thrusts B3 B4 with strength 3.
Undefended, B is to retreat 4 points."""


def drawn():
    game = position(
        "B3 B4 C3",
        "O7 C10",
        pawn=2,
        trait=(LETHAL, VETERAN),
        in_play=("B12", "C11 C12"),
        stock="E7 O2 B1",
        discards="E1",
        rolls=(3,),
        stamina=(5, 9),
    )
    return play(game, BREATHE, attack("B3 B4"))


def test_the_text_shows_the_table_and_the_attack():
    assert drawn().text() == TEXT


def test_the_text_hides_the_other_hand_and_the_deck():
    shown = TEXT.replace("Next in the deck: E7 O2 B1\n\n", "")
    assert drawn().text(0) == shown.replace("Hand of B: O7 C10\n", "")
    assert drawn().text(1) == shown.replace("Hand of A: C3\n", "")


def test_the_text_of_an_action_names_its_price():
    lines = play(drawn(), NO_DEFENCE, PARRY).text(0).splitlines()
    assert lines[0] == "Duel, turn 1: A, the challenger, decides the third action"
    assert lines[-1] == "Stamina: 4 to attack, observe or feint, 3 to breathe or use footwork."
    told = "Turn 1: A thrusts B3 B4 with strength 3; B does not defend; B parries the"
    assert lines[lines.index(told) + 1] == "    retreat of 4 in emergency."


def test_the_text_of_an_emergency_names_what_is_at_stake():
    lines = play(drawn(), defence("O7")).text(1).splitlines()
    assert lines[0] == "Duel, turn 1: B, the challenged, decides whether to parry in emergency"
    assert lines[-2] == "Turn 1: A thrusts B3 B4 with strength 3; B parries O7 with guard 1."
    assert lines[-1] == "B is to retreat 3 points; an emergency parry costs 2 stamina."


def test_the_text_of_the_choice_explains_the_traits():
    assert (
        play(new_game(rolls=(4, 4, 1, 7, 8, 2)), {"trait": 7}).text(1)
        == """\
Duel, set-up: B, the challenged, chooses a trait

A, the challenger, rolled 4 4, 1 7.
    1 Trained    fencing +3
  * 7 Lethal     whenever the rival retreats, he retreats one point more
B, the challenged, rolled 8 2.
    8 Veteran    fencing, maximum stamina and maximum dexterity +1
    2 Big        maximum stamina +3

Cards are dealt when both have chosen."""
    )


@pytest.mark.parametrize(
    ("game", "end"),
    [
        (lambda: play(position("B1", pawn=-3), attack("B1"), RETREAT), "B has been driven off"),
        (lambda: play(position("B1", stamina=(1, 9)), FEINT), "A has no stamina left, B wins"),
        (lambda: play(position("B1", dexterity=(1, 9)), attack("B1")), "A has no dexterity left"),
        (lambda: play(position(max_turns=1), FEINT, END_TURN), "stopped, B is ahead and wins"),
        (lambda: play(position(max_turns=1, stamina=(9, 8)), FEINT, END_TURN), "stopped, a draw"),
    ],
)
def test_the_text_names_the_end(game, end):
    headline = game().text().splitlines()[0]
    assert headline.startswith(f"Duel, over in turn 1: {end}")


def test_who_dies_of_his_own_defence_is_not_said_to_retreat():
    game = play(position("B1 B2", "O1", dexterity=(9, 1)), attack("B1 B2"), defence("O1"))
    told = "Turn 1: A thrusts B1 B2 with strength 2; B parries O1."
    assert told in game.text().splitlines()
    assert game.pawn == 0


def test_a_long_list_is_folded():
    game = position("B1", discards=" ".join(kinds(40)))
    lines = game.text().splitlines()
    assert max(map(len, lines)) <= 80
    assert sum(line.startswith("    ") for line in lines) == 2


DESCRIBED = [
    (0, {"trait": 7}, "A chooses 7, Lethal"),
    (0, attack("B3 B4"), "A thrusts B3 B4"),
    (1, attack("E4 E3"), "B cuts E3 E4"),
    (0, observe("C12"), "A observes with C12"),
    (0, BREATHE, "A breathes"),
    (0, FOOTWORK, "A uses footwork"),
    (0, FEINT, "A feints"),
    (0, END_TURN, "A ends the turn"),
    (1, defence("O1 O2"), "B parries O1 O2"),
    (1, defence("C1"), "B answers C1 by moulinet"),
    (1, NO_DEFENCE, "B does not defend"),
    (1, PARRY, "B parries in emergency"),
    (1, RETREAT, "B retreats"),
]


@pytest.mark.parametrize(("seat", "move", "words"), DESCRIBED)
def test_a_move_is_described(seat, move, words):
    assert new_game().describe(seat, move) == words


@pytest.mark.parametrize("make", [at_choice, at_action, at_defence, at_emergency])
def test_every_legal_move_is_described_in_other_words(make):
    game = make()
    (seat,) = game.deciders()
    moves = game.decision(seat).legal
    assert len({game.describe(seat, move) for move in moves}) == len(moves)
