"""One match: ask, check, apply, until there are places; one rule for every fault."""

import hashlib
from collections.abc import Callable, Sequence
from math import ceil
from random import Random
from time import monotonic

import msgspec

from protocol.messages import End, Start, TimeControl
from referee.clock import Turn
from referee.evidence import Evidence, Played
from referee.fault import Fault
from referee.game import Decision, Game, Move
from referee.judging import BY_FORFEIT, Forfeits, fault_of, final_places
from referee.opening import Opening
from referee.replay import Entry, Replay
from referee.scoring import Counted, counted, places_of
from referee.seat import Answer, Seat

Watch = Callable[[Game, Sequence[Entry]], None]
"""Called before each step is applied, with the decisions of that step."""

_LONG_SECONDS = 0.02  # of a turn in which the bot may have had to wait for a core

_UNASKED = Answer(None, Turn(0.0, 0.0))
"""The answer of a seat that is out, and not asked."""


class Match:
    """A match on its way; `play` takes it to the end.

    Of a match with an opening, the game is given as it is after that.
    """

    def __init__(
        self,
        game: Game,
        seats: Sequence[Seat],
        faults_allowed: int,
        opening: Opening | None = None,
    ) -> None:
        self._game = game
        self._opening = opening
        self._seats = seats
        self._forfeits = Forfeits(
            len(seats), faults_allowed, illegal_is_sanctioned=game.illegal_is_sanctioned
        )
        self._step = 0
        self._entries: list[Entry] = []
        self._turns: list[Turn] = []

    @property
    def decisions(self) -> int:
        """How many decisions were taken so far."""
        return len(self._entries)

    def play(self, starts: Sequence[Start], watch: Watch | None = None) -> Played:
        """Play the match; `starts` holds what each seat is sent at the beginning."""
        game = self._game
        self._start(starts)
        began = monotonic()
        while not self._forfeits.end_the_match and (deciders := game.deciders()):
            self._step += 1
            moves = {}
            for seat in deciders:
                moves[seat] = self._decide(seat)
            if watch is not None:
                watch(game, self._entries[-len(deciders) :])
            if self._forfeits.steps:
                self._withdraw()
            game.apply(moves)
        over = not game.deciders()
        places = final_places(places_of(game) if over else None, self._forfeits.steps, game.seats)
        reason = game.reason if over else BY_FORFEIT
        found = counted(game) if over and not self._forfeits.steps else Counted()
        for each in self._seats:
            each.end(End(places, reason))
        return Played(self._replay(places, reason, found), self._evidence(began))

    def _start(self, starts: Sequence[Start]) -> None:
        for number, (seat, start) in enumerate(zip(self._seats, starts, strict=True)):
            fault = seat.start(start)
            if fault is not None:
                self._entries.append(Entry(number, None, self._judged(number, fault)))
                self._turns.append(_UNASKED.turn)
                self._game.withdraw(number)

    def _withdraw(self) -> None:
        """Take the seats that forfeited in this step out of the game."""
        for number, step in self._forfeits.steps.items():
            if step == self._step:
                self._game.withdraw(number)

    def _decide(self, number: int) -> Move:
        """Return the move of one seat: its answer, or the default where that is refused."""
        game = self._game
        move, answer, fault = None, _UNASKED, None
        if number not in self._forfeits.steps:
            seat = self._seats[number]
            decision = game.decision(number)
            if seat.samples:
                decision = with_samples(game, number, decision, seat.last_id + 1, seat.samples)
            answer = seat.ask(decision, game.view(number))
            read: Move | str = ""
            if answer.move is not None:
                read = game.read_answer(decision.name, number, answer.move)
            if isinstance(read, str):
                fault = self._judged(number, fault_of(decision, answer, read, seat))
            else:
                move = read
        if move is None:
            move = game.default(number)
        self._entries.append(Entry(number, move, fault, answer.note))
        self._turns.append(answer.turn)
        return move

    def _judged(self, number: int, fault: Fault) -> Fault:
        """Count a fault and say whether the seat forfeits with it."""
        if not self._forfeits.judge(number, fault.kind, self._step):
            return fault
        self._seats[number].dismiss()
        return msgspec.structs.replace(fault, forfeit=True)

    def _replay(self, places: list[int], reason: str, found: Counted) -> Replay:
        game = self._game
        return Replay(
            game=game.name,
            rules=game.rules_version,
            seats=game.seats,
            options=msgspec.to_builtins(game.options),
            seed=game.chance.seed,
            entries=self._entries,
            places=places,
            reason=reason,
            scores=found.scores,
            numbers=found.numbers,
            opening=self._opening,
        )

    def _evidence(self, began: float) -> Evidence:
        cpu, wall, lag = [], [], []
        waited = {}
        ended, unasked = began, _UNASKED.turn
        for number, turn in enumerate(self._turns):
            cpu.append(int(turn.cpu * 1e6))
            taken = turn.ended - turn.began
            wall.append(ceil(taken * 1e6))
            if (taken > _LONG_SECONDS or turn.wall > taken) and turn.wall:
                waited[number] = int((taken - turn.wall) * 1e6)
            if turn is unasked:
                lag.append(0)
            else:
                # what was kept from before an interruption ends later than the next turn began
                since = turn.began - ended
                lag.append(int(since * 1e6) if since > 0 else 0)
                ended = turn.ended
        return Evidence(
            cpu=cpu,
            wall=wall,
            lag=lag,
            stderr=[seat.stderr for seat in self._seats],
            conversations=[list(seat.conversation) for seat in self._seats],
            burners=[number for number, seat in enumerate(self._seats) if seat.burner],
            charged=self._by_seat(lambda seat: seat.charged),
            unfrozen=self._by_seat(lambda seat: seat.unfrozen),
            waited=waited,
            trips=self._by_seat(lambda seat: seat.trip),
            memory_peak={
                number: peak
                for number, seat in enumerate(self._seats)
                if (peak := seat.memory_peak)
            },
            samples={
                number: seat.samples for number, seat in enumerate(self._seats) if seat.samples
            },
        )

    def _by_seat(self, seconds: Callable[[Seat], float]) -> dict[int, int]:
        """Return the time of each seat that has any, in microseconds."""
        found = ((number, int(seconds(seat) * 1e6)) for number, seat in enumerate(self._seats))
        return {number: used for number, used in found if used}


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
