"""The scene and the text of a game that says nothing of how its table looks."""

from typing import Any

from referee.rules.chance import Chance
from referee.rules.game import Game, Observation
from referee.rules.scene import Facts
from tests.golden import Golden
from tests.referee.games_for_tests import Countdown, RoundsOptions


class Bluff(Countdown):
    """The same, but each seat sees only its own takings."""

    text = Game.text

    def view(self, seat: int) -> Observation:
        return {
            "game": "bluff",
            "seat": seat,
            "decision": "take" if seat in self.deciders() else None,
            "withdrawn": self.withdrawn,
            "own": self.taken[seat],
        }


def new(kind: type[Bluff], **options: Any) -> Bluff:
    game = kind(seats=2, options=RoundsOptions(**options), chance=Chance("1"))
    game.apply({0: {"take": 3}})
    return game


def test_a_seat_is_shown_the_fields_of_its_view_and_with_all_eyes_open_what_all_see_once() -> None:
    headers, withdrawn = ("Field", "Value"), ("withdrawn", "[]")
    assert new(Bluff).scene(1) == [Facts("What seat 1 sees", headers, [withdrawn, ("own", "[]")])]
    assert new(Bluff).scene() == [
        Facts("What all see", headers, [withdrawn]),
        Facts("What seat 0 sees", headers, [("own", "[3]")]),
        Facts("What seat 1 sees", headers, [("own", "[]")]),
    ]


def test_a_text_is_the_scene_as_a_terminal_draws_it(golden: Golden) -> None:
    game = new(Bluff)
    golden(game.text(0))
    game.taken[1] = [1] * 60
    assert max(map(len, game.text(1).splitlines())) <= 80
    assert "1, 1, 1]" in game.text(1)
