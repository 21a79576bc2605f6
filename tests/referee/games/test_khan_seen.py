"""What each seat of Khan sees, and what it must not find out; the text and the descriptions."""

import pytest

from referee.game import plain
from tests.referee.games.khan_positions import (
    DRAW,
    KEEP,
    USE,
    attack,
    blow_up,
    counted,
    fight,
    new_game,
    play,
    position,
    show,
)


def seen_by_others(game, *seats):
    """Return all that these seats are shown now."""
    return [(plain(game.view(seat)), game.text(seat)) for seat in seats]


def assert_alike(one, other, *seats):
    """Assert that what these seats see does not tell the two games apart."""
    assert seen_by_others(one, *seats) == seen_by_others(other, *seats)
    assert one.text() != other.text(), "the games do not differ at all"


THIRD = "O6 O7"

# --- what nobody else finds out --------------------------------------------------------------


def vanguards(defender, *declined):
    """Seat 0 has shown its vanguard to `defender`, who has answered as `declined`."""
    game = fight("E3 E4 E5", cards=("E3 E4 E5 B6 B7", defender, THIRD))
    play(game, *declined)
    return game


def test_a_declined_gunpowder_looks_like_none():
    without, declined = vanguards("B2 B5 O7"), vanguards("B2 B5 O1", KEEP)
    assert without.asked == declined.asked == "reveal"
    assert_alike(without, declined, 0, 2)


def test_an_offered_gunpowder_looks_like_none():
    one, other = vanguards("B2 B5 O1"), vanguards("B2 B5 O1 C10")
    assert one.asked == "gunpowder"
    assert [plain(game.view(2))["decision"] for game in (one, other)] == [None, None]
    assert "gunpowder" not in str(plain(one.view(0))) + str(plain(one.view(2)))
    for seat in (0, 2):
        told, _, _ = one.text(seat).partition("E beats B")  # what follows stands there always
        assert "gunpowder" not in told


def leaders(attacker, *declined):
    """Seat 0 has lost two rounds and shown its jack; seat 1 has answered as `declined`."""
    game = fight("C10", cards=("E3 B7 C10", attacker, THIRD))
    play(game, *declined)
    return game


def test_a_declined_poison_looks_like_none():
    without, declined = leaders("B2 B5 O7"), leaders("B2 B5 C1", KEEP)
    assert without.asked == declined.asked == "place_front"
    assert_alike(without, declined, 0, 2)


def poisoned(last, *declined):
    """Seat 0 has won two rounds and lost its king to poison; it also holds `last`."""
    game = fight(
        *("E3 E4 E5", "B6 B7", "C12"),
        cards=(f"E3 E4 E5 B6 B7 C12 {last}", "B2 C1 O3", THIRD),
    )
    play(game, USE, *declined)
    return game


def test_an_heir_that_stays_behind_looks_like_none():
    without, declined = poisoned("O7"), poisoned("C10", {"card": None})
    assert without.asked == declined.asked == "place_front"
    assert_alike(without, declined, 1, 2)


def test_a_declined_retreat_is_nowhere_recorded():
    game = fight("-", "-", cards=("E3 E4 E1 C10", "B2", THIRD))
    play(game, KEEP)
    assert plain(game.view(2))["recent"][-1]["declared"] == [None, None]
    assert "declare" not in game.text(2)


def attacked_by_a_rear(defender, *choice):
    """Seat 0 has shown a rear and nothing else; seat 1 has answered as `choice`."""
    game = fight("E3 E4", cards=("E3 E4 B7", defender, THIRD))
    play(game, *choice)
    return game


def test_nothing_shown_by_choice_looks_like_nothing_to_show():
    forced, chosen = attacked_by_a_rear("B2 B5 O7"), attacked_by_a_rear("B2 B5 B3", show("-"))
    assert forced.asked == chosen.asked == "place_front"
    assert_alike(forced, chosen, 0, 2)


def test_a_card_thrown_away_does_not_tell_whether_it_was_just_drawn():
    throw = {"discard": "O7", "from": "hand", "replacement": None}
    new = position("B4 E2 E5 E6 C10 O3", "B2", deck="O7")
    old = position("B4 E2 E5 E6 C10 O7", "B2", deck="O3")
    play(new, DRAW, throw)
    play(old, DRAW, throw)
    assert seen_by_others(new, 1) == seen_by_others(old, 1)
    assert new.camps[0].hand == old.camps[0].hand


def test_what_is_drawn_to_the_hand_or_behind_the_screen_is_seen_by_the_drawer_only():
    one, other = (
        position("E2 E3", "B2", front=("4 wood",), bag=kind, deck=card)
        for kind, card in (("gold", "C12"), ("steel", "O1"))
    )
    for game in (one, other):
        play(game, DRAW)
    assert_alike(one, other, 1)
    assert plain(one.view(0))["behind"] == {"gold": 1}
    assert plain(one.view(0))["hand"] == ["C12"]


def test_the_front_of_one_combatant_is_sealed_until_the_other_has_chosen():
    game = fight(
        *("E3 E4 E5", "B6 B7", "O2 O3", "C12"),
        cards=("E3 E4 E5 B6 B7", "E1 O2 O3 C12"),
    )
    play(game, USE)
    assert list(game.deciders()) == [0, 1]
    assert plain(game.view(0))["face_up"] == plain(game.view(1))["face_up"] == [[], []]


# --- what everybody knows --------------------------------------------------------------------


def test_the_view_of_a_turn():
    game = position("E2 E3 C12", "B4", front=("2 gold",), behind=("wood",), discards="O4 E7")
    game.bag, game.deck = game.bag[:7], game.deck[:5]
    assert plain(game.view(0)) == {
        "game": "khan",
        "seat": 0,
        "decision": "turn",
        "hand": ["C12"],
        "behind": {"wood": 1},
        "points": 5,
        "drawn": None,
        "turn": 1,
        "to_move": 0,
        "scarce": ["gold", "water"],
        "deck": 5,
        "bag": 7,
        "discards": ["O4", "E7"],
        "face_up": [["E2", "E3"], ["B4"]],
        "hand_size": [1, 0],
        "seen_in_hand": [[], []],
        "front": [{"gold": 2}, {}],
        "behind_size": [1, 0],
        "seen_behind": [{}, {}],
        "seen_points": [4, 0],
        "combat": None,
        "recent": [],
    }


def test_seats_see_the_same_but_for_their_own():
    game, own = new_game(seats=3), ("seat", "decision", "hand", "behind", "points", "drawn")
    play(game, DRAW, DRAW)
    views = [plain(game.view(seat)) for seat in range(3)]
    public = [{name: view[name] for name in view if name not in own} for view in views]
    assert public[0] == public[1] == public[2]


def test_the_card_just_drawn_is_named_while_a_discard_is_asked():
    game = position("B4 E2 E5 E6 C10 O3", "", deck="O7")
    play(game, DRAW)
    assert [plain(game.view(seat))["drawn"] for seat in (0, 1)] == ["O7", None]
    play(game, game.default(0))
    assert plain(game.view(0))["drawn"] is None


def test_a_peaceful_turn_is_told_as_far_as_it_was_seen():
    game = position("E2", "B2 B3", front=("", "4 wood"), bag="gold, steel", deck="E3 C12")
    play(game, DRAW, DRAW)
    assert plain(game.view(0))["recent"] == [
        {
            "turn": 1,
            "seat": 0,
            "action": "draw",
            "token": "gold",
            "token_to": "front",
            "card": "E3",
            "card_to": "front",
            "discard": None,
        },
        {
            "turn": 2,
            "seat": 1,
            "action": "draw",
            "token": None,
            "token_to": "behind",
            "card": None,
            "card_to": "hand",
            "discard": None,
        },
    ]


def test_a_combat_is_told_in_full():
    game = fight(
        *("E3 E4", "C11", "C12"), cards=("E3 E4 C1 C11", "C12 C10 B2"), front=("", "2 wood, gold")
    )
    play(game, USE, {"card": "C10"}, show("E3 E4"))
    silent = {"shown": [[], []], "destroyed": [[], []], "standing": [[], []], "winner": 1}
    ladder = {"shown": [["E3", "E4"], []], "destroyed": [[], []], "standing": [["E3", "E4"], []]}
    leaders = {
        "shown": [["C11"], ["C12", "C10"]],
        "destroyed": [[], ["C12"]],
        "standing": [["C11"], ["C10"]],
    }
    assert plain(game.view(1))["recent"] == [
        {
            "turn": 1,
            "seat": 0,
            "action": "attack",
            "target": 1,
            "face_up": [["E3", "E4"], ["C10", "C12"]],
            "rounds": [silent, {**ladder, "winner": 0}, {**leaders, "winner": 0}],
            "declared": ["C1", None],
            "winner": 0,
            "loot": counted("2 wood, gold"),
            "discarded": [["C1"], ["B2", "C10"]],
        }
    ]


def test_a_round_in_progress_has_no_winner_yet():
    game = fight("E3 E4 E5", cards=("E3 E4 E5", "B3 B4 B5"))
    assert plain(game.view(0))["combat"]["rounds"] == [
        {
            "shown": [["E3", "E4", "E5"], None],
            "destroyed": [[], []],
            "standing": [["E3", "E4", "E5"], []],
            "winner": None,
        }
    ]
    assert plain(game.view(0))["combat"]["winner"] is None


def test_recent_holds_as_many_turns_as_there_are_seats():
    game = position("E2", "E3", "E4")
    play(game, *[DRAW] * 5)
    assert [turn["turn"] for turn in plain(game.view(2))["recent"]] == [3, 4, 5]


def test_cards_that_were_face_up_or_shown_are_known_to_be_in_the_hand():
    game = fight("E3 E4 E5", "B6 B7", "-", cards=("C11 E7 E3 E4 E5 B6 B7 O1", "O2 O5"))
    assert game.asked == "place_front"
    assert plain(game.view(1))["seen_in_hand"][0] == ["E3", "E4", "E5", "E7", "B6", "B7", "C11"]
    play(game, show("E3 O1"))
    assert plain(game.view(1))["seen_in_hand"][0] == ["E4", "E5", "E7", "B6", "B7", "C11"]


def test_nothing_is_known_of_a_hand_that_was_lost():
    game = fight("-", "-", cards=("E3 E4 E5", "B2 O7"))
    assert game.asked == "turn"
    assert plain(game.view(1))["seen_in_hand"] == [[], []]


def test_a_known_card_thrown_away_is_known_no_longer():
    game = position("B4 E2 E5 E5 C10 O3", "", deck="O7")
    game.camps[0].seen = ["E5"]
    play(game, DRAW, {"discard": "E5", "from": "hand", "replacement": None})
    assert game.camps[0].hand == ["E5", "O3", "O7", "C10"]
    assert plain(game.view(1))["seen_in_hand"][0] == []


def test_a_known_card_turned_face_up_is_known_there():
    game = position("B4 E2 E5 E6 C10 O3", "", deck="O7")
    game.camps[0].seen = ["E5", "C10"]
    play(game, DRAW, {"discard": "B4", "from": "front", "replacement": "E5"})
    view = plain(game.view(1))
    assert (view["face_up"][0], view["seen_in_hand"][0]) == (["E2", "E5"], ["C10"])


# --- the text and the descriptions -----------------------------------------------------------


def drawn():
    """Return a combat in the middle of it, after a draw by seat 0."""
    game = position(
        *("E3 E4", "B2 B3 B4 C12", "O2 O3 E7"),
        front=("wood", "steel, 2 gold", ""),
        behind=("2 horses", "cloth"),
        bag="cattle, steel",
        deck="E5",
        discards="O7 E2",
    )
    play(game, DRAW, attack(0), show("B2 B3 B4"))
    return game


OPEN = """\
Turn 2 of at most 300: seat 1 in turn
Points  seat 0 4, seat 1 6, seat 2 0

Seat 1 attacks seat 0
  Seat 1: face up before  B2 B3
  Seat 0: face up before  E3 E4
  Seat 1: vanguard        B2 B3 B4
  Seat 0: vanguard        -; still to show

Seat 0
  Face up   -
  In sight  wood, cattle
  Behind the screen (hidden from the others): Hand  E3 E4 E5; Hoard: 2 horses

Seat 1
  Face up   -
  In sight  steel, gold x2
  Behind the screen (hidden from the others): Hand  C12; Hoard: 1 cloth

Seat 2
  Face up   O2 O3
  In sight  -
  Behind the screen (hidden from the others): Hand  E7; Hoard: nothing

Last turns  Turn  What
Seat 0         1  draws cattle and a card in hand

Scarce                  gold, water; worth 2
Deck                    -
Discards, latest first  E2 O7; 2 in all
Bag                     tokens

E beats B, B beats O, O beats E; C leads. O1 gunpowder, C1 poison, B1 champion,
    E1 retreat."""


def test_the_open_text_shows_all():
    assert drawn().text() == OPEN


def test_the_text_of_a_seat_hides_what_it_may_not_know():
    text = drawn().text(2)
    assert "Points  seat 0 2+, seat 1 5+, seat 2 0\n" in text
    screen = "Behind the screen (hidden from the others)"
    lines = [line.strip() for line in text.splitlines() if "Hand" in line or "Hoard" in line]
    assert lines == [
        "Hand  E3 E4 (1 unseen)",
        "Hoard: 2 unseen",
        f"{screen}: Hand  (1 unseen); Hoard: 1 unseen",
        f"{screen}: Hand  E7; Hoard: nothing",
    ]
    assert "Seat 2 (you)" in text


def test_the_text_tells_what_all_know_of_a_hand_and_a_screen():
    game = position("E3 E4 E5 C12", "B2 B3", behind=("wood, 2 gold",))
    game.camps[0].seen, game.camps[0].looted["gold"] = ["C12"], 2
    text = game.text(1)
    assert "Hand  C12 (1 unseen)" in text
    assert "Hoard: 2 gold, 1 unseen" in text


def test_the_text_tells_a_combat_that_is_over():
    game = fight(
        *("E3 E4 E5", "B2 B3 B4"),
        cards=("E3 E4 E5 E6 E7", "B2 B3 B4 O1"),
        front=("", "2 wood"),
    )
    play(game, blow_up("E3 E5"), show("E6 E7"))
    assert game.asked == "place_front"
    lines = game.text(1).splitlines()
    at = lines.index("Seat 0 attacks seat 1, seat 1 wins")
    assert lines[at + 1 : at + 12] == [
        "  Seat 0: face up before        E3 E4",
        "  Seat 1 (you): face up before  B2 B3",
        "  Seat 0: vanguard              E4 E3- E5-",
        "  Seat 1 (you): vanguard        B2 B3 B4; wins",
        "  Seat 0: rear                  E6 E7; wins",
        "  Seat 1 (you): rear            -",
        "  Seat 0: leader                -",
        "  Seat 1 (you): leader          -; wins",
        "  Seat 1 (you): declared        O1; gunpowder",
        "  Seat 0: given up              E4- E6- E7-",
        "  Seat 1 (you): given up        O1-",
    ]
    play(game, show("B2 B3"))
    lines = game.text(1).splitlines()
    at = lines.index("Last turns  Turn  What")
    assert lines[at + 1 : at + 4] == [
        "Seat 0         1  attacks seat 1: E3 E4 E5 (E3 E5 destroyed) v B2 B3 B4; E6 E7 v",
        "                  -; - v -; O1 declared by seat 1; seat 1 wins, seat 0 discards",
        "                  E4 E6 E7, seat 1 discards O1",
    ]


def test_the_text_tells_loot_and_discards():
    game = fight("E3 E4", "C11", cards=("E3 E4 C11", "B2"), front=("", "2 wood"))
    lines = game.text().splitlines()
    assert "  Seat 1: given up        B2-" in lines
    assert "  Seat 0: loot            wood x2" in lines
    game = position("B4 E2 E5 E6 C10 O3", "", bag="", deck="O7")
    play(game, DRAW, {"discard": "B4", "from": "front", "replacement": "E5"})
    told = "Seat 0         1  draws a card in hand, discards B4, and turns E5 face up for it"
    assert told in game.text(1).splitlines()


def test_the_text_marks_the_card_just_drawn_for_its_drawer():
    game = at_discard()
    assert "Hand  E5 E6 O3 C10 *O7" in game.text(0)
    assert "*O7" not in game.text(1)


def both_use_gunpowder():
    game = fight("E3 E4 E5", "B3 B4 B5", cards=("E3 E4 E5 O1", "B3 B4 B5 B6 B7 O1"))
    play(game, KEEP, blow_up("E3 E4"), blow_up("B3 B4"))
    return game


def both_place():
    game = fight(*("B6 B7", "O2 O3", "C12"), cards=("B2 B6 B7 C12", "E1 O2 O3 O6"))
    play(game, USE)
    return game


def of_the_longest_kinds():
    return position("E2", "E3", scarce=("territory", "captives"), deck="E2 " * 100)


@pytest.mark.parametrize("make", [both_use_gunpowder, both_place, of_the_longest_kinds])
def test_the_text_is_never_wider_than_80_columns(make):
    game = make()
    for seat in (None, 0, 1):
        assert max(map(len, game.text(seat).splitlines())) <= 80


def test_the_text_names_the_end():
    game = position("E2", "E3", "E4", bag="", max_turns_per_player=1, front=("gold", "", "wood"))
    play(game, DRAW, DRAW, DRAW)
    assert game.text(1).startswith("Over: max_turns; places: seat 0 1, seat 1 3, seat 2 2\n")


def at_turn():
    return position("E2", "E3")


def at_discard():
    game = position("B4 E2 E5 E6 C10 O3", "", deck="O7")
    play(game, DRAW)
    return game


def at_reveal():
    return fight(cards=("O1 E3 E4 E5", "B3 B4 B5 C1 C11"))


def at_gunpowder():
    return fight("E3 E4 E5", "B3 B4 B5", cards=("O1 E3 E4 E5", "B3 B4 B5"))


def at_poison():
    return fight("C11", cards=("C10 C11", "C1 E2"))


def at_heir():
    game = at_poison()
    play(game, USE)
    return game


def at_retreat():
    return fight("-", "-", cards=("E3 E4 E1 C10", "B2"))


def at_place_front():
    return fight(cards=("E3 B7", "B2 B5 O5"))


DESCRIBED = [
    (at_turn, DRAW, "seat 0 draws"),
    (at_turn, attack(), "seat 0 attacks seat 1"),
    (
        at_discard,
        {"discard": "E5", "from": "hand", "replacement": None},
        "seat 0 discards E5",
    ),
    (
        at_discard,
        {"discard": "E2", "from": "front", "replacement": "E5"},
        "seat 0 discards E2, and turns E5 face up for it",
    ),
    (at_reveal, show("-"), "seat 0 shows nothing as vanguard"),
    (at_reveal, show("E5 E3 E4"), "seat 0 shows E3 E4 E5 as vanguard"),
    (at_gunpowder, KEEP, "seat 0 keeps its gunpowder"),
    (at_gunpowder, blow_up("B5 B3"), "seat 0 uses gunpowder on B3 B5"),
    (at_poison, KEEP, "seat 1 keeps its poison"),
    (at_poison, USE, "seat 1 uses its poison"),
    (at_heir, {"card": "C10"}, "seat 0 sends C10 in as leader"),
    (at_heir, {"card": None}, "seat 0 sends nobody in as leader"),
    (at_retreat, USE, "seat 0 retreats"),
    (at_retreat, KEEP, "seat 0 does not retreat"),
    (at_place_front, show("O5 B2"), "seat 1 turns B2 O5 face up"),
]


@pytest.mark.parametrize(("asked", "move", "words"), DESCRIBED)
def test_a_move_is_described(asked, move, words):
    game = asked()
    (seat,) = game.deciders()
    assert game.refusal(seat, move) is None
    assert game.describe(seat, move) == words
