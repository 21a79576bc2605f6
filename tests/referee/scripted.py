"""Seats that follow a script, and a match between them: no process, no clock."""

import copy
from collections.abc import Callable

from protocol.messages import End, Start, TimeControl
from referee.match.evidence import Played
from referee.match.match import Match, starts
from referee.match.seat import Seat
from referee.match.seat import play_match as drive
from referee.rules.game import Decision, Game, Move, Observation
from referee.turn.answer import Answer, Fault
from referee.turn.clock import Turn

CONTROL = TimeControl(judge="cpu", move_time=1.0, bank=0.0, increment=0.0)
ONE, TWO, THREE, NINE = ({"take": number} for number in (1, 2, 3, 9))
LATE, MALFORMED, CRASH = (
    Fault("late", "too slow"),
    Fault("malformed", "not JSON", "blah"),
    Fault("crash", "it exited with code 1"),
)


class ScriptedSeat(Seat):
    """Answers with what its script says, move or fault, the last word again and again."""

    def __init__(self, *script: Move | Fault) -> None:
        self.script = list(script)
        self.asked: list[tuple[Decision, Observation]] = []
        self.started: Start | None = None
        self.ended: End | None = None
        self.dismissed = False

    def start(self, start: Start) -> Fault | None:
        self.started = start
        return None

    def ask(self, decision: Decision, view: Observation) -> Answer:
        assert not self.dismissed
        self.asked.append(copy.deepcopy((decision, view)))
        word = self.script.pop(0) if len(self.script) > 1 else self.script[0]
        move, fault = (None, word) if isinstance(word, Fault) else (word, None)
        began = float(len(self.asked))
        return Answer(move, Turn(began, began + 0.5, 0.25), fault)

    def end(self, end: End) -> None:
        self.ended = end

    def judged(self, *, forfeits: bool) -> None:
        self.dismissed |= forfeits


def play(
    game: Game, *seats: Seat, faults_allowed: int = 2, watch: Callable[..., None] | None = None
) -> Played:
    """Play a match."""
    told = starts(game, "m", CONTROL, range(10, 10 + game.seats))
    return drive(Match(game, faults_allowed, watch=watch), seats, told)


def two_polite() -> list[Seat]:
    """Return two seats that do as they should."""
    return [ScriptedSeat(ONE), ScriptedSeat(ONE)]
