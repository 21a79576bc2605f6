"""The worked examples of Khan's rules page, under their own names, and some besides."""

from collections import Counter
from random import Random

import pytest

from referee.game import plain
from referee.games.khan.cards import KINDS
from tests.referee.games.khan_positions import (
    DRAW,
    KEEP,
    USE,
    all_cards,
    asked,
    attack,
    behind,
    blow_up,
    counted,
    face_up,
    fight,
    hands,
    new_game,
    own_cards,
    pile,
    play,
    position,
    show,
)
from tests.referee.games.tables import rows


def rounds(game):
    """Return who won each round of the combat that was last fought."""
    combat = game.combat.record() if game.combat else plain(game.view(0))["recent"][-1]
    return [fought["winner"] for fought in combat["rounds"]]


def test_k1_the_deal():
    game = new_game(seats=5)
    cards = all_cards(game)
    number = sum(count for card, count in cards.items() if card[0] in "EBO" and card[1:] != "1")
    leaders = sum(cards[card] for card in ("C10", "C11", "C12"))
    specials = sum(cards[card] for card in ("E1", "B1", "O1", "C1"))
    assert (cards.total(), number, leaders, specials) == (75, 54, 9, 12)
    view = plain(game.view(3))
    assert (view["deck"], view["bag"]) == (65, 178)
    assert len(set(view["scarce"])) == 2
    assert Counter(game.bag) == Counter(
        {kind: 19 if kind in view["scarce"] else 20 for kind in game.table()["kinds"]}
    )
    assert view["front"] == [{}] * 5
    assert asked(game) == ("turn", [0])


def test_k2_the_fifth_token_goes_behind_the_screen():
    game = position("E2 E3", "E4 E5", front=("2 wood, cloth",), bag="steel, wood, horses")
    play(game, DRAW, DRAW, DRAW)
    view = plain(game.view(1))
    assert view["front"] == [counted("2 wood, cloth, steel"), {"wood": 1}]
    assert plain(game.view(0))["behind"] == {"horses": 1}
    assert (view["behind_size"], view["seen_behind"]) == ([1, 0], [{}, {}])
    assert "horses" not in str(view)


def test_k3_the_third_card_goes_to_the_hand():
    game = position("B4", "E2 E3", deck="O5 C12 B7")
    play(game, DRAW, DRAW, DRAW)
    assert face_up(game) == ["B4 O5", "E2 E3"]
    assert hands(game) == ["B7", "C12"]


def test_k4_a_face_up_card_may_make_way_for_the_new_one():
    game = position("B4 E2 E5 E6 C10 O3", "", deck="O7")
    play(game, DRAW)
    assert game.decision(0).name == "discard"
    assert len(game.decision(0).legal) == 15
    play(game, {"discard": "E2", "from": "front", "replacement": "O7"})
    assert (face_up(game)[0], hands(game)[0]) == ("B4 O7", "E5 E6 O3 C10")
    assert pile(game) == "E2"


@pytest.mark.parametrize("ladder", ["E4 E5 E6", "B1 O4 O6", "B1 O6 O7", "B1 B2 B3"])
def test_k5_a_ladder_of_three(ladder):
    game = position(ladder, "")
    play(game, attack())
    assert game.refusal(0, show(ladder)) is None


@pytest.mark.parametrize(
    "cards", ["E4 E4 E5", "E4 E5 B6", "E1 E2 E3", "B1 O4 O7", "B1 B1 O4", "E4 E5 E6 E7"]
)
def test_k5_no_ladder_of_three(cards):
    game = position(f"{cards} E5 E6 E7", "")
    play(game, attack())
    assert asked(game) == ("reveal", [0])
    assert game.refusal(0, show(cards))
    assert show(cards) not in game.decision(0).legal


def test_k5_a_ladder_of_two():
    game = position("B1 E7", "")
    play(game, attack())
    assert game.refusal(0, show("B1 E7")) is None


@pytest.mark.parametrize("cards", ["B1 C12", "B1 B1", "C10 C11"])
def test_k5_no_ladder_of_two(cards):
    game = position(f"{cards} E5 E6", "")
    play(game, attack())
    while game.combat.stage == 0:
        play(game, show("-"))
    assert asked(game) == ("reveal", [0])
    assert game.refusal(0, show(cards))
    assert show(cards) not in game.decision(0).legal


def attacking_with_48_cards(cards):
    """Seat 0, with the larger deck, is asked for the first formation of its attack."""
    game = new_game(deck=48)
    for camp, held in zip(game.camps, (cards, ""), strict=True):
        own_cards(camp, held)
    play(game, attack())
    return game


@pytest.mark.parametrize("ladder", ["O7 O8 O9", "B1 O7 O9", "B1 O8 O9"])
def test_k26_with_48_cards_a_ladder_of_three_goes_up_to_nine(ladder):
    game = attacking_with_48_cards(ladder)
    assert game.refusal(0, show(ladder)) is None
    assert show(ladder) in game.decision(0).legal


def test_k26_with_48_cards_the_champion_does_not_fill_two_gaps():
    game = attacking_with_48_cards("B1 O6 O9 O4 O5")
    assert game.refusal(0, show("B1 O6 O9"))
    assert show("B1 O6 O9") not in game.decision(0).legal


def test_k26_with_48_cards_the_champion_makes_a_rear_with_a_nine():
    game = attacking_with_48_cards("B1 O9")
    assert game.refusal(0, show("B1 O9")) is None
    assert show("B1 O9") in game.decision(0).legal


LADDERS = {"E": "E3 E4", "B": "B3 B4", "O": "O3 O4", "none": ""}


@pytest.mark.parametrize(
    ("match", "winner"),
    [
        *((match, 0) for match in ("E v B", "B v O", "O v E", "E v none", "O v none")),
        *((match, 1) for match in ("B v E", "O v B", "E v O", "E v E", "B v B", "O v O")),
        *((match, 1) for match in ("none v E", "none v B", "none v none")),
    ],
)
def test_k6_one_round(match, winner):
    cards = [LADDERS[side] for side in match.split(" v ")]
    game = fight(*filter(None, cards), cards=cards)
    assert rounds(game)[1] == winner


EXAMPLES = """
K7  | E3 E4 E5 O6 O7 C10 / B2 B3 B4 B6 B7 C12 | wood / 2 wood, cloth, steel | \
E3 E4 E5; B2 B3 B4; O6 O7; B6 B7; C10; C12 | rounds A B B; asks place_front B
K7  | E3 E4 E5 O6 O7 C10 / B2 B3 B4 B6 B7 C12 | wood / 2 wood, cloth, steel | \
E3 E4 E5; B2 B3 B4; O6 O7; B6 B7; C10; C12; B2 C12 | up - / B2 C12; hands - / B3 B4 B6 B7; \
pile E3 E4 E5 O6 O7 C10; front wood / 2 wood, cloth, steel
K8  | E3 E4 E5 O6 O7 C10 / B2 B3 B4 E6 E7 C12 | wood / steel, cloth, horses, gold | \
E3 E4 E5; B2 B3 B4; O6 O7; E6 E7; -; C12; E3 E4 | rounds A A B; front wood /; \
behind steel, cloth, horses, gold; points 6; up E3 E4 / -; hands E5 O6 O7 C10 / -
K9  | E3 B7 / B2 O3 | / wood | | \
asks turn B; rounds B B B; up - / B2 O3; hands - / -; front / wood; pile E3 B7
K10 | E3 E4 E5 C12 / O1 B2 C10 | | E3 E4 E5 | asks gunpowder B
K10 | E3 E4 E5 C12 / O1 B2 C10 | | E3 E4 E5; blow E4 E5; C12; C10 | \
rounds B B A; up - / B2 C10; hands - / -; pile E3 E4 E5 O1 C12
K11 | E3 E4 E5 O1 / B3 B4 B5 O1 | | E3 E4 E5; B3 B4 B5 | asks gunpowder A
K11 | E3 E4 E5 O1 / B3 B4 B5 O1 | | E3 E4 E5; B3 B4 B5; keep | asks gunpowder B
K11 | E3 E4 E5 O1 / B3 B4 B5 O1 | | E3 E4 E5; B3 B4 B5; keep; blow E3 E4; blow B3 B4 | \
rounds B B B; up - / B5; hands - / -
K12 | E3 E4 C1 C11 / C12 C10 B2 | / wood | E3 E4; C11; C12; use | asks replace_leader B
K12 | E3 E4 C1 C11 / C12 C10 B2 | / wood | E3 E4; C11; C12; use; heir C10 | \
rounds B A A; asks place_front A
K12 | E3 E4 C1 C11 / C12 C10 B2 | / wood | E3 E4; C11; C12; use; heir C10; E3 E4 | \
behind wood; hands C11 / -; pile B2 C1 C10 C12
K13 | E3 E4 C10 / C10 B2 | | E3 E4; C10; C10 | rounds B A B; up - / B2 C10; hands - / -
K13 poison | E3 E4 C10 C1 / C12 B2 | | E3 E4; C10; C12; use | rounds B A A; asks place_front A
K14 | B1 O4 O6 E2 E3 C1 / B2 C12 | / wood | B1 O4 O6; E2 E3; C12 | \
rounds A A B; asks place_front A
K14 | B1 O4 O6 E2 E3 C1 / B2 C12 | / wood | B1 O4 O6; E2 E3; C12; O4 O6 | \
up O4 O6 / -; hands E2 E3 C1 / -; behind wood; pile B1 B2 C12
K16 | E3 E4 E5 B6 B7 / E1 B1 O3 | / wood, water | E3 E4 E5; B6 B7; B1 O3 | \
rounds A A B; asks place_front A; pile E1 B1 O3
K18 | E3 E4 C11 O1 / B2 B6 | | E3 E4; C11; E3 E4 | up E3 E4 / -; hands O1 C11 / -
K24 | E3 E4 E5 O1 / B1 B1 B4 B5 O6 O7 | | E3 E4 E5; B1 B4 B5 | asks gunpowder A
K24 | E3 E4 E5 O1 / B1 B1 B4 B5 O6 O7 | | E3 E4 E5; B1 B4 B5; blow B1 B4; O6 O7 | \
rounds A B B; asks place_front B
K24 | E3 E4 E5 O1 / B1 B1 B4 B5 O6 O7 | | E3 E4 E5; B1 B4 B5; blow B1 B4; O6 O7; O6 O7 | \
up - / O6 O7; hands - / B1 B5
"""

BESIDES = """
gunpowder is offered once if nobody uses it | E3 E4 E5 O1 / B3 B4 B5 O1 | | \
E3 E4 E5; B3 B4 B5; keep; keep | asks place_front B
the defender may still use his | E3 E4 E5 O1 / B3 B4 B5 O1 | | \
E3 E4 E5; B3 B4 B5; blow B3 B4 | asks gunpowder B
and nobody has a vanguard | E3 E4 E5 O1 / B3 B4 B5 O1 | | \
E3 E4 E5; B3 B4 B5; blow B3 B4; blow E3 E4 | rounds B B B
no gunpowder without a vanguard to face | E3 E4 E5 O1 C10 / B3 | | E3 E4 E5 | asks reveal A; stage 2
no gunpowder after ones own champion | B1 E3 E4 O1 C10 / B3 B4 B5 | | B1 E3 E4; B3 B4 B5 | \
asks reveal A
what was kept comes again only after the enemys | E3 E4 E5 O1 / B3 B4 B5 C10 | | \
E3 E4 E5; B3 B4 B5; keep | asks reveal B; stage 2
a leader in the others place may poison | E3 C11 C10 C1 / B3 C12 C12 C1 | | \
C11; C12; use; heir C12 | asks poison B
a second heir is asked for | E3 C11 C10 C1 / B3 C12 C12 C1 | | \
C11; C12; use; heir -; use | asks replace_leader A
and none comes | E3 C11 C10 C1 / B3 C12 C12 C1 | | \
C11; C12; use; heir -; use; heir - | asks turn B; rounds B B B
who shows no leader sends no heir | E3 C11 / B3 C12 C1 | | -; C12 | asks place_front B
an attacker may retreat | E3 E4 E1 C10 / B2 | | -; - | asks retreat A
and keeps the rest | E3 E4 E1 C10 / B2 | | -; -; use | \
asks place_front A; hands E3 E4 C10 / B2; pile E1
three equal cards leave no choice | E3 B7 / B2 B2 B2 | | | asks turn B; up - / B2 B2; hands - / B2
"""


def move_of(text):
    word, _, rest = text.partition(" ")
    if word == "blow":
        return blow_up(rest)
    if word == "heir":
        return {"card": None if rest == "-" else rest}
    return {"keep": KEEP, "use": USE}.get(text) or show(text)


def seen(game, what):
    """Return a fact of the game as it is written in the tables."""
    view = plain(game.view(0))
    found = {
        "rounds": lambda: " ".join("AB"[winner] for winner in rounds(game)),
        "asks": lambda: " ".join([str(game.asked), *("AB"[seat] for seat in game.deciders())]),
        "up": lambda: " / ".join(cards or "-" for cards in face_up(game)),
        "hands": lambda: " / ".join(cards or "-" for cards in hands(game)),
        "pile": lambda: pile(game),
        "points": lambda: str(view["points"]),
        "stage": lambda: str(game.combat.stage),
    }
    return found[what]()


@pytest.mark.parametrize(("cards", "front", "moves", "facts"), rows(EXAMPLES) + rows(BESIDES))
def test_combat(cards, front, moves, facts):
    game = fight(cards=[held.strip() for held in cards.split("/")], front=front.split("/"))
    for text in filter(None, moves.split("; ")):
        play(game, move_of(text))
    for what, _, expected in (fact.partition(" ") for fact in facts.split("; ")):
        if what == "front":
            assert plain(game.view(0))["front"] == [*map(counted, expected.split("/"))]
        elif what == "behind":
            assert behind(game, 0) == counted(expected)
        else:
            assert seen(game, what) == expected, what


def test_k15_the_loser_retreats_and_both_place_at_once():
    game = fight(
        *("E3 E4 E5", "B6 B7", "O2 O3", "C12"),
        cards=("E3 E4 E5 B6 B7", "E1 O2 O3 C12"),
        front=("", "wood, water"),
    )
    assert asked(game) == ("retreat", [1])
    play(game, USE)
    assert behind(game, 0) == {"wood": 1, "water": 1}
    assert asked(game) == ("place_front", [0, 1])
    assert hands(game)[1] == "O2 O3 C12"
    game.apply({0: show("E3 E4"), 1: show("O2 O3")})
    assert (face_up(game), hands(game)) == (["E3 E4", "O2 O3"], ["E5 B6 B7", "C12"])
    assert pile(game) == "E1"


def test_k17_a_card_serves_one_round():
    game = fight("E3 E4 E5", cards=("E3 E4 E5 E6", "C10 O2"))
    assert asked(game) == ("reveal", [1])
    assert plain(game.view(1))["combat"]["rounds"][1]["shown"] == [[], []]
    assert game.decision(1).legal == [{"cards": []}, {"cards": ["C10"]}]


EVERYTHING = ", ".join(f"3 {kind}" for kind in KINDS)


@pytest.mark.parametrize(
    ("owned", "points"), [("4 wood", 3), ("5 gold, wood", 7), (EVERYTHING, 33)]
)
def test_k19_points(owned, points):
    game = fight("E3 E4", "C11", cards=("E3 E4 C11", "B2"), front=("", owned))
    assert plain(game.view(0))["points"] == points
    assert plain(game.view(1))["points"] == 0


def test_k20_twenty_points_end_the_game_before_the_card():
    game = position(
        *("E2", "E3", "E4"),
        front=("cloth", "2 wood", "wood, water"),
        behind=("3 gold, 3 water, 3 wood, 3 steel",),
        bag="horses",
        deck="E7",
    )
    play(game, DRAW)
    assert plain(game.view(1))["points"] == 2
    assert plain(game.view(0))["points"] == 20
    assert (game.places(), game.reason) == ([1, 3, 2], "khan")
    assert (list(game.deciders()), game.deck) == ([], ["E7"])


def test_k21_loot_ends_the_game_before_any_discard():
    game = position(
        *("E3 E4 C11", "B2"),
        front=("", "cloth, steel, horses"),
        behind=("3 gold, 3 water, 3 wood, 2 steel",),
        bag="wood, steel",
        deck="B7 B7",
    )
    play(game, DRAW)
    assert plain(game.view(0))["points"] == 17
    play(game, DRAW, attack(), show("E3 E4"), show("C11"))
    assert plain(game.view(0))["points"] == 20
    assert (game.places(), game.reason) == ([1, 2], "khan")
    assert (list(game.deciders()), pile(game)) == ([], "")


def test_k22_the_cap_ranks_by_points():
    game = position(
        *("E2", "E2", "E2", "E2"),
        front=("wood", "wood, steel", "cloth", ""),
        bag="",
        max_turns_per_player=1,
    )
    play(game, DRAW, DRAW, DRAW, DRAW)
    assert (game.places(), game.reason) == ([2, 1, 2, 4], "max_turns")


def test_k23_the_discards_become_the_deck():
    game = position("E2", "E3", deck="", discards="O4", bag="")
    play(game, DRAW)
    assert face_up(game)[0] == "E2 O4"
    assert (game.deck, pile(game)) == ([], "")
    assert plain(game.view(0))["front"][0] == {}


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_k25_random_play_loses_nothing_and_substitutes_are_legal(seats):
    game, rng = new_game(f"K25 {seats}", seats), Random(seats)
    while deciders := game.deciders():
        assert all(game.refusal(seat, game.default(seat)) is None for seat in deciders)
        game.apply({seat: game.sample(seat, rng) for seat in deciders})
        assert all_cards(game) == Counter(game.table()["cards"] * 3)
        owned = sum(len(camp.front) + sum(camp.behind.values()) for camp in game.camps)
        assert owned + len(game.bag) + 2 == 180
