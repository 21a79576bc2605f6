"""What single bundled bots do in a given position, or never do in a match."""

from collections.abc import Callable
from itertools import chain
from typing import Any

import pytest

from referee.games.duel.fencer import LETHAL
from referee.games.duel.game import Duel
from referee.games.world_war.course import Continents, Destroy, Territories
from referee.games.world_war.game import WorldWar
from tests.bots.driver import Match, Message, ask_of, called, decided, start_of
from tests.referee.games import duel_positions as duel
from tests.referee.games import guerra_positions as guerra
from tests.referee.games import khan_positions as khan
from tests.referee.games import world_war_positions as war

ARM = {"play": "arm", "add": [1, 1, 1, 1]}
LEVEL = [[0, 20, 20, 20], [20, 0, 20, 20], [20, 20, 0, 20], [20, 20, 20, 0]]
AHEAD = [[0, 60, 20, 20], [20, 0, 0, 20], [20, 0, 0, 20], [20, 20, 20, 0]]
"""Seats 0 and 3 lead by more than anybody can lay in a round."""


@pytest.mark.parametrize(("markers", "attacks"), [(AHEAD, True), (LEVEL, False)])
def test_the_diplomat_attacks_with_a_seat_that_seeks_it_where_that_wins(
    markers: list[list[int]], attacks: bool
) -> None:
    options = {"talk": False, "max_rounds": 200, "cap_result": "draw"}
    start = {"game": "cold_war", "seat": 0, "seats": 4, "options": options, "seed": 1}
    (program,) = called("cold_war", "diplomat")
    program.tell({"type": "start", **start})
    for number in range(1, 5):
        last = [ARM, ARM, ARM, {"play": "attack", "with": 0}] if number > 1 else None
        seen = {"round": number, "last": last, "markers": markers, "reserve": [0] * 4}
        ask = {"type": "ask", "id": number, "decision": "play", "view": seen | {"max_rounds": 200}}
        program.tell(ask | {"limits": {"add_max": 4, "move_max": 12, "partners": [1, 2, 3]}})
        move = program.hear()["move"]
    assert (move == {"play": "attack", "with": 3}) == attacks
    assert (move["play"] == "attack") == attacks


def test_the_cautious_bot_bets_the_least_and_goes_to_war() -> None:
    match = Match("casino_war", called("casino_war", "cautious", "random"), 5)
    match.play()
    moves = [reply["move"] for _, reply in match.transcripts[0] if reply]
    assert {str(move) for move in moves} == {"{'bet': 10}", "{'action': 'war'}"}


def test_the_turtle_always_defends_if_it_can() -> None:
    match = Match("duel", called("duel", "sensible", "turtle"), 4)
    match.play()
    answers = [
        (ask["view"], reply["move"])
        for ask, reply in match.transcripts[1]
        if reply and ask["decision"] == "defend" and ask["view"]["dexterity"][1] > 2
    ]
    assert answers
    assert all(move["cards"] for _, move in answers)


PLAY = {"action": "play"}
STEAL = {"action": "steal", "target": 1}
PILE = {"card": "9D", "piles": [[], ["2C", "9C"]]}
AT_WAR = {"laid": [["7C", None, None, None], ["7D", None, None, None, "4C"]]}


@pytest.mark.parametrize(
    ("view", "move"),
    [
        (PILE, STEAL),
        (PILE | {"protected": [1], "up": [None, "9H"]}, PLAY),
        (AT_WAR | {"card": "3D", "piles": [[], ["3C"]], "up": [None, "4C"]}, STEAL),
        (AT_WAR | {"card": "KD", "piles": [[], ["KC"]], "up": [None, "QC"]}, PLAY),
        ({"won": ["9C", "KD"], "piles": [["9D", "9H"], []]}, {"top": "9C"}),
    ],
    ids=["steals", "protected", "low at war", "high at war", "shows what is rare"],
)
def test_what_sensible_does_in_steal_war(view: dict[str, Any], move: Message) -> None:
    rest = {"seat": 0, "in_trick": [0, 1], "up": [None, None], "laid": [[], []], "protected": []}
    decision, legal = "steal", [PLAY, STEAL]
    if "top" in move:
        decision, legal = "top", [{"top": card} for card in view["won"]]
    (program,) = called("steal_war", "sensible")
    program.tell({"type": "start", "game": "steal_war", "seat": 0, "seats": 2})
    message = {"type": "ask", "id": 1, "decision": decision, "legal": legal}
    program.tell(message | {"view": rest | {"won": [], "piles": [[], []]} | view})
    assert program.hear()["move"] == move


def test_the_general_breaks_through_in_the_order_that_works() -> None:
    match = Match("guerra", called("guerra", "general", "random"), 1)
    game = guerra.position("V 5O 6C 7E / R 2B", "V 3O / C 4C / R 5E", packs=("3B", "6O"))
    match.game = game
    assert match.play() == [1, 2]
    assert (game.turn, game.reason) == (1, "breakthrough")


@pytest.mark.parametrize(
    ("bot", "armies", "hands", "orders"),
    [
        (
            *("general", ("V 5O 6C / C 7E / R 2B", "V 3O / C 4C / R 5E"), ("", "")),
            {"action": "attack", "transfers": [{"card": "7E", "to": "vanguard"}]},
        ),
        ("general", ("V 2O", "V 7O 6C / R 2C"), ("7E 10O", "3B"), {"action": "incorporate"}),
        (
            *("turtle", ("V 5O / R 2B", "V 7C / R 2C"), ("3O 7E", "3B")),
            {"action": "incorporate", "card": "7E", "zone": "rearguard"},
        ),
    ],
    ids=["breaks through", "holds the line", "hides behind"],
)
def test_what_bots_of_guerra_order(
    bot: str, armies: tuple[str, str], hands: tuple[str, str], orders: dict[str, Any]
) -> None:
    game = guerra.position(*armies, hands=hands, packs=("3O 4O", "6O 5O"))
    assert orders.items() <= decided(bot, game).items()


def test_the_general_discards_what_it_prices_least() -> None:
    game = guerra.position(
        "R 5O", "R 2C", hands=("7E 11E 2C 12O 1B 10E 3B 4O", ""), packs=("3O", "6O")
    )
    guerra.order_attacks(game)
    guerra.stop(game)
    assert decided("general", game) == {"cards": ["2C"]}


STRONG = "E3 E4 E5 O6 O7 C12"


@pytest.mark.parametrize(
    ("hands", "front", "behind", "move"),
    [
        (("",), ("", "wood, steel, cloth, horses"), "", {"action": "attack", "target": 1}),
        (("B2 B3",), ("", "wood, steel, cloth, horses"), "", {"action": "attack", "target": 1}),
        (("",), ("", ""), "", {"action": "draw"}),
        (
            *(("B2", "O2"), ("", "wood", "wood, steel, horses")),
            *("3 gold, 3 water, 3 cloth, 3 cattle", {"action": "attack", "target": 2}),
        ),
    ],
    ids=["loot", "loot it can win", "no loot", "the victory in sight"],
)
def test_what_the_warlord_is_after(
    hands: tuple[str, ...], front: tuple[str, ...], behind: str, move: dict[str, Any]
) -> None:
    game = khan.position(STRONG, *hands, front=front, behind=(behind,))
    assert decided("warlord", game) == move


def test_the_warlord_discards_what_is_of_least_use() -> None:
    game = khan.position("E3 E4 E5 O6 O7 C12", "B2 B3 C10", deck="B4")
    game.apply({0: {"action": "draw"}})
    assert decided("warlord", game)["discard"] == "B4"


def test_the_warlord_turns_up_what_it_can_spare() -> None:
    game = khan.fight("E3 E4 E5", "B6 B7", cards=["E3 E4 E5 B6 B7 O3", "C12"])
    while game.asked != "place_front":
        (seat,) = game.deciders()
        game.apply({seat: game.default(seat)})
    assert "O3" in decided("warlord", game)["cards"]


def marshals_answers(game: WorldWar) -> list[Any]:
    """Return what the marshal answers in this turn; the others do what is played for the absent."""
    seat = game.war.in_turn
    (program,) = called("world_war", "marshal")
    program.tell(start_of(game, seat))
    made = []
    while game.deciders() and game.war.in_turn == seat:
        (decider,) = game.deciders()
        if decider == seat:
            program.tell(ask_of(game, seat, 1))
            made.append(program.hear()["move"])
            war.play(game, made[-1])
        else:
            war.play(game, game.default(decider))
    return made


@pytest.mark.parametrize(
    ("ours", "theirs", "goal"),
    [
        (
            "north_america oceania:2 alaska:9 indonesia:9",
            "alberta:1 southeast_asia:1 kamchatka:1",
            Continents(["north_america", "oceania"], 0),
        ),
        ("asia:1 indonesia:1 brazil:12", "africa:1 europe:1 egypt:9", Territories(15, 1)),
    ],
    ids=["at once", "round the heap"],
)
def test_the_marshal_wins_where_it_can(ours: str, theirs: str, goal: Any) -> None:
    missions = [goal, war.OUT_OF_REACH, war.OUT_OF_REACH]
    game = war.position(ours, theirs, missions=missions, at="attack")
    marshals_answers(game)
    assert game.reason == "objective"


def test_the_marshal_fills_up_the_weak_when_that_wins() -> None:
    game = war.position(
        "asia:2 oceania:2 alaska:2 alberta:2 peru japan:1",
        "brazil",
        missions=[Territories(18, 2), war.OUT_OF_REACH, war.OUT_OF_REACH],
    )
    (move,) = marshals_answers(game)
    assert {"japan", "peru"} & set(move["armies"])
    assert game.reason == "objective"


def test_the_marshal_lets_a_heap_alone() -> None:
    game = war.position(
        "alaska:4 peru:1", "kamchatka:9 alberta:9 northwest_territory:9", at="attack"
    )
    assert marshals_answers(game) == [{"action": "stop"}]


def test_the_marshal_does_not_plan_to_take_what_is_shielded() -> None:
    game = war.position(
        "alaska:20",
        "kamchatka:1 alberta:1",
        missions=[Destroy(1), war.OUT_OF_REACH, war.OUT_OF_REACH],
        round=1,
        at="attack",
    )
    marshals_answers(game)
    assert game.war.forces.count[1] >= 1
    assert game.reason == ""


def attacked_by(cards: str, hand: str, **given: Any) -> Duel:
    """Return a game in which the maestro is to answer an attack by all the cards of seat 0."""
    return duel.play(duel.position(cards, hand, **given), duel.attack(cards))


@pytest.mark.parametrize(
    ("game", "move"),
    [
        (lambda: duel.new_game(rolls=(7, 1, 8, 2)), {"trait": 1}),
        (lambda: duel.new_game(rolls=(7, 2, 8, 2)), {"trait": 2}),
        (lambda: duel.position("B3 B4 B5 E3 O3", "O1 O2 C3", stamina=(5, 1)), duel.attack("E3")),
        (lambda: duel.position("B3 B4 B12 O3", "O1 O2 C3", stamina=(1, 9)), {"action": "breathe"}),
        (lambda: attacked_by("B3 B4 B5", "E3", pawn=-3, stamina=(9, 6)), {"use": True}),
        (lambda: attacked_by("B3", "E3", stamina=(9, 2)), {"use": False}),
        (lambda: attacked_by("B3", "E3", pawn=-3, stamina=(9, 2)), {"use": False}),
        (lambda: attacked_by("B3", "C2 C3 C4", pawn=3, dexterity=(9, 2)), duel.NO_DEFENCE),
        (
            lambda: attacked_by("B3 B4", "O1 O2 C3", pawn=-2, stamina=(9, 2), trait=(LETHAL, None)),
            duel.defence("O1 O2"),
        ),
    ],
    ids=[
        *("the better trait", "the better trait again", "a cut at the rival's last point"),
        *("breath at its own", "a parry where the line ends", "no parry with its last points"),
        *("not even there", "no moulinet with its last dexterity", "no last point to a lethal one"),
    ],
)
def test_what_the_maestro_does(game: Callable[[], Duel], move: Any) -> None:
    assert decided("maestro", game()) == move


def test_the_maestro_cuts_twice_where_that_kills() -> None:
    game = duel.position("E3 E6 O3", "O1 O2 C3", stamina=(9, 2))
    duel.play(game, decided("maestro", game))
    duel.play(game, *([duel.NO_DEFENCE] if game.asked == "defend" else []))
    duel.play(game, *([{"use": False}] if game.asked == "emergency_parry" else []))
    duel.play(game, decided("maestro", game))
    assert (game.asked, game.reason, game.places()) == (None, "stamina", [1, 2])


def test_quiet_never_attacks_in_khan() -> None:
    match = Match("khan", called("khan", *["quiet"] * 3), 1)
    match.play()
    asks = [(ask["decision"], reply["move"]) for ask, reply in chain(*match.transcripts) if reply]
    assert {decision for decision, _ in asks} == {"turn", "discard"}
    assert {move["action"] for decision, move in asks if decision == "turn"} == {"draw"}
