"""What each seat of Khan sees, and what it must not find out; the text and the descriptions."""

from referee.game import plain
from tests.referee.games.khan_positions import (
    DRAW,
    KEEP,
    USE,
    fight,
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


# --- what everybody knows --------------------------------------------------------------------


def test_the_card_just_drawn_is_named_while_a_discard_is_asked():
    game = position("B4 E2 E5 E6 C10 O3", "", deck="O7")
    play(game, DRAW)
    assert [plain(game.view(seat))["drawn"] for seat in (0, 1)] == ["O7", None]
    play(game, game.default(0))
    assert plain(game.view(0))["drawn"] is None


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
