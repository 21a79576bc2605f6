"""Khan: the worked examples of its page by name, what is seen, what is refused, what holds."""

from collections import Counter
from itertools import product
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.games.khan.camp import KINDS
from referee.rules.game import plain
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
    position,
    show,
)
from tests.referee.games.tables import defaults, play, recorded, refused, rows


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


@pytest.mark.parametrize(
    ("deck", "stage", "ladders", "others"),
    [
        (
            40,
            0,
            "E4 E5 E6, B1 O4 O6, B1 O6 O7, B1 B2 B3",
            "E4 E4 E5, E4 E5 B6, E1 E2 E3, B1 O4 O7, B1 B1 O4, E4 E5 E6 E7",
        ),
        (40, 1, "E7 B1", "B1 C12, B1 B1, C10 C11"),
        (48, 0, "O7 O8 O9, B1 O7 O9, B1 O8 O9", "B1 O6 O9"),
        (48, 1, "B1 O9", "B1 C12"),
    ],
)
def test_k5_k26_ladders(deck, stage, ladders, others):
    for cards in [*ladders.split(", "), *others.split(", ")]:
        game = new_game(deck=deck)
        own_cards(game.camps[0], f"{cards} E5 E6 E7")
        own_cards(game.camps[1], "")
        play(game, attack(), *[show("-")] * stage)
        is_ladder = cards in ladders
        assert (game.refusal(0, show(cards)) is None) == is_ladder
        assert (show(cards) in game.decision(0).legal) == is_ladder


LADDERS = {"E": "E3 E4", "B": "B3 B4", "O": "O3 O4", "none": ""}


def test_k6_one_round():
    won = {"E v B", "B v O", "O v E", "E v none", "B v none", "O v none"}
    for one, other in product(LADDERS, repeat=2):
        cards = [LADDERS[one], LADDERS[other]]
        game = fight(*filter(None, cards), cards=cards)
        assert rounds(game)[1] == (0 if f"{one} v {other}" in won else 1)


EXAMPLES = """
K7  | E3 E4 E5 O6 O7 C10 / B2 B3 B4 B6 B7 C12 | wood / 2 wood, cloth, steel | \
E3 E4 E5; B2 B3 B4; O6 O7; B6 B7; C10; C12; B2 C12 | rounds A B B; up - / B2 C12; \
hands - / B3 B4 B6 B7; pile E3 E4 E5 O6 O7 C10; front wood / 2 wood, cloth, steel
K8  | E3 E4 E5 O6 O7 C10 / B2 B3 B4 E6 E7 C12 | wood / steel, cloth, horses, gold | \
E3 E4 E5; B2 B3 B4; O6 O7; E6 E7; -; C12; E3 E4 | rounds A A B; front wood /; \
behind steel, cloth, horses, gold; points 6; up E3 E4 / -; hands E5 O6 O7 C10 / -
K9  | E3 B7 / B2 O3 | / wood | | \
asks turn B; rounds B B B; up - / B2 O3; hands - / -; front / wood; pile E3 B7
K10 | E3 E4 E5 C12 / O1 B2 C10 | | E3 E4 E5; blow E4 E5; C12; C10 | \
rounds B B A; up - / B2 C10; hands - / -; pile E3 E4 E5 O1 C12
K11 | E3 E4 E5 O1 / B3 B4 B5 O1 | | E3 E4 E5; B3 B4 B5; keep; blow E3 E4; blow B3 B4 | \
rounds B B B; up - / B5; hands - / -
K12 | E3 E4 C1 C11 / C12 C10 B2 | / wood | E3 E4; C11; C12; use; heir C10; E3 E4 | \
rounds B A A; behind wood; hands C11 / -; pile B2 C1 C10 C12
K13 | E3 E4 C10 / C10 B2 | | E3 E4; C10; C10 | rounds B A B; up - / B2 C10; hands - / -
K13 poison | E3 E4 C10 C1 / C12 B2 | | E3 E4; C10; C12; use | rounds B A A; asks place_front A
K14 | B1 O4 O6 E2 E3 C1 / B2 C12 | / wood | B1 O4 O6; E2 E3; C12; O4 O6 | \
rounds A A B; up O4 O6 / -; hands E2 E3 C1 / -; behind wood; pile B1 B2 C12
K16 | E3 E4 E5 B6 B7 / E1 B1 O3 | / wood, water | E3 E4 E5; B6 B7; B1 O3 | \
rounds A A B; asks place_front A; pile E1 B1 O3
K18 | E3 E4 C11 O1 / B2 B6 | | E3 E4; C11; E3 E4 | up E3 E4 / -; hands O1 C11 / -
K24 | E3 E4 E5 O1 / B1 B1 B4 B5 O6 O7 | | E3 E4 E5; B1 B4 B5; blow B1 B4; O6 O7; O6 O7 | \
rounds A B B; up - / O6 O7; hands - / B1 B5
"""

BESIDES = """
gunpowder is offered once if nobody uses it | E3 E4 E5 O1 / B3 B4 B5 O1 | | \
E3 E4 E5; B3 B4 B5; keep; keep | asks place_front B
the defender may still use his, and nobody has a vanguard | E3 E4 E5 O1 / B3 B4 B5 O1 | | \
E3 E4 E5; B3 B4 B5; blow B3 B4; blow E3 E4 | rounds B B B
no gunpowder without a vanguard to face | E3 E4 E5 O1 C10 / B3 | | E3 E4 E5 | asks reveal A; stage 2
no gunpowder after ones own champion | B1 E3 E4 O1 C10 / B3 B4 B5 | | B1 E3 E4; B3 B4 B5 | \
asks reveal A
what was kept comes again only after the enemys | E3 E4 E5 O1 / B3 B4 B5 C10 | | \
E3 E4 E5; B3 B4 B5; keep | asks reveal B; stage 2
a leader in the others place may poison | E3 C11 C10 C1 / B3 C12 C12 C1 | | \
C11; C12; use; heir C12 | asks poison B
a second heir is asked for, and none comes | E3 C11 C10 C1 / B3 C12 C12 C1 | | \
C11; C12; use; heir -; use; heir - | asks turn B; rounds B B B
who shows no leader sends no heir | E3 C11 / B3 C12 C1 | | -; C12 | asks place_front B
an attacker may retreat and keeps the rest | E3 E4 E1 C10 / B2 | | -; -; use | \
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


def test_k23_the_discards_become_the_deck():
    game = position("E2", "E3", deck="", discards="O4", bag="")
    play(game, DRAW)
    assert face_up(game)[0] == "E2 O4"
    assert (game.deck, pile(game)) == ([], "")
    assert plain(game.view(0))["front"][0] == {}


def test_the_starter_is_seat_0_or_any_seat():
    assert {new_game(str(seed), 4).to_move for seed in range(20)} == {0}
    drawn = {new_game(str(seed), 4, first_player="random").to_move for seed in range(40)}
    assert drawn == {0, 1, 2, 3}


def test_without_deck_and_discards_there_is_no_card():
    game = position("E2", "E3", deck="")
    play(game, DRAW)
    assert face_up(game)[0] == "E2"
    assert plain(game.view(0))["recent"][-1]["card_to"] is None


def test_the_loot_goes_behind_and_is_seen_to_go_there_and_what_lies_behind_is_safe():
    cards, front = ("E3 E4 C11", "B2", "O2"), ("", "2 gold")
    game = fight("E3 E4", "C11", cards=cards, front=front, behind=("wood", "3 gold"))
    play(game, show("E3 E4"))
    assert (behind(game, 0), behind(game, 1)) == (counted("2 gold, wood"), {"gold": 3})
    assert plain(game.view(2))["seen_behind"][0] == counted("2 gold")
    assert plain(game.view(2))["seen_points"] == [4, 0, 0]


def test_poison_goes_to_and_fro_with_the_heirs_in_between():
    game = fight("C11", "C12", cards=("E3 C11 C10 C1", "B3 C12 C12 C1"))
    play(game, KEEP, USE, {"card": "C10"}, USE, {"card": "C12"})
    fought = plain(game.view(0))["recent"][-1]["rounds"][2]
    assert fought["shown"] == [["C11", "C10"], ["C12", "C12"]]
    assert fought["destroyed"] == [["C11"], ["C12"]]
    assert fought["standing"] == [["C10"], ["C12"]]


def test_the_only_choice_of_one_stays_hidden_until_the_other_has_chosen():
    game = fight(
        *("B6 B7", "O2 O3", "C12"),
        cards=("B2 B6 B7 C12", "E1 O2 O3"),
    )
    play(game, USE)
    assert asked(game) == ("place_front", [0])
    assert face_up(game) == ["", ""]
    play(game, show("B6 B7"))
    assert face_up(game) == ["B6 B7", "O2 O3"]


ONE_TURN = {"max_turns_per_player": 1}
NEARLY = "3 gold, 3 water, 3 wood, 3 steel, cloth"


def test_the_winner_shows_all_his_tokens():
    game = position("E2", "E3", front=("4 cattle",), behind=(NEARLY,), bag="horses")
    game.apply({0: DRAW})
    assert game.reason == "khan"
    assert plain(game.view(1))["seen_behind"][0] == counted(NEARLY) | {"horses": 1}
    assert plain(game.view(1))["seen_behind"][1] == {}


TIED, THREE = {"rank_losers": "tied"}, ("", "gold", "2 wood")
ENDS = {
    "K22": (("wood", "wood, steel", "cloth", ""), ("",), "", ONE_TURN, [2, 1, 2, 4]),
    "losers are level": (("", "2 wood", "wood"), (NEARLY,), "horses", TIED, [1, 2, 2]),
    "equal points": (THREE, ("",), "", ONE_TURN, [3, 1, 1]),
    "equal points win": (THREE, ("",), "", ONE_TURN | TIED, [3, 1, 1]),
    "more points win": (("", "gold", "wood"), ("",), "", ONE_TURN | TIED, [2, 1, 2]),
    "the last turn wins": (("", "cattle"), ("", NEARLY), "wood, horses", ONE_TURN, [2, 1]),
}


@pytest.mark.parametrize(("front", "behind", "bag", "options", "places"), ENDS.values(), ids=ENDS)
def test_the_end(front, behind, bag, options, places):
    game = position(*["E2"] * len(front), front=front, behind=behind, bag=bag, **options)
    while game.deciders():
        game.apply({game.to_move: DRAW})
    assert (game.places(), game.reason) == (places, "khan" if NEARLY in behind else "max_turns")


def test_a_combat_counts_as_a_turn_at_the_cap():
    game = position("E2", "E3", max_turns_per_player=1)
    play(game, attack(1), attack(0))
    assert game.reason == "max_turns"


OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "deck": st.just(48),
        "tokens_per_kind": st.integers(12, 14),
        "first_player": st.just("random"),
        "max_turns_per_player": st.integers(1, 40),
    },
)


def true_points(camp, scarce):
    held = Counter(camp.front) + Counter(camp.behind)
    return sum(min(held[kind], 3) * (2 if kind in scarce else 1) for kind in KINDS)


def assert_sound(game, deck):
    """No card or token is lost, limits are kept, and what all know is true."""
    assert all_cards(game) == deck
    owned = Counter(game.bag) + Counter(game.scarce)
    for camp in game.camps:
        owned += Counter(camp.front) + Counter(camp.behind)
        assert len(camp.face_up) <= 2
        assert len(camp.front) <= 4
        assert camp.owned.points == true_points(camp, game.scarce) >= camp.known.points
        assert Counter(camp.known.count) == Counter(camp.front) + Counter(camp.looted)
        assert Counter(camp.seen) <= Counter(camp.hand)
        assert all(camp.looted[kind] <= camp.behind[kind] for kind in KINDS)
        if game.asked == "turn":
            assert len(camp.hand) <= 4
            assert not camp.hand or len(camp.face_up) == 2
    assert owned == Counter(dict.fromkeys(KINDS, game.options.tokens_per_kind))


@settings(max_examples=20)
@given(st.integers(0, 10**6), st.integers(2, 5), OPTIONS)
def test_k25_random_play_loses_nothing_and_substitutes_are_legal(seed, seats, options):
    game, rng = new_game(str(seed), seats, **options), Random(seed)
    deck = all_cards(game)
    while deciders := game.deciders():
        assert max(camp.owned.points for camp in game.camps) < 20
        assert all(game.refusal(seat, game.default(seat)) is None for seat in deciders)
        game.apply({seat: game.sample(seat, rng) for seat in deciders})
        assert_sound(game, deck)
    assert game.turn <= seats * game.options.max_turns_per_player
    assert (max(camp.owned.points for camp in game.camps) >= 20) == (game.reason == "khan")


def seen_by_others(game, *seats):
    """Return all that these seats are shown now."""
    return [(plain(game.view(seat)), game.text(seat)) for seat in seats]


def assert_alike(one, other, *seats):
    """Assert that what these seats see does not tell the two games apart."""
    assert seen_by_others(one, *seats) == seen_by_others(other, *seats)
    assert one.text() != other.text(), "the games do not differ at all"


THIRD = "O6 O7"
DECLINED = """
gunpowder   | 1 | E3 E4 E5 B6 B7 / B2 B5 O7 | E3 E4 E5 | E3 E4 E5 B6 B7 / B2 B5 O1 | \
E3 E4 E5; keep | reveal
poison      | 1 | E3 B7 C10 / B2 B5 O7 | C10 | E3 B7 C10 / B2 B5 C1 | C10; keep | place_front
an heir     | 0 | E3 E4 E5 B6 B7 C12 O7 / B2 C1 O3 | E3 E4 E5; B6 B7; C12; use | \
E3 E4 E5 B6 B7 C12 C10 / B2 C1 O3 | E3 E4 E5; B6 B7; C12; use; heir - | place_front
a formation | 1 | E3 E4 B7 / B2 B5 O7 | E3 E4 | E3 E4 B7 / B2 B5 B3 | E3 E4; - | place_front
"""
"""What a seat does not have in the first combat, and declines in the second."""


@pytest.mark.parametrize(("seat", "one", "moves", "other", "more", "asked"), rows(DECLINED))
def test_what_is_declined_looks_like_what_is_not_there(seat, one, moves, other, more, asked):
    games = []
    for cards, made in ((one, moves), (other, more)):
        games.append(fight(cards=[*map(str.strip, cards.split("/")), THIRD]))
        play(games[-1], *map(move_of, made.split("; ")))
        assert games[-1].asked == asked
    assert_alike(*games, *({0, 1, 2} - {int(seat)}))


def test_gunpowder_that_is_offered_is_not_told():
    game = fight("E3 E4 E5", cards=("E3 E4 E5 B6 B7", "B2 B5 O1", THIRD))
    assert (game.asked, plain(game.view(2))["decision"]) == ("gunpowder", None)
    for seat in (0, 2):
        told, _, _ = game.text(seat).partition("E beats B")  # what follows stands there always
        assert "gunpowder" not in str(plain(game.view(seat))) + told


def test_a_declined_retreat_is_nowhere_recorded():
    game = fight("-", "-", cards=("E3 E4 E1 C10", "B2", THIRD))
    play(game, KEEP)
    assert plain(game.view(2))["recent"][-1]["declared"] == [None, None]
    assert "declare" not in game.text(2)


def test_a_card_thrown_away_does_not_tell_whether_it_was_just_drawn():
    throw = {"discard": "O7", "from": "hand", "replacement": None}
    new = position("B4 E2 E5 E6 C10 O3", "B2", deck="O7")
    old = position("B4 E2 E5 E6 C10 O7", "B2", deck="O3")
    play(new, DRAW, throw)
    play(old, DRAW, throw)
    assert seen_by_others(new, 1) == seen_by_others(old, 1)
    assert new.camps[0].hand == old.camps[0].hand


def test_cards_that_were_face_up_or_shown_are_known_to_be_in_the_hand():
    game = fight("E3 E4 E5", "B6 B7", "-", cards=("C11 E7 E3 E4 E5 B6 B7 O1", "O2 O5"))
    assert game.asked == "place_front"
    assert plain(game.view(1))["seen_in_hand"][0] == ["E3", "E4", "E5", "E7", "B6", "B7", "C11"]
    play(game, show("E3 O1"))
    assert plain(game.view(1))["seen_in_hand"][0] == ["E4", "E5", "E7", "B6", "B7", "C11"]


def turn():
    return position("E2", "E3", "E4")


def discard():
    game = position("B4 E2 E5 E6 C10 O3", "", deck="O7")
    play(game, DRAW)
    return game


def vanguard():
    return fight(cards=("E1 E2 E3 E4 E4 B1 B1 B6 O4 O7 C12", "B2"))


def rear():
    return fight("E3 E4 E5", cards=("E3 E4 E5 E6 E7 C10 C11", "B2"))


def leader():
    return fight("E3 E4", cards=("E3 E4 C11", "B2"))


def gunpowder():
    return fight("E3 E4 E5", "B3 B4 B5", cards=("O1 E3 E4 E5", "B3 B4 B5 E6"))


def after_gunpowder():
    game = fight("E3 E4 E5", "B3 B4 B5", cards=("O1 E3 E4 E5 B1 B6 B7", "B3 B4 B5"))
    play(game, blow_up("B3 B4"))
    return game


def poison():
    return fight("C11", cards=("C10 C11", "C1 E2"))


def heir():
    game = poison()
    play(game, USE)
    return game


def retreat():
    return fight("-", "-", cards=("E3 E4 E1 C10", "B2"))


def place():
    return fight(cards=("E3 B7", "B2 B5 O5 O5"))


def discarding(discard="E5", place="hand", **others):
    return {"discard": discard, "from": place, **others}


REFUSALS = [
    (turn, attack(0), '"target" 0 is your own seat'),
    (turn, attack(3), "the number of a seat, 0 to 2"),
    (discard, {"discard": "E5"}, '"from" must be "hand" or "front"'),
    (discard, discarding("E2"), "'E2' lies face up, not in your hand"),
    (discard, discarding("E7"), "'E7' is not in your hand"),
    (discard, discarding(replacement="E6"), '"replacement" must be null'),
    (discard, discarding("E5", "front", replacement="O7"), "'E5' is in your hand, not face up"),
    (discard, discarding("E7", "front", replacement="O7"), "'E7' does not lie face up"),
    (discard, discarding("E2", "front", replacement="B4"), "'B4' is not in your hand"),
    (vanguard, show("E2 E3"), "a vanguard is exactly three, or nothing; you named 2"),
    (vanguard, show("O4 O5 O6"), "'O5' is not in your hand"),
    (vanguard, show("E2 E2 E2"), "you named 'E2' 3 times and hold one"),
    (vanguard, show("E3 E4 B6"), "'E4' and 'B6' are of two suits"),
    (vanguard, show("E3 E4 E4"), "'E4' twice makes no ladder"),
    (vanguard, show("E1 E2 E3"), "'E1' is the retreat; of the aces only B1"),
    (vanguard, show("E3 E4 C12"), "'C12' is a leader, who shows himself"),
    (vanguard, show("B1 B1 O4"), "only one champion"),
    (vanguard, show("B1 O4 O7"), "O4 O7 are too far apart"),
    (rear, show("E5 E6"), "'E5' has been shown; a card serves one round"),
    (rear, show("C10 C11"), "'C10' is a leader"),
    (after_gunpowder, show("B1 B6"), "you have declared 'O1' in this combat"),
    (after_gunpowder, show("O1 B6"), "'O1' has been declared"),
    (gunpowder, blow_up("B3 B3"), "'B3' is named twice"),
    (gunpowder, blow_up("B3 E6"), "'E6' does not stand in the enemy's vanguard"),
    (gunpowder, blow_up("E3 E4"), "vanguard, B3 B4 B5"),
    (heir, {"card": "E2"}, "'E2' is no leader; C10 C11 C12 are"),
    (place, show("B2 B2"), "you named 'B2' 2 times and hold one"),
]


test_a_reply_is_refused_with_a_reason = refused(REFUSALS)


ACCEPTED = [
    (discard, discarding(), discarding(replacement=None)),
    (vanguard, show("E4 E2 E3"), show("E2 E3 E4")),
    (vanguard, show("E4 B1 E3"), show("E3 E4 B1")),
    (gunpowder, blow_up("B5 B3"), blow_up("B3 B5")),
    (gunpowder, {"use": False, "discard": 1}, KEEP),
    (place, show("O5 B2"), show("B2 O5")),
    (place, show("O5 O5"), show("O5 O5")),
]


test_a_reply_is_recorded_in_one_form = recorded(ACCEPTED)


DEFAULTS = [
    (turn, DRAW),
    (discard, discarding("O7", replacement=None)),
    (vanguard, show("-")),
    (gunpowder, KEEP),
    (poison, KEEP),
    (heir, {"card": None}),
    (retreat, KEEP),
    (place, show("B2 B5")),
]


test_defaults_are_those_of_the_rules_page = defaults(DEFAULTS)
