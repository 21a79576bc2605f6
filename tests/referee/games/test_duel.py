"""Duel: the worked examples of its page by name, what is seen, what is refused, what holds."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.games.duel.fencer import (
    BIG,
    BRAVE,
    LETHAL,
    QUICK,
    TRAINED,
    VERSATILE,
    VETERAN,
    WARY,
    kinds,
)
from referee.rules.game import plain
from tests.referee.games.duel_positions import (
    BREATHE,
    END_TURN,
    FEINT,
    FOOTWORK,
    NO_DEFENCE,
    PARRY,
    RETREAT,
    asked,
    at_action,
    at_choice,
    at_defence,
    at_emergency,
    at_second_action,
    attack,
    both,
    careful,
    defence,
    held,
    legal,
    new_game,
    observe,
    position,
)
from tests.referee.games.tables import defaults, play, recorded, refused, rows


def test_d1_a_new_game_has_80_cards_and_the_pawn_in_the_middle():
    game = new_game()
    cards = held(game)
    assert len(cards) == 80
    assert sum(int(card[1:]) < 10 for card in cards) == 56
    assert sum(int(card[1:]) > 9 for card in cards) == 24
    assert both(game, "pawn") == 0


def test_d2_a_double_is_rolled_again_and_traits_are_applied():
    game = new_game(rolls=(4, 4, 5, 5, 1, 7, 8, 2))
    assert both(game, "dice") == [[[4, 4], [5, 5], [1, 7]], [[8, 2]]]
    assert game.decision(0).legal == [{"trait": 1}, {"trait": 7}]


@pytest.mark.parametrize(
    ("traits", "most", "hand_size"),
    [
        ((BIG, QUICK), ([12, 9], [9, 12]), [9, 9]),
        ((TRAINED, VETERAN), ([9, 10], [9, 10]), [12, 10]),
    ],
)
def test_d2_traits_are_those_of_the_table(traits, most, hand_size):
    game = new_game(rolls=[die for trait in traits for die in (trait, trait % 8 + 1)])
    play(game, *({"trait": trait} for trait in traits))
    assert both(game, "stamina") == both(game, "max_stamina") == most[0]
    assert both(game, "dexterity") == both(game, "max_dexterity") == most[1]
    assert both(game, "hand_size") == hand_size


def test_d3_ladders():
    for cards in ("B3", "B3 B4 B5", "B1 B2"):
        assert legal(position(cards), attack(cards))
    for cards in ("B3 B3", "B3 E4", "B3 B5", "B7 B10", "B7 B1", "B12"):
        assert not legal(position(cards), attack(cards))


def test_d3_six_thrusts():
    moves = position("B1 B2 B3 B3 B12 E4").decision(0).legal
    thrusts = [move["cards"] for move in moves if "cards" in move and "B" in move["cards"][0]]
    assert len(thrusts) == 6


def test_d15_the_last_point_of_fencing_cannot_be_spent():
    game = position("B1", fencing=(1, 9))
    assert not legal(game, BREATHE)
    assert not legal(game, FOOTWORK)


EXAMPLES = """
D4  | B3 B4 B5 | O1 | | B3 B4 B5; none; retreat | pawn -3, stamina 8 9, dexterity 8 9
D5  | B3 B4 B5 | O1 O2 O6 | | B3 B4 B5; O1 O2; retreat | pawn -1, dexterity 8 8, discards 5
D6  | E3 E4 | O1 O2 | | E3 E4; O1 O2 | pawn 0, stamina 8 8, dexterity 7 8
D7  | B5 O5 | C2 C3 C4 | | B5; C2 C3 C4 | pawn 2, dexterity 8 7, asks A action, action 2
D8  | B4 B5 B6 | C2 | | B4 B5 B6; C2; retreat | pawn -2
D9  | B1 B2 B3 B4 | O1 | trait=LETHAL,- | B1 B2 B3 B4; O1 | retreat 0 4
D9 parried | B1 B2 B3 B4 | O1 | trait=LETHAL,- | B1 B2 B3 B4; O1; parry | \
pawn 0, stamina 8 7, dexterity 8 8
D10 one stamina | B1 | O1 | stamina=9,1 | B1; none | pawn -1, asks A action
D10 the last two | B1 B2 B3 B4 | O1 | stamina=9,2 | B1 B2 B3 B4; none; parry | \
pawn 0, places 1 2 stamina
D11 strength | B5 | C3 | in_play=B10+B12+E11,C11+C11+C12+O10 | B5 | strength 3
D11 guard    | B5 | C3 | in_play=B10+B12+E11,C11+C11+C12+O10 | B5; C3 | pawn 1, guard 4
D11 potentiators alone | B5 | E2 | in_play=B10,O10+O11 | B5 | strength 2, asks B emergency_parry
D12 Brave | B5 | O2 | trait=BRAVE,- | B5; O2; retreat | pawn -1
D12 Wary  | B5 | C3 | trait=-,WARY | B5; C3 | pawn 1
D13 no retreat | B5 | O2 | trait=LETHAL,- | B5; O2 | pawn 0
D13 moulinet   | B5 | C2 C3 | trait=-,LETHAL | B5; C2 C3 | pawn 2
D14 the end  | B3 B4 B5 | O1 | pawn=-2 | B3 B4 B5; none; retreat | pawn -4, places 1 2 retreat
D14 own turn | B1 | C2 C3 | pawn=3 | B1; C2 C3 | pawn 4, places 2 1 retreat
D15 breathing | B1 B2 B3 B4 B5 B6 B7 O1 O2 | | stamina=5,9 rolls=8 | breathe | \
stamina 9 9, fencing 8 9, hand_size 9 0
D15 Versatile | B1 | | trait=VERSATILE,- dexterity=1,9 rolls=2,5 | footwork | dexterity 6 9
D16 | B1 B2 | | fencing=5,9 stock=E1+E2+E3+E4 | feint | hand B1 B2 E1 E2 E3, stamina 8 9
D16 a larger hand | B1 B2 B3 B4 B5 B6 | | fencing=5,9 | feint | hand_size 6 0, stamina 8 9
D17 breathing second | B1 | | stamina=6,9 rolls=3 | feint; breathe | stamina 6 9
D18 stamina   | B1 B2 B3 B4 | | stamina=1,9 | B1 B2 B3 B4 | pawn 0, places 2 1 stamina
D18 dexterity | B1 B2 B3 B4 | | dexterity=1,9 | B1 B2 B3 B4 | pawn 0, places 2 1 dexterity
D18 a defence | B1 | O1 | dexterity=9,1 | B1; O1 | places 1 2 dexterity
D20 | E6 | O1 C1 | stamina=9,1 | E6 | pawn 0, places 1 2 stamina
D21 | B12 B10 C11 | | | observe B12; end | in_play B12 /, stamina 8 9, discards 0, on_turn 1
D23 | | | on_turn=1 number=2 stamina=1,9 fencing=1,9 | end | last feint, places 2 1 stamina
D24 ahead  | B1 | B2 | pawn=-1 max_turns=1 | feint; end | places 1 2 max_turns, stamina 8 9
D24 behind | B1 | B2 | pawn=2 max_turns=1 | feint; end | places 2 1 max_turns
D24 more stamina | B1 | B2 | stamina=9,6 max_turns=1 | feint; end | places 1 2 max_turns
D24 less stamina | B1 | B2 | stamina=9,9 max_turns=1 | feint; end | places 2 1 max_turns
D24 level  | B1 | B2 | stamina=9,8 max_turns=1 | feint; end | places 1 1 max_turns
"""

BESIDES = """
a parry's surplus is wasted | B1 | O1 O2 O3 | trait=-,LETHAL | B1; O1 O2 O3 | pawn 0, asks A action
a moulinet as strong moves nobody | B1 B2 | C1 C2 | trait=LETHAL,LETHAL | B1 B2; C1 C2 | pawn 0
what a moulinet leaves | B1 B2 | C1 | | B1 B2; C1 | asks B emergency_parry
what it leaves is parried | B1 B2 | C1 | | B1 B2; C1; parry | pawn 0, stamina 8 7
lethal counts once | B1 B2 | O1 | trait=LETHAL,LETHAL | B1 B2; O1; retreat | pawn -2
a cut leaves too little | E1 | O1 | stamina=9,2 | E1; none | pawn -1, asks A action
no pawn passes the end | B1 B2 B3 B4 B5 B6 | | pawn=-3 | B1 B2 B3 B4 B5 B6; retreat | \
pawn -4, places 1 2 retreat
B attacks the other way | | B1 B2 | on_turn=1 | B1 B2; retreat | pawn 2
a failing defence is discarded | B1 | O1 | dexterity=9,1 | B1; O1 | discards 2, hand_size 0 0
the last point has no effect | B1 B10 | | stamina=3,9 number=2 | observe B10 | \
in_play /, places 2 1 stamina, last observe
breathing on the last point | B1 | | stamina=2,9 number=2 | breathe | \
fencing 9 9, places 2 1 stamina
footwork ends at the maximum | B1 | | dexterity=5,9 rolls=8 | footwork | dexterity 9 9, fencing 8 9
Big may breathe up to twelve | B1 | | trait=BIG,QUICK stamina=4,9 rolls=8 | breathe | stamina 12 9
two points pay no second action | B1 | | stamina=2,9 | feint | asks B action
three do | B1 | | stamina=3,9 | feint | asks A action
a coin defends | B1 | O1 | | B1 | asks B defend
a cup needs two points | B1 | C1 | dexterity=9,2 | B1 | asks B defend
and has not one | B1 | C1 | dexterity=9,1 | B1 | asks B emergency_parry
figures and attackers are no defence | B1 | O12 C11 B1 E1 | | B1 | asks B emergency_parry
an empty hand is none | B1 | | | B1 | asks B emergency_parry
"""

TRAIT_NUMBERS = {"BIG": BIG, "BRAVE": BRAVE, "LETHAL": LETHAL, "QUICK": QUICK, "WARY": WARY}
TRAIT_NUMBERS |= {"VERSATILE": VERSATILE, "-": None}
WORDS = {"none": NO_DEFENCE, "retreat": RETREAT, "parry": PARRY, "end": END_TURN}
WORDS |= {"feint": FEINT, "breathe": BREATHE, "footwork": FOOTWORK}


def options_of(text):
    """Read `stamina=9,2 pawn=-2 in_play=B10+B12,O1`."""
    options = {}
    for name, value in (word.split("=") for word in text.split()):
        parts = value.replace("+", " ").split(",")
        if name in ("stock", "in_play"):
            options[name] = parts if name == "in_play" else parts[0]
        elif name == "trait":
            options[name] = [TRAIT_NUMBERS[part] for part in parts]
        elif name in ("rolls", "stamina", "dexterity", "fencing"):
            options[name] = [int(part) for part in parts]
        else:
            options[name] = int(value)
    return options


def move_of(game, text):
    if text.startswith("observe"):
        return observe(text.split()[1])
    return WORDS.get(text) or (attack(text) if game.asked == "action" else defence(text))


def seen(game, what):
    """Return a fact of the game as it is written in the tables."""
    view = plain(game.view(0))
    if what == "places":
        return [*game.places(), game.reason]
    if what == "asks":
        seat, decision = asked(game)
        return ["AB"[seat], decision]
    if what == "last":
        return [game.log[-1]["action"]]
    if what in ("strength", "retreat"):
        found = view["attack"][what]
    elif what == "guard":
        found = view["log"][-1][what]
    elif what == "in_play":
        return " / ".join(" ".join(cards) for cards in view[what]).split()
    else:
        found = len(view[what]) if what == "discards" else view[what]
    return found if isinstance(found, list) else [found]


@pytest.mark.parametrize(("a", "b", "options", "moves", "facts"), rows(EXAMPLES) + rows(BESIDES))
def test_duel(a, b, options, moves, facts):
    game = position(a, b, **options_of(options))
    for text in moves.split("; "):
        play(game, move_of(game, text))
    for what, *expected in map(str.split, facts.split(", ")):
        assert [*map(str, seen(game, what))] == expected, what


@pytest.mark.parametrize(("cost", "left"), [("added", [11, 8, 4]), ("instead", [11, 9, 6])])
def test_d17_three_attacks_in_a_turn(cost, left):
    game = position("B1 B3 B5", stamina=(None, 1), trait=(BIG, None), extra_action_cost=cost)
    found = []
    for card in ("B1", "B3", "B5"):
        play(game, attack(card))
        found.append(both(game, "stamina")[0])
    assert found == left
    assert game.pawn == -3


def test_d19_a_cut_that_cannot_be_paid():
    game = position("B1 E1", dexterity=(1, 9))
    assert legal(game, attack("B1"))
    assert not legal(game, attack("E1"))


def test_d22_the_discards_make_a_new_deck():
    game = play(position(fencing=(2, 9), stock="E1", discards="B7 B7"), FEINT)
    assert plain(game.view(0))["hand"] == ["B7", "E1"]
    assert game.deck.cards == ["B7"]
    view = plain(game.view(1))
    assert (view["discards"], view["deck"], view["reshuffled"]) == ([], 1, ["B7", "B7"])


def test_a_feint_is_not_asked_if_it_is_the_only_action():
    game = position("O1", "B1", on_turn=1, number=2, stamina=(3, 9), fencing=(1, 9))
    play(game, END_TURN)
    assert game.log[-1] == {"turn": 3, "seat": 0, "action": "feint", "drawn": 0}
    assert asked(game) == (1, "action")
    assert both(game, "stamina") == [2, 9]
    game = position("O12", "B1", on_turn=1, number=2, stamina=(3, 9), fencing=(1, 9))
    assert play(game, END_TURN).decision(0).legal == [FEINT, observe("O12")]


OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "deck": st.just(48),
        "extra_action_cost": st.just("instead"),
        "max_turns": st.integers(1, 30),
    },
)


@settings(max_examples=60)
@given(st.builds(Random, st.integers()), st.booleans(), OPTIONS)
def test_d25_random_play_keeps_cards_and_attributes_and_never_meets_the_cap(rng, careless, options):
    game = new_game(rng.random(), **options)
    while seats := game.deciders():
        (seat,) = seats
        game.apply({seat: game.sample(seat, rng) if careless else careful(game, seat, rng)})
        assert sorted(held(game)) == sorted(kinds(game.options.deck) * 2)
        assert abs(game.pawn) <= 4
        for fencer in game.fencers:
            assert 0 <= fencer.stamina <= fencer.max_stamina
            assert 0 <= fencer.dexterity <= fencer.max_dexterity
            assert fencer.fencing >= 1
            assert len(fencer.hand) <= 12
    assert game.turn <= min(215, game.options.max_turns)
    reasons = {
        "retreat",
        "stamina",
        "dexterity",
        *(["max_turns"] if "max_turns" in options else []),
    }
    assert game.reason in reasons
    assert game.places() != [1, 1] or game.reason == "max_turns"


def test_showing_nothing_looks_the_same_chosen_or_forced():
    chosen = play(position("B1 B3", "O1", stock="C1"), attack("B1"), NO_DEFENCE)
    forced = play(position("B1 B3", "E1", stock="C1"), attack("B1"))
    assert plain(chosen.view(0)) == plain(forced.view(0))
    assert chosen.text(0) == forced.text(0)


def weak(**attributes):
    """Return a function that has seat 0, weak in something, asked for a second action."""
    return lambda: position("B3 E4 O12", number=2, **attributes)


def cornered():
    """Seat 1 defends with a single point of dexterity."""
    return play(position("B3", "O1 C1", dexterity=(9, 1)), attack("B3"))


REFUSALS = [
    (at_choice, {"trait": 8}, '"trait" must be 1 or 7, the traits you rolled'),
    (at_action, END_TURN, "first action of a turn is compulsory"),
    (weak(fencing=(1, 9)), BREATHE, '"breathe" needs fencing 2 or more; yo'),
    (weak(stamina=(1, 9)), BREATHE, '"breathe" costs 2 stamina now; you h'),
    (weak(stamina=(2, 9)), FEINT, '"feint" costs 3 stamina now; you have 2'),
    (weak(stamina=(2, 9)), attack("B3"), '"attack" costs 3 stamina now'),
    (weak(dexterity=(1, 9)), attack("E4"), "a cut costs 2 dexterity; you have 1"),
    (at_action, attack("B0"), "'B0' is not a card; a card is written"),
    (at_action, attack("B7"), "'B7' is not in your hand"),
    (at_action, attack("B5 B5"), "'B5' is named twice"),
    (at_action, attack("B5 B10"), "'B10' is a potentiator, in no ladder"),
    (at_action, attack("O3"), "'O3' is of coins (O), which defend; an attack"),
    (at_action, attack("B4 E5"), "'B4' and 'E5' are of two suits"),
    (at_action, attack("B3 B5"), "'B3' and 'B5' do not follow one another"),
    (at_action, observe("B3"), "'B3' is a number card; only a potent"),
    (at_action, observe("B11"), "'B11' is not in your hand"),
    (at_defence, defence("E3"), "'E3' is of swords (E), which attack; a def"),
    (at_defence, defence("C12"), "'C12' is a potentiator, in no ladder"),
    (at_defence, defence("O1 C2"), "'O1' and 'C2' are of two suits"),
    (cornered, defence("C1"), "a moulinet costs 2 dexterity; you have 1"),
]


test_a_reply_is_refused_with_a_reason = refused(REFUSALS)


ACCEPTED = [
    (at_action, attack("B5 B3 B4"), attack("B3 B4 B5")),
    (at_defence, defence("C2 C1"), defence("C1 C2")),
]


test_a_ladder_in_any_order_is_recorded_in_one = recorded(ACCEPTED)


def test_with_48_cards_the_numbers_run_to_9():
    game = position("B7 B8 B9 B10", deck=48)
    assert attack("B7 B8 B9") in game.decision(0).legal
    assert game.refusal(0, attack("B9 B7 B8")) is None
    assert "in no ladder" in game.refusal(0, attack("B9 B10"))


DEFAULTS = [
    (at_choice, {"trait": 1}),
    (at_action, FEINT),
    (at_second_action, END_TURN),
    (lambda: position("B1", stamina=(1, 9), fencing=(2, 9)), BREATHE),
    (lambda: position("B1", stamina=(1, 9), fencing=(1, 9)), FEINT),
    (lambda: position("B1", stamina=(2, 9), fencing=(2, 9)), FEINT),
    (at_defence, NO_DEFENCE),
    (at_emergency, RETREAT),
]


test_defaults_are_those_of_the_rules_page = defaults(DEFAULTS)
