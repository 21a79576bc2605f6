"""A game whose program answers for it, behind the contract that all games fulfil."""

import json
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, ClassVar, Self, TypeVar

import msgspec
from msgspec import UNSET

from protocol.game_messages import (
    AboutGame,
    ApplyMoves,
    CheckedMove,
    CheckMove,
    CopyMatch,
    DescribedMove,
    DescribeMove,
    GameState,
    MadeMove,
    NewMatch,
    ResampleMatch,
    SampleMove,
    SeatMove,
    SeatView,
    ShownTable,
    ShowTable,
    ViewSeat,
)
from referee.match.scoring import is_number
from referee.program.areas import areas_of
from referee.program.engine import Engine, ProgramError
from referee.rules.chance import Chance
from referee.rules.game import Decision, Game, Move, Observation, Options
from referee.rules.scene import Area, Text

_LONGEST_LINE = 1000
"""Characters of a line of the table: it should have 80, and is slow to be wrapped."""

_Plain = TypeVar("_Plain")


class ProgramGame(Game):
    """One play of a game that is a program; each such game is a class derived from this one."""

    about: ClassVar[AboutGame]
    engine: ClassVar[Engine]

    def __init__(self, *, seats: int, options: Options, chance: Chance) -> None:
        super().__init__(seats=seats, options=options, chance=chance)
        fields = msgspec.structs.fields(options)
        given = {field.encode_name: getattr(options, field.name) for field in fields}
        self._withdrawn: list[int] = []
        self._past: list[ApplyMoves] = []
        """What was carried out, for a program that cannot copy a match."""
        state = self._begin(NewMatch(self.engine.number(), seats, given, chance.seed))
        self._table, self._called = state.table, state.called
        if self._called and len(self._called) != seats:
            raise self._wrong("new", f"`called` has {len(self._called)} names for {seats} seats")

    def _begin(self, message: NewMatch | CopyMatch | ResampleMatch) -> GameState:
        """Begin a match in the program; return its state, which is taken."""
        number = message.match if isinstance(message, NewMatch) else message.to
        state = self.engine.ask(message, GameState)
        self._number, self._generation = number, self.engine.generation
        self.engine.hold(self, number)
        self._take(state, "new")
        return state

    def _ask(self, message: Any, kind: type[Any]) -> Any:
        """Ask the program about this match, which it must still know."""
        self._check_known()
        return self.engine.ask(message, kind)

    def _check_known(self) -> None:
        """Raise ProgramError if the process has ended that knew this match."""
        if not self.engine.is_running or self._generation != self.engine.generation:
            raise ProgramError(
                f"the program of the game {self.name!r} has ended, and with it all its matches."
            )

    def _take(self, state: GameState, asked: str) -> None:
        """Go on with what the program says of the match; raise ProgramError if that cannot be."""
        for ask in state.asks:
            if not 0 <= ask.seat < self.seats:
                raise self._wrong(asked, f"it asks seat {ask.seat}, and there are {self.seats}")
            if ask.decision not in self.decisions:
                raise self._wrong(asked, f"it asks for {ask.decision!r}, which it never declared")
            if ask.legal is UNSET and (ask.default is UNSET or "check" not in self.about.can):
                raise self._wrong(
                    asked,
                    f"{ask.decision!r} of seat {ask.seat} needs a list of `legal` moves, or a "
                    f"`default` and the ability to `check`",
                )
        self._asks = {ask.seat: ask for ask in state.asks}
        if len(self._asks) < len(state.asks):
            raise self._wrong(asked, "it asks a seat twice")
        if not state.asks:
            self._check_end(state, asked)
            self.reason = state.reason
        self._state = state
        self._checked: tuple[int, Move, CheckedMove] | None = None

    def _check_end(self, state: GameState, asked: str) -> None:
        places = state.places
        right = [1 + sum(other < place for other in places) for place in places]
        if len(places) != self.seats or places != right:
            raise self._wrong(
                asked,
                f"nobody is asked, and the places are {places}: one for each of {self.seats} "
                f"seats, 1 the best, such as [1, 2] or [1, 1]",
            )
        if not state.reason:
            raise self._wrong(asked, "the match is over, and no `reason` says why")
        if state.scores is not None and len(state.scores) != self.seats:
            raise self._wrong(asked, f"it has {len(state.scores)} scores for {self.seats} seats")
        if state.scores is not None and not self.score:
            raise self._wrong(asked, "it has scores, and `score` does not say what they count")
        if unknown := {*state.numbers} - {*self.measures}:
            raise self._wrong(asked, f"the number {min(unknown)!r} is no one of its `measures`")
        if missing := {*self.measures} - {*state.numbers}:
            raise self._wrong(asked, f"the number {min(missing)!r} of its `measures` is missing")
        for number in [*(state.scores or ()), *state.numbers.values()]:
            if not is_number(number):
                raise self._wrong(asked, f"the number {number:g} is too large to be stored")

    def _wrong(self, asked: str, what: str) -> ProgramError:
        return self.engine.wrong(asked, what)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """Return a copy, which has the chance that `memo` has for it."""
        chance = memo.get(id(self.chance), self.chance)
        is_same = chance.seed == self.chance.seed
        if "copy" in self.about.can:
            number = self.engine.number()
            seed = "" if is_same else chance.seed
            return self._copied(chance, CopyMatch(self._number, number, seed))
        if not is_same and self.has_chance:
            raise ProgramError(
                f"the program of the game {self.name!r} cannot `copy`, so that no other chance can "
                f"be tried from here on."
            )
        again = type(self)(seats=self.seats, options=self.options, chance=chance)
        for step in self._past:
            again._apply(step.moves, step.withdrawn)
        again._withdrawn = [*self._withdrawn]
        return again

    def _copied(self, chance: Chance, message: CopyMatch | ResampleMatch) -> Self:
        other = object.__new__(type(self))
        vars(other).update(vars(self))
        other.chance = chance
        other._withdrawn, other._past = [*self._withdrawn], [*self._past]
        self._check_known()
        other._begin(message)
        return other

    def deciders(self) -> Sequence[int]:
        """Return the seats that the program asks now."""
        return [*self._asks]

    def asks(self, seat: int) -> str:
        """Return the name of what is asked."""
        return self._asks[seat].decision

    def decision(self, seat: int) -> Decision:
        """Return the question, as the program has put it."""
        ask = self._asks[seat]
        if ask.legal is UNSET:
            return Decision(ask.decision, limits=_own(ask.limits or {}))
        return Decision(ask.decision, legal=_own(ask.legal))

    def view(self, seat: int) -> Observation:
        """Return what the program shows the seat, and who is asked what."""
        ask = self._asks.get(seat)
        if ask is None:
            shown: Observation = self._ask(ViewSeat(self._number, seat), SeatView).view
        else:
            shown = ask.view
        base = {
            "game": self.name,
            "seat": seat,
            "decision": None if ask is None else ask.decision,
        }
        return {**base, **shown, **base}

    def check(self, seat: int, move: Move) -> str | None:
        """Return which rule a move breaks: it is not listed, or the program says so."""
        ask = self._asks[seat]
        if ask.legal is not UNSET and move in ask.legal:
            return None
        if "check" not in self.about.can:
            return "that is none of the legal moves"
        found = self._checked_by_program(seat, move)
        if ask.legal is not UNSET and not found.refused:
            if found.move is not UNSET and found.move in ask.legal:
                return None
            raise self._wrong("check", f"{_said(move)} is legal, and is not in the list")
        return found.refused or None

    def canonical(self, seat: int, move: Move) -> Move:
        """Return a legal move as the program wants it recorded."""
        if self._checked is None or self._checked[:2] != (seat, move):
            return move
        canonical = self._checked[2].move
        return move if canonical is UNSET else canonical

    def _checked_by_program(self, seat: int, move: Move) -> CheckedMove:
        if self._checked is None or self._checked[:2] != (seat, move):
            try:
                answer = self._ask(CheckMove(self._number, seat, move), CheckedMove)
            except UnicodeEncodeError:
                answer = CheckedMove(refused="a text in it holds half of a character")
            self._checked = (seat, move, answer)
        return self._checked[2]

    def read_answer(self, asked: str, seat: int, move: Move) -> Move | str:
        """Return what any game does; a listed move that its schema refuses is the program's fault.

        No bot may pay for that.
        """
        found = super().read_answer(asked, seat, move)
        legal = self._asks[seat].legal
        if isinstance(found, str) and legal is not UNSET and _written(move) in map(_written, legal):
            raise self._wrong(
                "hello", f"the schema of {asked!r} refuses the legal move {_said(move)}: {found}"
            )
        return found

    def apply(self, moves: Mapping[int, Move]) -> None:
        """Let the program carry out the moves."""
        withdrawn, self._withdrawn = self._withdrawn, []
        self._apply([SeatMove(seat, moves[seat]) for seat in self._asks], withdrawn)

    def _apply(self, moves: list[SeatMove], withdrawn: list[int]) -> None:
        message = ApplyMoves(self._number, moves, withdrawn)
        if "copy" not in self.about.can:
            self._past.append(message)
        self._take(self._ask(message, GameState), "apply")

    def default(self, seat: int) -> Move:
        """Return the program's own, or the first legal move."""
        ask = self._asks[seat]
        if ask.default is UNSET:
            assert ask.legal is not UNSET
            return _own(ask.legal[0])
        return _own(ask.default)

    def sample(self, seat: int, rng: Random) -> Move:
        """Return one of the legal moves, or one that the program makes."""
        legal = self._asks[seat].legal
        if legal is not UNSET:
            return _own(rng.choice(legal))
        made: Move = self._ask(SampleMove(self._number, seat, rng.getrandbits(48)), MadeMove).move
        return made

    def places(self) -> list[int]:
        """Return the places that the program has given."""
        return [*self._state.places]

    def scores(self) -> list[int] | list[float] | None:
        """Return its scores."""
        scores: Any = self._state.scores
        return None if scores is None else [*scores]

    def numbers(self) -> dict[str, int | float]:
        """Return its numbers."""
        return {**self._state.numbers}

    def table(self) -> dict[str, Any]:
        """Return its constants."""
        return _own(self._table)

    def called(self, seat: int) -> str:
        """Return what it calls the seat."""
        return self._called[seat] if self._called else super().called(seat)

    def withdraw(self, seat: int) -> None:
        """Tell the program with the next moves that a seat is out."""
        self._withdrawn.append(seat)

    def resample(self, seat: int, rng: Random) -> Self | None:
        """Return another state that the program says the seat cannot tell from this one."""
        if "resample" not in self.about.can:
            return None
        seed = f"{rng.getrandbits(64):016x}"
        return self._copied(
            Chance(seed), ResampleMatch(self._number, self.engine.number(), seat, seed)
        )

    def scene(self, seat: int | None = None) -> Sequence[Area]:
        """Return what the program shows, or the fields of its views if it shows nothing."""
        if "show" not in self.about.can:
            return super().scene(seat)
        shown: ShownTable = self._ask(ShowTable(self._number, seat), ShownTable)
        if shown.areas:
            try:
                return areas_of(shown.areas, self.seats)
            except msgspec.ValidationError as error:
                raise self._wrong("show", f"{error}") from None
        lines = [line.rstrip() for line in shown.text.expandtabs().splitlines()]
        if len(longest := max(lines, key=len, default="")) > _LONGEST_LINE:
            raise self._wrong("show", f"a line of the table has {len(longest)} characters")
        return [Text("The table", ["".join(filter(str.isprintable, line)) for line in lines])]

    def describe(self, seat: int, move: Move) -> str:
        """Return what the program calls a move."""
        if "describe" not in self.about.can:
            return super().describe(seat, move)
        text: str = self._ask(DescribeMove(self._number, seat, move), DescribedMove).text
        return text


def _written(move: Move) -> str:
    """Return a move as text: to Python, 1, 1.0 and true are equal."""
    return json.dumps(move, sort_keys=True)


def _own(value: _Plain) -> _Plain:
    """Return a copy, to its last list, that whoever gets it may change."""
    copied: _Plain = msgspec.to_builtins(value)
    return copied


def _said(move: Move) -> str:
    return json.dumps(move, ensure_ascii=False)[:100]
