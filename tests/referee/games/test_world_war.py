"""World War: the board, the course of a game, what is shown, and what always holds."""

import json
from collections import Counter
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import to_builtins

from referee.chance import Chance
from referee.game import plain
from referee.games.world_war.battle import Attack, fight
from referee.games.world_war.board import (
    BONUS,
    BORDERS,
    CARDS,
    CONTINENT,
    MEMBERS,
    TERRITORIES,
    WEAPON,
)
from referee.games.world_war.forces import Forces
from referee.games.world_war.goals import Continents, Destroy, Territories, objectives
from referee.testing.trial import RecordedChance
from tests.referee.games.world_war_positions import (
    KEEP,
    OUT_OF_REACH,
    STAY,
    STOP,
    armies,
    asked,
    attack,
    default_until,
    new_game,
    owner,
    play,
    position,
    refusal,
)

# --- the board


def test_borders_go_both_ways_and_are_83():
    assert all(here in BORDERS[there] for here in range(42) for there in BORDERS[here])
    assert sum(map(len, BORDERS)) == 2 * 83


def test_borders_within_and_between_continents():
    pairs = [(a, b) for a in range(42) for b in BORDERS[a] if a < b]
    inside = Counter(CONTINENT[a] for a, b in pairs if CONTINENT[a] == CONTINENT[b])
    assert [inside[continent] for continent in range(6)] == [16, 5, 12, 9, 22, 5]
    assert len(pairs) - inside.total() == 14


def test_continents_and_weapons():
    assert [len(members) for members in MEMBERS] == [9, 4, 7, 6, 12, 4]
    assert BONUS == (5, 2, 5, 3, 7, 2)
    assert Counter(WEAPON) == {"infantry": 14, "cavalry": 14, "cannon": 14, "joker": 2}


def test_the_table_holds_board_and_cards():
    table = new_game().table()
    assert [*table["territories"]] == [*TERRITORIES]
    assert [facts["number"] for facts in table["territories"].values()] == [*range(42)]
    assert table["territories"]["alaska"] == {
        "number": 0,
        "continent": "north_america",
        "borders": ["alberta", "kamchatka", "northwest_territory"],
    }
    assert table["continents"]["oceania"] == {
        "bonus": 2,
        "territories": ["indonesia", "new_guinea", "western_australia", "eastern_australia"],
    }
    assert [*table["cards"]] == [*CARDS]
    assert (table["cards"]["alaska"], table["cards"]["joker_2"]) == ("infantry", "joker")


# --- the deal and the set-up


@pytest.mark.parametrize(("seats", "total"), [(3, 35), (4, 30), (5, 25), (6, 20)])
def test_every_seat_begins_with_so_many_armies(seats, total):
    game = new_game(seats)
    play_set_up(game)
    for seat in range(seats):
        assert game.war.forces.total(seat) == total


def play_set_up(game):
    while asked(game) == "setup":
        game.apply({seat: game.default(seat) for seat in game.deciders()})


@pytest.mark.parametrize("seats", [3, 4, 5, 6])
def test_objectives_are_different_and_among_those_of_the_seats_in_play(seats):
    known = to_builtins(objectives(seats))
    assert len(known) == 8 + seats
    dealt = [plain(new_game(seats).view(seat))["mission"] for seat in range(seats)]
    assert all(mission in known for mission in dealt)
    assert len(set(map(json.dumps, dealt))) == seats


def test_every_objective_is_dealt():
    dealt = {json.dumps(plain(new_game(3, str(n)).view(0))["mission"]) for n in range(300)}
    assert dealt == {json.dumps(goal) for goal in to_builtins(objectives(3))}


def test_in_the_world_all_have_the_same_objective():
    view = plain(new_game(objective="world").view(1))
    assert view["mission"] == view["goal"] == {"kind": "world"}


def test_in_turn_each_placement_is_public_at_once():
    game = new_game(setup="in_turn", setup_step=100)
    assert game.deciders() == (0,)
    assert plain(game.view(1))["in_turn"] == 0
    moves = game.default(0)
    play(game, moves)
    assert game.deciders() == (1,)
    assert plain(game.view(1))["events"] == [{"event": "setup", "seat": 0, **moves}]
    name = next(iter(moves["armies"]))
    assert armies(game, name) == [1 + moves["armies"][name]]


# --- reinforcements


def test_trades_are_listed_once_each_in_order():
    game = position("alaska", hands=["joker_1 peru egypt china"])
    names = [["peru", "egypt", "china"], ["peru", "egypt", "joker_1"]]
    names += [["peru", "china", "joker_1"], ["egypt", "china", "joker_1"], []]
    assert game.decision(0).legal == [{"cards": each} for each in names]


# --- combats


def test_a_roll_does_not_depend_on_how_many_dice_are_thrown():
    def rolled(dice, defence):
        forces = Forces([0, 1, *[2] * 40], 3)
        forces.armies[:2] = [9, 9]
        order = Attack(0, 1, dice)
        fought = fight(forces, order, defence, Chance("one"), (1, 0, 1))
        return fought.rolls[0]

    ours, theirs = rolled(3, 3)
    faces = Chance("one").dice(6, 6, "roll", 1, 0, 1, 1)
    assert (ours, theirs) == (sorted(faces[:3])[::-1], sorted(faces[3:])[::-1])
    for dice in (1, 2, 3):
        for defence in (1, 2, 3):
            expected = [sorted(faces[:dice])[::-1], sorted(faces[3:][:defence])[::-1]]
            assert rolled(dice, defence) == expected


def test_dice_are_named_by_round_seat_attack_and_roll():
    game = position("alaska:9", "kamchatka:9", at="attack", round=7)
    game.war._chance = chance = RecordedChance("x")
    play(game, attack("alaska", "kamchatka", 1, rolls=2))
    play(game, {"dice": 1})
    play(game, attack("alaska", "kamchatka", 1))
    play(game, {"dice": 1})
    assert chance.events == [("roll", 7, 0, 1, 1), ("roll", 7, 0, 1, 2), ("roll", 7, 0, 2, 1)]


def reshuffled(number, used):
    """Return the draw pile after a card was drawn from `used`, in the round of this number."""
    game = position(
        "alaska:9 alberta", "kamchatka peru", at="attack", round=number, draw="", dice=["6 v 1"]
    )
    game.war.used_pile = [*used]
    play(game, attack("alaska", "kamchatka", 1))
    play(game, {"armies": 0})
    play(game, STOP)
    assert plain(game.view(0))["events"][-1] == {"event": "card", "seat": 0, "reshuffled": True}
    return game.war.draw_pile


def test_the_used_pile_is_shuffled_anew_whatever_order_it_lay_in():
    piles = [reshuffled(number, range(20)) for number in (5, 6, 7)]
    assert len({tuple(pile) for pile in piles}) == 3
    assert all(pile != sorted(pile) for pile in piles)
    assert reshuffled(5, reversed(range(20))) == piles[0]


def test_attacks_are_counted_anew_each_turn():
    game = position("alaska:9 alberta", "kamchatka:9 japan", at="attack", max_attacks=1)
    play(game, attack("alaska", "kamchatka", 1))
    play(game, {"dice": 1})
    default_until(game, 0, "attack")
    assert asked(game) == "attack"


def test_the_safe_rounds_are_an_option():
    game = position("alaska:9", "kamchatka", at="attack", round=1, safe_rounds=0)
    assert game.refusal(0, attack("alaska", "kamchatka", 1)) is None
    game = position("alaska:9", "kamchatka", at="attack", round=9, safe_rounds=9)
    assert "safe" in refusal(game, attack("alaska", "kamchatka", 1))


def test_the_shielded_are_not_among_the_limits():
    game = position("alaska:9", "kamchatka", at="attack", round=4)
    (entry,) = game.decision(0).limits["attacks"]
    assert entry["to"] == ["alberta", "northwest_territory"]


def test_the_turn_passes_over_the_fallen():
    game = position("alaska:2", "", "japan", seats=4, fallen=[(1, 2, 5)], at="attack")
    play(game, STOP)
    assert plain(game.view(0))["in_turn"] in (2, 3)
    assert plain(game.view(0))["round"] == 5


def test_a_round_ends_with_the_last_living_seat():
    game = position("", "alaska:2", "japan:2", fallen=[(0, 1, 4)], others=1, turn=2, at="attack")
    play(game, STOP)
    assert (plain(game.view(1))["in_turn"], plain(game.view(1))["round"]) == (1, 6)


# --- objectives and the end


def four_continents(check):
    goal = Continents(["north_america", "africa"], 0)
    holding = "africa alaska:5 northwest_territory greenland alberta ontario quebec"
    return position(
        f"{holding} western_united_states eastern_united_states",
        "central_america peru",
        missions=[goal, OUT_OF_REACH, OUT_OF_REACH],
        at="attack",
        victory_check=check,
    )


def conquer_central_america(check):
    game = four_continents(check)
    game.war.forces.armies[TERRITORIES.index("eastern_united_states")] = 9
    game.war.reach = game.war.forces.attacks(0, ())
    while owner(game, "central_america") == 1:
        play(game, attack("eastern_united_states", "central_america", 3))
    return game


def test_end_of_turn_wins_after_the_last_move():
    game = conquer_central_america("end_of_turn")
    default_until(game, 0, "fortify")
    assert game.deciders() == (0,)
    play(game, STAY)
    assert (game.places(), game.reason, game.war.round) == ([1, 2, 2], "objective", 5)


def test_an_objective_lost_before_the_next_turn_does_not_win():
    game = conquer_central_america("next_turn")
    default_until(game, 0, "fortify")
    play(game, STAY)
    game.war.forces.take(TERRITORIES.index("congo"), 1)
    default_until(game, 0, "attack")
    assert game.deciders() == (0,)


@pytest.mark.parametrize("check", ["immediate", "end_of_turn", "next_turn"])
def test_the_last_seat_alive_wins_at_once(check):
    game = position(
        "alaska:9",
        "kamchatka",
        others=0,
        fallen=[(2, 0, 5)],
        at="attack",
        victory_check=check,
        dice=["6 v 1"],
        objective="world",
    )
    play(game, attack("alaska", "kamchatka", 1))
    assert game.places() == [1, 2, 3]


def test_only_the_seat_in_turn_wins():
    game = position("alaska:2", "asia:9 north_africa", "", at="attack", missions=[OUT_OF_REACH] * 3)
    game.war.missions[1] = Territories(1, 1)
    assert game.deciders() == (0,)
    default_until(game, seat=-1)
    assert (game.places()[1], game.war.round) == (1, 5)


def test_an_objective_against_the_fallen_is_replaced_only_if_another_did_it():
    game = position("alaska:9", "kamchatka", at="attack", dice=["6 v 1"], seats=4)
    game.war.missions = [Destroy(2), OUT_OF_REACH, Destroy(1), Destroy(3)]
    play(game, attack("alaska", "kamchatka", 1))
    goals = [plain(game.view(seat))["goal"] for seat in (0, 2, 3)]
    replaced = {"kind": "territories", "count": 24, "min_armies": 1}
    assert goals == [{"kind": "destroy", "seat": 2}, replaced, replaced]


# --- what is shown


def test_the_defender_sees_the_attackers_dice_and_no_order():
    game = position("alaska:4 peru", "kamchatka:2 japan", at="attack")
    play(game, attack("alaska", "kamchatka", 3, rolls=7, stop_at=2))
    view = plain(game.view(1))
    assert view["battle"] == {
        "from": "alaska",
        "to": "kamchatka",
        "attacker_dice": 3,
        "max_dice": 2,
    }
    assert "rolls" not in json.dumps(view)
    assert "stop_at" not in json.dumps([plain(game.view(seat)) for seat in range(3)])
    assert "7 rolls" not in game.text(1)


def test_what_an_order_asked_for_is_never_shown():
    def shown_after(**order):
        game = position("alaska:9 peru", "kamchatka:2 japan", at="attack", dice=["6 v 1"] * 2)
        play(game, attack("alaska", "kamchatka", 1, **order))
        play(game, {"dice": 1})
        return [plain(game.view(seat)) for seat in range(3)], game.text()

    assert shown_after(rolls=2, stop_at=1) == shown_after(rolls=1000, stop_at=5)


def test_the_events_of_a_conquest():
    game = position(
        "alaska:5 alberta",
        "kamchatka:1",
        hands=["", "peru"],
        at="attack",
        dice=["6,5,5 v 6", "6,5,1 v 2"],
    )
    play(game, attack("alaska", "kamchatka", 3, rolls=3))
    play(game, STOP)
    assert plain(game.view(2))["events"] == [
        {"event": "turn", "seat": 0, "round": 5},
        {
            "event": "attack",
            "seat": 0,
            "from": "alaska",
            "to": "kamchatka",
            "dice": 3,
            "defender": 1,
            "defender_dice": 1,
            "rolls": [[[6, 5, 5], [6]], [[6, 5, 1], [2]]],
            "attacker_lost": 1,
            "defender_lost": 1,
        },
        {"event": "conquest", "seat": 0, "from": "alaska", "to": "kamchatka", "armies": 3},
        {"event": "eliminated", "seat": 1, "by": 0, "cards": ["peru"]},
        {"event": "card", "seat": 0, "reshuffled": False},
    ]


def test_a_seat_is_told_what_has_happened_since_it_was_asked():
    game = position("alaska:9 alberta", "kamchatka:9 japan:2", at="attack")
    for _ in range(2):
        play(game, attack("alaska", "kamchatka", 1))
        play(game, {"dice": 1})
    assert [event["event"] for event in plain(game.view(0))["events"]] == ["attack"]
    assert [event["event"] for event in plain(game.view(1))["events"]] == ["attack"]
    assert [event["event"] for event in plain(game.view(2))["events"]] == [
        "turn",
        "attack",
        "attack",
    ]


def test_to_keep_the_cards_and_to_stay_are_not_told():
    game = position("alaska:3 alberta", "kamchatka:2 japan", hands=["peru india brazil"])
    play(game, KEEP)
    play(game, STOP)
    play(game, STAY)
    assert [event["event"] for event in plain(game.view(2))["events"]] == ["turn", "turn"]


def test_the_log_forgets_what_all_have_been_told():
    game, rng = new_game(4, objective="world", max_rounds=40), Random(1)
    longest = 0
    while seats := game.deciders():
        game.apply({seat: game.sample(seat, rng) for seat in seats})
        longest = max(longest, len(game.war.log._events))
    assert longest < 400


def test_views_hand_out_every_event_once_and_in_order():
    game, rng = new_game(3, "2", max_rounds=12), Random(2)
    heard = [[] for _ in range(3)]
    while seats := game.deciders():
        for seat in seats:
            heard[seat] += plain(game.view(seat))["events"]
        game.apply({seat: game.sample(seat, rng) for seat in seats})
    for seat in range(3):
        heard[seat] += plain(game.view(seat))["events"]
    assert heard[0] == heard[1] == heard[2]
    turns = [event["round"] for event in heard[0] if event["event"] == "turn"]
    assert all(later - earlier in (0, 1) for earlier, later in pairwise(turns))


def test_the_text_tells_attacks_along_a_border_together_and_who_is_out():
    game = position("alaska:9", "kamchatka:2", at="attack", dice=["6 v 1"] * 2)
    for answer in ({"dice": 1}, None):
        play(game, attack("alaska", "kamchatka", 1))
        if answer:
            play(game, answer)
    told = " ".join(game.text(2).partition("Lately")[2].split())
    assert "attacks alaska > kamchatka (B), 2 rolls, lost 0, killed 2; takes kamchatka" in told
    assert "B IS OUT" in told
    assert "round 5, by A" in game.text(2)


# --- what always holds

OPTIONS = st.fixed_dictionaries(
    {"max_rounds": st.integers(1, 25)},
    optional={
        "objective": st.just("world"),
        "setup": st.just("in_turn"),
        "setup_step": st.integers(1, 8),
        "attack_mode": st.just("single"),
        "defence": st.just("max"),
        "victory_check": st.sampled_from(["end_of_turn", "next_turn"]),
        "min_reinforcement": st.just(3),
        "safe_rounds": st.integers(0, 6),
        "survivors": st.just("territories"),
        "max_attacks": st.integers(1, 20),
    },
)


def assert_whole(war):
    """No card is lost, no territory empty, and all counts are right."""
    held = [*war.draw_pile, *war.used_pile, *(card for hand in war.hands for card in hand)]
    assert sorted(held) == list(range(44))
    assert all(len(hand) <= 5 for hand in war.hands)
    forces = war.forces
    assert min(forces.armies) >= 1
    assert forces.count == [forces.owner.count(seat) for seat in range(war.seats)]
    for continent, members in enumerate(MEMBERS):
        owners = {forces.owner[member] for member in members}
        assert forces.holder[continent] == (owners.pop() if len(owners) == 1 else None)
    fallen = {fall.seat for fall in war.fallen}
    assert {seat for seat in range(war.seats) if not forces.count[seat]} == fallen
    assert not any(war.hands[seat] for seat in fallen)


def assert_asked_with_reason(game):
    war = game.war
    for seat in game.deciders():
        decision = game.decision(seat)
        assert war.forces.count[seat]
        assert decision.limits is not None or len(decision.legal) > 1
        if decision.name in ("setup", "deploy"):
            assert decision.limits["armies"] > 0
            assert len(decision.limits["territories"]) > 1
        assert decision.name != "attack" or decision.limits["attacks"]
        assert decision.name != "fortify" or decision.limits["moves"]
        assert decision.name != "occupy" or decision.limits["max_armies"] > 0


@settings(max_examples=40)
@given(st.integers(0, 10**6), st.integers(3, 6), OPTIONS)
def test_random_play_keeps_cards_and_counts_and_ends(seed, seats, options):
    game, rng = new_game(seats, str(seed), **options), Random(seed)
    while asked_now := game.deciders():
        assert_whole(game.war)
        assert_asked_with_reason(game)
        before = game.war.round
        game.apply({seat: game.sample(seat, rng) for seat in asked_now})
        assert game.war.round - before in (0, 1)
    assert_whole(game.war)
    assert game.war.round <= game.options.max_rounds
    assert game.reason in {"objective", "last_alive", "max_rounds"}
    assert (game.places().count(1) == 1) or game.reason == "max_rounds"


@settings(max_examples=30)
@given(st.integers(0, 10**6), st.integers(3, 6))
def test_nobody_falls_in_the_safe_rounds(seed, seats):
    game, rng = new_game(seats, str(seed), max_rounds=8), Random(seed)
    while asked_now := game.deciders():
        game.apply({seat: game.sample(seat, rng) for seat in asked_now})
    assert all(fall.round > 4 for fall in game.war.fallen)


@settings(max_examples=60)
@given(st.integers(0, 10**6), st.integers(1, 9), st.integers(2, 60), st.integers(1, 60))
def test_a_fight_takes_off_what_the_dice_say(seed, dice, ours, theirs):
    forces = Forces([0, 1, *[2] * 40], 3)
    forces.armies[:2] = [ours, theirs]
    order = Attack(0, 1, 1 + dice % 3, 1000, 1)
    rolls, lost, killed = fight(forces, order, 3, Chance(str(seed)), (1, 0, 1))
    assert forces.armies[:2] == [ours - lost, theirs - killed]
    assert forces.armies[0] == 1 or forces.armies[1] == 0
    assert sum(min(len(one), len(other)) for one, other in rolls) == lost + killed
    assert forces.armies[0] >= 1
    assert forces.armies[1] > 0 or len(rolls[-1][0]) <= forces.armies[0] - 1
