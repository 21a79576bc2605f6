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
Turn 1: B decides how to defend
The line  B is out -4 . . ○ . | . ● . . 4 A is out  pawn at 2, driven to -2

B is to retreat 4 points
  A  B3 B4; thrust, strength 3

Stamina    0 . . . . . A . . . B . . . 12  A 5, B 9; at most 9 and 10
Dexterity  0 . . . . . . . . A . B . . 12  A 8, B 10; at most 9 and 10
Fencing    0 . . . . . . . . A . B . . 12  A 8, B 10

A: the challenger
  Hand         C3; 1 of 8
  In play      B12
  Counts more  thrust +1
  Trait: Lethal, whenever the rival retreats, he retreats one point more

B: the challenged
  Hand         O7 C10; 2 of 10
  In play      C11 C12
  Counts more  moulinet +2
  Trait: Veteran, fencing, maximum stamina and maximum dexterity +1

Lately  Turn  What
A          1  breathes, rolls 3

Deck  (3 unseen)
Next in the deck: E7 O2 B1
Discards, latest first  B4 B3 E1; 3 in all"""


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
    for seat, shown, hidden in ((0, "C3; 1 of 8", "O7 C10"), (1, "O7 C10; 2 of 10", "C3")):
        text = drawn().text(seat)
        assert f"  Hand         {shown}\n" in text
        assert hidden not in text
        assert "unseen); 1 of 8" in text or "unseen); 2 of 10" in text
        assert "Next in the deck" not in text


def test_the_text_of_an_action_names_its_price():
    lines = play(drawn(), NO_DEFENCE, PARRY).text(0).splitlines()
    assert lines[0] == "Turn 1: A (you) decides the third action"
    assert lines[-1] == "Stamina: 4 to attack, observe or feint, 3 to breathe or use footwork"
    told = "A (you)     1  thrusts B3 B4 (3), B does not defend, B parries in emergency"
    assert told in lines


def test_the_text_of_an_emergency_names_what_is_at_stake():
    lines = play(drawn(), defence("O7")).text(1).splitlines()
    assert lines[0] == "Turn 1: B (you) may parry in emergency"
    at = lines.index("B is to retreat 3 points; an emergency parry costs 2 stamina")
    assert lines[at + 1 : at + 3] == [
        "  A        B3 B4; thrust, strength 3",
        "  B (you)  O7; parry, guard 1",
    ]


def test_the_text_of_the_choice_explains_the_traits():
    text = play(new_game(rolls=(4, 4, 1, 7, 8, 2)), {"trait": 7}).text(1)
    assert text.startswith("Set-up: B (you) chooses a trait\n")
    assert text.endswith(
        """\
A: the challenger
  Dice  1, 7
  Trait: Lethal, whenever the rival retreats, he retreats one point more

B (you): the challenged
  Dice  8, 2
  To choose from
    Veteran  fencing, maximum stamina and maximum dexterity +1
    Big      maximum stamina +3

Deck  (80 unseen)"""
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
    over, headline, *_ = game().text().splitlines()
    assert over.startswith("Over: ")
    assert headline.startswith(f"Turn 1: {end}")


def test_who_dies_of_his_own_defence_is_not_said_to_retreat():
    game = play(position("B1 B2", "O1", dexterity=(9, 1)), attack("B1 B2"), defence("O1"))
    assert "A          1  thrusts B1 B2 (2), B parries O1 (0)" in game.text().splitlines()
    assert game.pawn == 0


def test_a_long_list_is_folded():
    game = position("B1", discards=" ".join(kinds(40)))
    lines = game.text().splitlines()
    assert max(map(len, lines)) <= 80
    assert sum(line.startswith(" " * 24) for line in lines) == 2


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
