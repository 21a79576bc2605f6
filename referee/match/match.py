"""One match: it says what is due, is sent answers, and judges them, until there are places.

Nothing here waits for anybody, knows a process, or looks at a clock: who drives a match does.
"""

import hashlib
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from math import ceil
from random import Random
from typing import TypeAlias, final

import msgspec

from protocol.messages import Start, TimeControl
from referee.match.evidence import Evidence, Played
from referee.match.judging import Forfeits, fault_of
from referee.match.opening import Opening
from referee.match.replay import Entry, Replay
from referee.match.scoring import Counted, ending
from referee.rules.game import Decision, Game, Move, Observation
from referee.turn.answer import STANDING, Answer, Fault
from referee.turn.clock import Turn
from referee.turn.wire import Measured

Watch = Callable[[Game, Sequence[Entry]], None]
"""Called before each step is applied, with the decisions of that step."""

_LONG_SECONDS = 0.02  # of a turn in which the bot may have had to wait for a core

_UNASKED = Turn(0.0, 0.0)
"""The turn of a seat that is out, and not asked."""


@final
class Due(msgspec.Struct, frozen=True, gc=False):
    """A decision that a match wants of a seat: it is to be sent the `Answer`."""

    seat: int
    decision: Decision
    view: Observation


@final
class Judged(msgspec.Struct, frozen=True, gc=False):
    """Word of a match that the last answer of a seat was a fault; nothing is to be sent."""

    seat: int
    forfeits: bool
    """Whether it is asked no more."""


Asking: TypeAlias = Generator[Due | Judged, Answer | None, None]


class Match:
    """A match by the rules of its game, and by the one rule for faults.

    Its driver goes through `asking`, and takes what was `played` when that is over. Of a match with
    an opening, the game is given as it is after that.
    """

    def __init__(
        self,
        game: Game,
        faults_allowed: int,
        opening: Opening | None = None,
        watch: Watch | None = None,
    ) -> None:
        self._game = game
        self._opening = opening
        self._watch = watch
        self._forfeits = Forfeits(
            game.seats, faults_allowed, illegal_is_sanctioned=game.illegal_is_sanctioned
        )
        self._entries: list[Entry] = []
        self._turns: list[Turn] = []
        self._counted = Counted()
        self._samples: Sequence[int] = ()
        self.places: list[int] = []
        """By seat, when the match is over."""
        self.reason = ""
        """Why it ended, likewise."""

    @property
    def decisions(self) -> int:
        """How many decisions were taken so far."""
        return len(self._entries)

    def asking(self, unable: Sequence[Fault | None], samples: Sequence[int]) -> Asking:
        """Yield what is due until there are places.

        By seat, `unable` has the fault of one that cannot play at all, and `samples` how many legal
        moves it wants to see of a decision that does not list them.
        """
        game, forfeits, self._samples = self._game, self._forfeits, samples
        out, watch, step = forfeits.steps, self._watch, 0
        note, took = self._entries.append, self._turns.append
        for seat, fault in enumerate(unable):
            if fault is not None:
                fault = self._judged(seat, fault, step)
                note(Entry(seat, None, fault))
                took(_UNASKED)
                yield Judged(seat, fault.forfeit)
                game.withdraw(seat)
        asks = [0] * game.seats
        while not forfeits.end_the_match and (deciders := game.deciders()):
            step += 1
            moves = {}
            for seat in deciders:
                if seat in out:
                    moves[seat] = move = game.default(seat)
                    note(Entry(seat, move))
                    took(_UNASKED)
                    continue
                decision = game.decision(seat)
                if samples[seat]:
                    asks[seat] += 1
                    decision = with_samples(game, seat, decision, asks[seat], samples[seat])
                answer = yield Due(seat, decision, game.view(seat))
                assert answer is not None
                took(answer.turn)
                read: Move | str = ""
                if answer.move is not None:
                    read = game.read_answer(decision.name, seat, answer.move)
                if answer.fault is None and not isinstance(read, str):
                    moves[seat] = read
                    note(Entry(seat, read, None, answer.note))
                    continue
                fault = self._judged(seat, fault_of(decision, answer, read), step)
                if isinstance(read, str) or fault.kind not in STANDING:
                    read = game.default(seat)
                moves[seat] = move = read
                note(Entry(seat, move, fault, answer.note))
                yield Judged(seat, fault.forfeit)
            if watch is not None:
                watch(game, self._entries[-len(deciders) :])
            if out:
                for seat, left in out.items():
                    if left == step:
                        game.withdraw(seat)
            game.apply(moves)
        self.places, self.reason, self._counted = ending(game, out)

    def _judged(self, seat: int, fault: Fault, step: int) -> Fault:
        """Count a fault and say whether the seat forfeits with it."""
        if not self._forfeits.judge(seat, fault.kind, step):
            return fault
        return msgspec.structs.replace(fault, forfeit=True)

    def played(self, began: float, measured: Sequence[Measured]) -> Played:
        """Return the match, given when it began, by the clock of its turns, and what was measured.

        `measured` goes by seat.
        """
        game, found = self._game, self._counted
        replay = Replay(
            game=game.name,
            rules=game.rules_version,
            seats=game.seats,
            options=msgspec.to_builtins(game.options),
            seed=game.chance.seed,
            entries=self._entries,
            places=self.places,
            reason=self.reason,
            scores=found.scores,
            numbers=found.numbers,
            opening=self._opening,
        )
        return Played(replay, self._evidence(began, measured))

    def _evidence(self, began: float, measured: Sequence[Measured]) -> Evidence:
        turns = self._turns
        times = [turn.ended - turn.began for turn in turns]
        waited = {
            number: int((taken - turns[number].wall) * 1e6)
            for number, taken in enumerate(times)
            if (taken > _LONG_SECONDS or turns[number].wall > taken) and turns[number].wall
        }
        return Evidence(
            cpu=[int(turn.cpu * 1e6) for turn in turns],
            wall=[ceil(taken * 1e6) for taken in times],
            lag=[*_lags(turns, began)],
            stderr=[each.stderr for each in measured],
            conversations=[each.conversation for each in measured],
            burners=[seat for seat, each in enumerate(measured) if each.burner],
            charged=_microseconds(each.charged for each in measured),
            unfrozen=_microseconds(each.unfrozen for each in measured),
            waited=waited,
            trips=_microseconds(each.trip for each in measured),
            memory_peak=_by_seat(each.memory_peak for each in measured),
            samples=_by_seat(self._samples),
        )


def _lags(turns: Iterable[Turn], ended: float) -> Iterator[int]:
    """Yield how long it was from the end of each turn to the next, in microseconds."""
    for turn in turns:
        if turn is _UNASKED:
            yield 0
            continue
        # What was kept from before an interruption ends later than the next turn began.
        since = turn.began - ended
        yield int(since * 1e6) if since > 0 else 0
        ended = turn.ended


def _microseconds(seconds: Iterable[float]) -> dict[int, int]:
    return _by_seat(int(each * 1e6) for each in seconds)


def _by_seat(values: Iterable[int]) -> dict[int, int]:
    """Return the values of the seats that have any."""
    return {seat: value for seat, value in enumerate(values) if value}


def starts(
    game: Game,
    match: str,
    control: TimeControl | Sequence[TimeControl],
    seeds: Sequence[int],
) -> list[Start]:
    """Return what each seat of a match is sent at its beginning; `seeds` are the bots' own.

    `control` is of all seats, or each has one.
    """
    controls = [control] * len(seeds) if isinstance(control, TimeControl) else control
    options = msgspec.to_builtins(game.options)
    table = game.table()
    return [
        Start(
            match=match,
            game=game.name,
            seat=seat,
            seats=game.seats,
            options=options,
            table=table,
            clock=controls[seat],
            seed=seed,
        )
        for seat, seed in enumerate(seeds)
    ]


def bot_seeds(game: Game) -> list[int]:
    """Return a seed for the bot in each seat, in a match that belongs to no league."""
    return [game.chance.below(2**53, "bot", seat) for seat in range(game.seats)]


def samples_of(game: Game, seat: int, ask: int, count: int) -> list[Move]:
    """Return legal moves of a decider, at random: the same for the same deal, seat and ask.

    `ask` is the id of the ask. The dice are a hash's: whoever works out their state from what they
    threw is no nearer to the seed of the deal, and no event of the game shares them.
    """
    key = f"samples\0{game.chance.seed}\0{seat}\0{ask}".encode()
    rng = Random(int.from_bytes(hashlib.shake_128(key).digest(16)))  # noqa: S311 - see above
    return [game.sample(seat, rng) for _ in range(count)]


def with_samples(game: Game, seat: int, decision: Decision, ask: int, count: int) -> Decision:
    """Return a decision with as many samples as a seat wants, unless all moves are listed."""
    if decision.legal is not None or not count:
        return decision
    return Decision(
        decision.name, limits=decision.limits, samples=samples_of(game, seat, ask, count)
    )
