"""A game being tried: with what, its plays, and where they have come to when a flaw shows."""

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import islice
from random import Random
from typing import Any

import msgspec

from referee.catalog import folder
from referee.catalog.loading import GAME_ERRORS
from referee.rules.chance import Chance
from referee.rules.field import Schema
from referee.rules.game import Game, Move, plain
from referee.rules.options import are_for
from referee.testing.flaw import Dice, Flaw, Position, Printed, RecordedChance, short
from referee.testing.schema import snapshot


@dataclass(frozen=True)
class Case:
    """A game with its number of seats and the options that are not left at their defaults."""

    kind: type[Game]
    seats: int
    changed: Mapping[str, Any] = field(default_factory=dict)
    deal: int = 0
    """Where there are few cases, each is tried in several deals."""

    def __str__(self) -> str:
        changed = (f"{name}={value}" for name, value in self.changed.items())
        return "-".join((self.kind.name, str(self.seats), *changed))

    def new(self, seed: str = "conformance", chance: type[Chance] = Chance) -> Game:
        """Return the game, dealt."""
        options = msgspec.convert(dict(self.changed), self.kind.options_type)
        return self.kind(seats=self.seats, options=options, chance=chance(seed))


def option_schemas(game: type[Game]) -> dict[str, Any]:
    """Return the JSON Schema of each option."""
    schema = msgspec.json.schema(game.options_type)
    definition: dict[str, Any] = schema["$defs"][schema["$ref"].rpartition("/")[2]]
    return definition["properties"]  # type: ignore[no-any-return]


def alternatives(schema: Mapping[str, Any]) -> list[Any]:
    """Return the values to try of an option: all of a few, or the two least of many.

    Of text and lists, those that its description gives as `examples`.
    """
    values: list[Any] = [*schema.get("examples", ())]
    for each in schema.get("anyOf", [schema]):
        kind = each.get("type")
        if kind == "boolean":
            values += [False, True]
        elif kind == "null":
            values.append(None)
        elif kind in ("integer", "number"):
            values += _numbers(each, schema.get("default", 0))
        values += each.get("enum", ())
    usual = schema.get("default")
    return [value for value in values if value != usual or type(value) is not type(usual)]


def _numbers(schema: Mapping[str, Any], usual: Any) -> list[Any]:
    step = schema.get("multipleOf", 1)
    least = schema.get("minimum", schema.get("exclusiveMinimum", (usual or 0) - 1) + step)
    most = schema.get("maximum", schema.get("exclusiveMaximum", least + 3) - step)
    return [least, least + 2] if least + 2 <= most else [least, most]


def option_sets(game: type[Game]) -> list[dict[str, Any]]:
    """Return one change of every kind, alone and on top of a change of everything else."""
    tried = {name: alternatives(schema) for name, schema in option_schemas(game).items()}
    everything = {name: values[-1] for name, values in tried.items() if values}
    alone = [{name: value} for name, values in tried.items() for value in values]
    sets = [*alone, *(everything | change for change in alone), everything]
    distinct = [changed for at, changed in enumerate(sets) if changed and changed not in sets[:at]]
    return [changed for changed in distinct if allowed_together(game, changed)]


def allowed_together(
    game: type[Game], changed: Mapping[str, Any], seats: int | None = None
) -> bool:
    """Return whether the options do not contradict each other, nor the number of seats if given."""
    try:
        options = msgspec.convert(dict(changed), game.options_type)
    except msgspec.ValidationError:
        return False
    return seats is None or are_for(game, options, seats)


def cases_of(game: type[Game], seats: Sequence[int] = ()) -> list[Case]:
    """Return the defaults with every number of seats, then each option set with one of them.

    It is the next number that the options are for; sets that are for none of them are left out.
    """
    counts = [*(seats or game.seat_counts)]
    brief = folder.cases_of(game).brief
    cases = [Case(game, counts[0]), *(Case(game, each, brief) for each in counts[1:])]
    for at, changed in enumerate(option_sets(game)):
        chosen = {**brief, **changed}
        turn = at % len(counts)
        in_turn = counts[turn:] + counts[:turn]
        fit = (each for each in in_turn if allowed_together(game, chosen, each))
        cases += [Case(game, each, chosen) for each in islice(fit, 1)]
    return cases


class Trace:
    """Where a play has come to, in an open file that another process reads when this one ends."""

    def __init__(self, file: int) -> None:
        self._file = file

    def begin(self, case: Case, seed: str) -> None:
        """Note the deal that is played from now on."""
        self._dealt = Position(
            seats=case.seats,
            options=dict(case.changed),
            seed=seed,
            decisions=0,
            seat=None,
            move=None,
            table="(its process has ended)",
        )
        self.at(0, None)

    def at(self, taken: int, seat: int | None) -> None:
        """Note how many decisions were made, and who decides."""
        now = msgspec.structs.replace(self._dealt, decisions=taken, seat=seat)
        os.pwrite(self._file, msgspec.json.encode(now) + b"\n", 0)

    def position(self) -> Position | None:
        """Return what was noted last; None if no deal was."""
        line, _, _ = os.pread(self._file, os.fstat(self._file).st_size, 0).partition(b"\n")
        return msgspec.json.decode(line, type=Position) if line else None


Choose = Callable[[Game, int], Move]
"""How a move is found for a seat."""
Shown = dict[str, str]
"""All that a game shows, by what it is."""

MOST_DECISIONS = 20_000
"""More than a play of most games can take."""
_LEAST = 12
"""Plays that every step looks at: of fewer cases, several deals are played."""


class GameTrial:
    """A game, what it is tried with, and how far that has come."""

    def __init__(
        self,
        kind: type[Game],
        cases: Sequence[Case] | None = None,
        *,
        seats: Sequence[int] = (),
        seed: str = "conformance",
        thorough: bool = False,
        most_decisions: int = MOST_DECISIONS,
        trace: Trace | None = None,
    ) -> None:
        self.kind = kind
        self.seed = seed
        self.most_decisions = most_decisions
        self.beats = 0
        """Rises with every step of every play: as long as it does, nothing hangs."""
        self.printed = Printed()
        """What the game has printed."""
        self._cases = cases
        self._trace = trace
        self._seats = seats
        self._are_given = cases is not None
        self._is_thorough = thorough
        self._case: Case | None = None
        self._game: Game | None = None
        self._seed = seed
        self._taken = 0
        self._seat: int | None = None
        self._move: Any = None

    @property
    def all_cases(self) -> Sequence[Case]:
        """All that the game can be tried with, for what comes up seldom."""
        if self._cases is None:
            self._cases = cases_of(self.kind, self._seats)
        return self._cases

    @property
    def cases(self) -> Sequence[Case]:
        """What the game is tried with."""
        found = [*self.all_cases]
        if self._are_given:
            return found
        if len(found) > _LEAST:
            return found if self._is_thorough else found[::3]
        deals = range(_LEAST // len(found))
        return [replace(case, deal=deal) for deal in deals for case in found]

    def new(self, case: Case, seed: str | None = None, chance: type[Chance] = Chance) -> Game:
        """Return a game as it is dealt; flaws show in it from now on."""
        self.beats += 1
        self._case = case
        self._seed = seed or (f"{self.seed} {case.deal}" if case.deal else self.seed)
        self._taken, self._seat, self._move, self._game = 0, None, None, None
        if self._trace is not None:
            self._trace.begin(case, self._seed)
        self._game = case.new(self._seed, chance)
        return self._game

    def recorded(self, case: Case, seed: str | None = None) -> tuple[Game, RecordedChance]:
        """Return a game as it is dealt, and its chance, which remembers what was drawn."""
        game = self.new(case, seed, RecordedChance)
        assert isinstance(game.chance, RecordedChance)
        return game, game.chance

    def plays(self, choosing: Callable[[], Choose]) -> Iterator[tuple[Game, int, Move]]:
        """Play each case to its end: yield the game with what `moments` does."""
        for case in self.cases:
            game = self.new(case)
            for seat, move in self.moments(game, choosing()):
                yield game, seat, move

    def moments(self, game: Game, choose: Choose) -> Iterator[tuple[int, Move]]:
        """Play `game` to its end, yielding each seat and its move before the move is made."""
        taken = 0
        while seats := game.deciders():
            moves: dict[int, Move] = {}
            for seat in seats:
                self.at(game, taken, seat)
                moves[seat] = choose(game, seat)
                self.at(game, taken, seat, moves[seat])
                yield seat, moves[seat]
            taken = self.carry_out(game, taken, moves)
            if taken > self.most_decisions:
                raise Flaw(
                    f"a play is not over after {self.most_decisions} decisions",
                    "let every play end, whatever is chosen: bound the rounds with an option and"
                    " give a reason of its own, or allow more decisions if they are meant",
                )

    def chosen(self, game: Game, taken: int, choose: Choose) -> dict[int, Move]:
        """Return a move of every decider."""
        moves = {}
        for seat in game.deciders():
            self.at(game, taken, seat)
            moves[seat] = choose(game, seat)
        return moves

    def carry_out(self, game: Game, taken: int, moves: Mapping[int, Move]) -> int:
        """Carry out the moves of a step; return how many decisions were taken with them."""
        self.at(game, taken, None)
        game.apply(moves)
        self.at(game, taken + len(moves), None)
        return taken + len(moves)

    def at(self, game: Game, taken: int, seat: int | None, move: Any = None) -> None:
        """Note where a play has come to."""
        self.beats += 1
        self._game, self._taken, self._seat, self._move = game, taken, seat, move
        if self._trace is not None:
            self._trace.at(taken, seat)

    def finish(self, game: Game, choose: Choose) -> int:
        """Play `game` to its end; return the number of decisions."""
        return sum(1 for _ in self.moments(game, choose))

    def record(self, game: Game, choose: Choose) -> list[tuple[Shown, str]]:
        """Play `game`; return what it shows before each step, with the moves of the step."""
        steps: list[tuple[Shown, str]] = []
        taken = 0
        while game.deciders() and taken <= self.most_decisions:  # the steps on ends say so
            shown = everything(game)
            moves = self.chosen(game, taken, choose)
            steps.append((shown, json.dumps([*moves.items()])))
            taken = self.carry_out(game, taken, moves)
        return [*steps, (everything(game), "")]

    def position(self) -> Position | None:
        """Return where the last play has come to."""
        if self._case is None:
            return None
        return Position(
            seats=self._case.seats,
            options=dict(self._case.changed),
            seed=self._seed,
            decisions=self._taken,
            seat=self._seat,
            move=_as_json(self._move),
            table=self._table(),
        )

    def _table(self) -> str:
        if self._game is None:
            return "(it could not be dealt)"
        try:
            return self._game.text()
        except GAME_ERRORS as error:  # the game that is tried may raise anything
            return f"(its text cannot be shown: {type(error).__name__}: {error})"


def _as_json(value: Any) -> Any:
    """Return a move as it is if it is JSON, or else as Python writes it."""
    try:
        return msgspec.json.decode(msgspec.json.encode(value))
    except (TypeError, ValueError):
        return repr(value)


def sampling(seed: object = 1) -> Choose:
    """Return a chooser of random moves."""
    dice = Dice(str(seed))
    return lambda game, seat: game.sample(seat, dice)


def defaulting(game: Game, seat: int) -> Move:
    """Return the move that stands in for a missing one."""
    return game.default(seat)


def mixing(seed: object = 1) -> Choose:
    """Return a chooser of random moves and defaults by turns."""
    dice = Dice(str(seed))
    return lambda game, seat: game.sample(seat, dice) if dice.random() < 0.5 else game.default(seat)


def read(game: Game, seat: int, move: Move) -> Move:
    """Return a legal move as it is recorded; raise Flaw if it is refused."""
    found = game.read(seat, move)
    if isinstance(found, str):
        raise Flaw(f"the legal move {short(move)} of seat {seat} is refused: {found}")
    return found


@cache
def schemas_of(kind: type[Game]) -> dict[str, Schema]:
    """Return every decision's name and the JSON Schema of its move."""
    return kind.schemas()


def judge(game: Game, seat: int, move: Any) -> str | None:
    """Return why a raw move is refused, as a match would; None if it is accepted.

    Raises Flaw if that changes the move, or if the reason is none that can be sent.
    """
    before = repr(move)
    reason = game.refusal(seat, move)
    if repr(move) != before:
        raise Flaw(f"check has changed the move {short(before)} to {short(move)}")
    if reason is None:
        return None
    if not isinstance(reason, str) or not reason.strip():
        raise Flaw(f"check refuses {short(before)} with {reason!r}, which is no reason in words")
    try:
        reason.encode()
    except UnicodeEncodeError:
        raise Flaw(
            f"the refusal of {short(before)} holds half a surrogate pair, which cannot be sent",
            "quote what a bot sent with repr: f'{word!r}'",
        ) from None
    return reason


def looks_of(game: Game, seat: int | None) -> dict[str, Any]:
    """Return how the table looks to `seat`, or with all cards open, by what it is.

    A text that is nothing but the drawing of the scene says no more than what is returned; to draw
    it each time would take most of the time of all steps. The step `text` draws it.
    """
    looks: dict[str, Any] = {"scene": msgspec.to_builtins([*game.scene(seat)])}
    if type(game).text is Game.text:
        looks["names of the seats"] = [game.called(each) for each in range(game.seats)]
    else:
        looks["text"] = game.text(seat)
    return looks


def everything(game: Game) -> Shown:
    """Return all that `game` shows to anybody."""
    seats = range(game.seats)
    shown: dict[str, Any] = {f"the view of seat {seat}": plain(game.view(seat)) for seat in seats}
    for seat in (None, *seats):
        whose = "with all cards open" if seat is None else f"for seat {seat}"
        shown |= {f"the {what} {whose}": each for what, each in looks_of(game, seat).items()}
    shown["who decides"] = [*game.deciders()]
    for seat in game.deciders():
        shown[f"the decision of seat {seat}"] = game.decision(seat)
        shown[f"the default move of seat {seat}"] = game.default(seat)
    if not game.deciders():
        shown["the places"] = game.places()
    shown["the reason"] = game.reason
    return {what: snapshot(each) for what, each in shown.items()}


def known(game: Game, seat: int, probes: Sequence[Move]) -> Shown:
    """Return all that `seat` can find out at this moment, by asking or by trying `probes`."""
    return answered(game, seat, probes) | seen(game, seat)


def seen(game: Game, seat: int) -> Shown:
    """Return how the table looks to `seat`."""
    return {f"its {what}": snapshot(each) for what, each in looks_of(game, seat).items()}


def answered(game: Game, seat: int, probes: Sequence[Move]) -> Shown:
    """Return the view of `seat`, what it is asked, and the answers to `probes` as its moves."""
    facts: dict[str, Any] = {"its view": plain(game.view(seat))}
    if seat in game.deciders():
        facts["its decision"] = game.decision(seat)
        facts["its default move"] = game.default(seat)
        for probe in probes:
            reason = judge(game, seat, probe)
            facts[f"the answer to {short(probe)}"] = reason
            if reason is None:
                facts[f"the description of {short(probe)}"] = game.describe(seat, probe)
    return {what: snapshot(each) for what, each in facts.items()}


def difference(one: Shown, other: Shown) -> str | None:
    """Return what differs first between two showings, with the places; None if nothing."""
    for what in {**one, **other}:
        before, after = one.get(what, "nothing"), other.get(what, "nothing")
        if before != after:
            at = next(
                (at for at, (a, b) in enumerate(zip(before, after, strict=False)) if a != b),
                min(len(before), len(after)),
            )
            begin = max(0, at - 30)
            return f"{what}: …{before[begin : at + 40]}… and …{after[begin : at + 40]}…"
    return None


def random(trial: GameTrial, words: object = "") -> Random:
    """Return dice for a step, the same whenever it is tried with the same seed."""
    return Dice(f"{trial.seed} {words}")
