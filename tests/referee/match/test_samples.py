"""Samples: legal moves shown with a decision that lists none, to the bots that want them."""

from random import Random
from time import process_time
from typing import Any

import msgspec
import pytest

from protocol.errors import ArenaError
from referee import LocalAsk, play, play_deals
from referee.games import GAMES
from referee.match.evidence import Evidence
from referee.match.match import samples_of
from referee.rules.game import Decision, Move
from tests.referee import scripted
from tests.referee.games_for_tests import AtOnce, Countdown, dealt
from tests.referee.scripted import LATE, MALFORMED, ONE, THREE, TWO, ScriptedSeat
from tests.referee.table import Table


class Unlisted(Countdown):
    """Countdown that lists no moves, and notes who is sampled."""

    def __init__(self, **facts: Any) -> None:
        super().__init__(**facts)
        self.sampled: list[int] = []

    def decision(self, seat: int) -> Decision:
        return Decision("take", limits={"most": 3})

    def check(self, seat: int, move: Move) -> str | None:
        return None if move in super().decision(seat).legal else '"take" is 1, 2 or 3'

    def sample(self, seat: int, rng: Random) -> Move:
        self.sampled.append(seat)
        return super().sample(seat, rng)


class UnlistedAtOnce(AtOnce, Unlisted):
    """The same, decided by all at once."""


class Slow(Unlisted):
    """A game whose samples take long."""

    def sample(self, seat: int, rng: Random) -> Move:
        until = process_time() + 0.07
        while process_time() < until:
            pass
        return super().sample(seat, rng)


class WantingSeat(ScriptedSeat):
    """A seat that wants to see three samples, or another number."""

    def __init__(self, *script: Any, samples: int = 3) -> None:
        super().__init__(*script)
        self.samples = samples

    @property
    def shown(self) -> list[list[Move] | None]:
        """The samples of all asks."""
        return [decision.samples for decision, _ in self.asked]


def test_a_seat_gets_as_many_legal_moves_as_it_wants() -> None:
    few, many = WantingSeat(ONE), WantingSeat(TWO, samples=16)
    game = dealt(Unlisted, 2)
    scripted.play(game, few, many)
    assert [len(shown or ()) for shown in few.shown] == [3, 3, 3]
    assert [len(shown or ()) for shown in many.shown] == [16, 16, 16]
    for move in (move for seat in (few, many) for shown in seat.shown for move in shown or ()):
        assert game.check(0, move) is None
    assert len({msgspec.json.encode(shown) for shown in many.shown}) == 3
    for decision, _ in few.asked:
        assert (decision.name, decision.legal, decision.limits) == ("take", None, {"most": 3})


@pytest.mark.parametrize(
    ("game", "seat"), [(Unlisted, ScriptedSeat(ONE)), (Countdown, WantingSeat(ONE))]
)
def test_none_are_drawn_where_none_are_wanted_or_all_are_listed(
    game: type[Countdown], seat: ScriptedSeat
) -> None:
    match = dealt(game, 2)
    scripted.play(match, seat, ScriptedSeat(ONE))
    assert [decision.samples for decision, _ in seat.asked] == [None] * 3
    assert getattr(match, "sampled", []) == []


def test_they_depend_on_the_deal_the_seat_and_the_ask_alone() -> None:
    def shown(seed: str, *moves: Any, samples: int = 9) -> list[list[list[Move] | None]]:
        seats = WantingSeat(*moves, samples=samples), WantingSeat(*moves, samples=samples)
        scripted.play(dealt(Unlisted, 2, seed=seed), *seats)
        return [seat.shown for seat in seats]

    first = shown("one", ONE)
    assert shown("one", THREE) == shown("one", LATE, MALFORMED, TWO) == first
    assert shown("two", ONE) != first
    assert first[0] != first[1]
    assert [[(every or [])[:2] for every in seat] for seat in first] == shown("one", ONE, samples=2)


@pytest.mark.parametrize("count", [-1, 0, 17, 10**9, True, "4"])
def test_the_evidence_says_who_wanted_how_many_and_no_more_than_a_bot_can(count: Any) -> None:
    played = scripted.play(dealt(Unlisted, 2), ScriptedSeat(ONE), WantingSeat(ONE, samples=16))
    kept = msgspec.to_builtins(played.evidence) | {"lag": []}  # the script's may be below 0
    assert msgspec.convert(kept, Evidence).samples == {1: 16}
    with pytest.raises(msgspec.ValidationError, match="samples"):
        msgspec.convert({**kept, "samples": {1: count}}, Evidence)
    without = scripted.play(dealt(Unlisted, 2), ScriptedSeat(ONE), ScriptedSeat(ONE))
    assert b"samples" not in msgspec.msgpack.encode(without.evidence)


SAYS = """
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print('{{"type":"ready","samples":{count}}}', flush=True)
    elif message["type"] == "ask":
        move = message.get("samples", [{{"take": 1}}])[-1]
        note = str(len(message.get("samples", ())))
        print(json.dumps({{"id": message["id"], "move": move, "note": note}}), flush=True)
"""


@pytest.mark.parametrize("count", [0, 16])
def test_a_process_says_how_many_it_wants_for_all_its_matches(table: Table, count: int) -> None:
    process = table.start(table.python(SAYS.format(count=count)))
    for seed in ("1", "2"):
        played = table.play(dealt(Unlisted, 2, seed=seed), [process, ScriptedSeat(ONE)])
        own = [entry for entry in played.replay.entries if entry.seat == 0]
        assert [entry.fault for entry in own] == [None] * 3
        assert [entry.note for entry in own] == [str(count)] * 3
        if count:
            last = [samples_of(dealt(Unlisted, 2, seed=seed), 0, n, count)[-1] for n in (1, 2)]
            assert [entry.move for entry in own[:2]] == last


@pytest.mark.parametrize("clock", ["cpu", "wall"])
def test_what_samples_cost_is_the_referees_time(table: Table, clock: str) -> None:
    process = table.start(table.python(SAYS.format(count=4)))
    game, seats = dealt(Slow, 2, rounds=1), [process, ScriptedSeat(ONE)]
    played = table.play(game, seats, clock=clock, move_time=0.25, faults_allowed=0)
    assert [entry.fault for entry in played.replay.entries] == [None] * 2
    assert [lag > 280_000 for lag in played.evidence.lag] == [True, False]


def test_a_function_may_choose_from_samples_where_none_are_listed() -> None:
    def choose(ask: LocalAsk) -> Move:
        assert bool(ask.legal) != bool(ask.samples)
        assert ask.samples is ask.samples
        return ask.rng.choice(ask.legal or ask.samples)

    first, again = (
        [match.replay for match in play_deals("guerra", [choose, choose], deals=2)]
        for _ in range(2)
    )
    assert first == again


def test_a_function_that_spoils_its_samples_spoils_nothing_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    own = {"play": "shift", "move": [0, 0, 0, 0]}
    monkeypatch.setattr(GAMES["cold_war"], "sample", lambda self, seat, rng: own)

    def spoiler(ask: LocalAsk) -> Move:
        assert ask.samples == [{"play": "shift", "move": [0, 0, 0, 0]}] * 4
        for sample in ask.samples:
            sample["move"].clear()
            sample.clear()
        return {"play": "shift", "move": [0, 0, 0, 0]}

    play("cold_war", [spoiler] * 4, options={"max_rounds": 2})


def test_samples_that_are_read_too_late_are_refused() -> None:
    kept: list[LocalAsk] = []

    def late(ask: LocalAsk) -> Move:
        if kept:
            assert kept[0].samples
        kept.append(ask)
        return (ask.legal or ask.samples)[0]

    def keeper(ask: LocalAsk) -> Move:
        kept.append(ask)
        return {"play": "shift", "move": [0, 0, 0, 0]}

    with pytest.raises(ArenaError, match="must be read before it is answered"):
        play("cold_war", [keeper, late, late, late])
