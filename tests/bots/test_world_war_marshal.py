"""World War's marshal: what it reckons, what it does in a given position, what it is worth."""

from typing import Any

from referee.games.world_war.game import WorldWar
from referee.games.world_war.goals import Continents, Destroy, Territories
from tests.bots.driver import ask_of, called, start_of
from tests.referee.games.world_war_positions import OUT_OF_REACH, play, position

OCEANIA_AND_AMERICA = Continents(["north_america", "oceania"], 0)


def answers(game: WorldWar) -> list[Any]:
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
            play(game, made[-1])
        else:
            play(game, game.default(decider))
    return made


def test_it_wins_at_once_where_it_can() -> None:
    game = position(
        "north_america oceania:2 alaska:9 indonesia:9",
        "alberta:1 southeast_asia:1 kamchatka:1",
        missions=[OCEANIA_AND_AMERICA, OUT_OF_REACH, OUT_OF_REACH],
        at="attack",
    )
    answers(game)
    assert game.reason == "objective"


def test_it_goes_round_the_heap_to_its_objective() -> None:
    game = position(
        "asia:1 indonesia:1 brazil:12",
        "africa:1 europe:1 egypt:9",
        missions=[Territories(15, 1), OUT_OF_REACH, OUT_OF_REACH],
        at="attack",
    )
    answers(game)
    assert game.reason == "objective"
    assert game.war.forces.owner.count(0) == 15


def test_it_fills_up_the_weak_when_that_wins() -> None:
    game = position(
        "asia:2 oceania:2 alaska:2 alberta:2 peru japan:1",
        "brazil",
        missions=[Territories(18, 2), OUT_OF_REACH, OUT_OF_REACH],
    )
    (move,) = answers(game)
    assert {"japan", "peru"} & set(move["armies"])
    assert game.reason == "objective"


def test_it_lets_a_heap_alone() -> None:
    game = position("alaska:4 peru:1", "kamchatka:9 alberta:9 northwest_territory:9", at="attack")
    assert answers(game) == [{"action": "stop"}]


def test_it_does_not_plan_to_take_what_is_shielded() -> None:
    game = position(
        "alaska:20",
        "kamchatka:1 alberta:1",
        missions=[Destroy(1), OUT_OF_REACH, OUT_OF_REACH],
        round=1,
        at="attack",
    )
    answers(game)
    assert game.war.forces.count[1] >= 1
    assert game.reason == ""
