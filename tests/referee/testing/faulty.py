"""Heights with one fault each: what a step of check-game is to find."""

import math
import os
import random
import signal
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from random import Random
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, Self

import msgspec
from msgspec import Meta

from referee.chance import Chance
from referee.form import AnyForm, Form
from referee.game import Decision, Game, Move, Observation, Options, twin
from tests.referee.testing.heights import CARDS, Heights, HeightsOptions, Turn


class Fault(NamedTuple):
    """A game with a fault, and the step that is to find it."""

    game: type[Game]
    step: str
    words: str


FAULTS: list[Fault] = []


def found_by(step: str, words: str) -> Callable[[type[Game]], type[Game]]:
    def note(game: type[Game]) -> type[Game]:
        FAULTS.append(Fault(game, step, words))
        return game

    return note


# --- hidden information


@found_by("hidden", "the view shows the next card of the deck")
class LeakInView(Heights):
    def view(self, seat: int) -> Observation:
        return {**super().view(seat), "deck": self.deck}


@found_by("hidden", "the order of keys in the view follows another hand")
class LeakInOrder(Heights):
    def view(self, seat: int) -> Observation:
        seats = sorted(range(self.seats), key=lambda each: max(self.hands[each]))
        return {**super().view(seat), "scores": {str(at): self.scores[at] for at in seats}}


@found_by("hidden", "the text for a seat shows all hands")
class LeakInText(Heights):
    def text(self, seat: int | None = None) -> str:
        return super().text()


@found_by("hidden", "a refusal says that another seat holds the card")
class LeakInRefusal(Heights):
    def check(self, seat: int, move: Move) -> str | None:
        reason = super().check(seat, move)
        if reason and any(move.get("card") in hand for hand in self.hands):
            return "another seat holds it"
        return reason


@found_by("hidden", "the order of the legal moves follows the deck")
class LeakInLegal(Heights):
    def legal(self, seat: int) -> list[Move]:
        moves = super().legal(seat)
        return moves[::-1] if self.deck and self.deck[-1] > 6 else moves


@found_by("hidden", "the default move follows another hand")
class LeakInDefault(Heights):
    def default(self, seat: int) -> Move:
        if sum(self.hands[seat - 1]) > 12:
            return {"action": "play", "card": self.hands[seat][0]}
        return super().default(seat)


@found_by("hidden", "the description of a move says what the die will show")
class LeakInDescription(Heights):
    def describe(self, seat: int, move: Move) -> str:
        return f"{super().describe(seat, move)}; {sum(self.hands[seat - 1])} against it"


@found_by("enough", "a leak in the text, in a game without resample")
class LeakInTextUnsaid(Heights):
    def resample(self, seat: int, rng: Random) -> Self | None:
        return None

    def text(self, seat: int | None = None) -> str:
        return super().text()


@found_by("enough", "a leak in refusals, in a game without resample")
class LeakInRefusalUnsaid(Heights):
    def resample(self, seat: int, rng: Random) -> Self | None:
        return None

    def check(self, seat: int, move: Move) -> str | None:
        reason = super().check(seat, move)
        return f"{reason}; the next card is {self.deck[-1:]}" if reason else None


@found_by("resample", "resample changes the game that it is called of")
class ResampleInPlace(Heights):
    def resample(self, seat: int, rng: Random) -> Self | None:
        rng.shuffle(self.deck)
        return twin(self, rng)


@found_by("resample", "resample leaves the dice to come")
class ResampleSameDice(Heights):
    def resample(self, seat: int, rng: Random) -> Self | None:
        return twin(self)


@found_by("hidden", "resample changes what the seat has seen")
class ResampleTooMuch(Heights):
    def resample(self, seat: int, rng: Random) -> Self | None:
        other = twin(self, rng)
        rng.shuffle(other.discards)
        return other


# --- chance


@found_by("events", "every reshuffle has the same name")
class UnkeyedShuffle(Heights):
    def renewed(self) -> list[int]:
        return self.chance.arranged(self.discards, CARDS, "reshuffle")


@found_by("keyed", "rolls are counted")
class CountedRolls(Heights):
    rolls = 0

    def roll(self, seat: int) -> int:
        self.rolls += 1
        return self.chance.die(self.options.sides, "roll", self.rolls)


@found_by("keyed", "the pile at hand is shuffled")
class PileAtHand(Heights):
    def renewed(self) -> list[int]:
        return self.chance.shuffled(self.discards, "reshuffle", self.reshuffles)


@found_by("keyed", "one counter numbers rolls and shuffles")
class CountedDraws(Heights):
    draws = 0

    def roll(self, seat: int) -> int:
        self.draws += 1
        return self.chance.die(self.options.sides, "draw", self.draws)

    def draw(self) -> int:
        self.draws += 1
        pile = self.chance.shuffled([*self.deck, *self.discards], "draw", self.draws)
        self.deck, self.discards = pile, []
        return self.deck.pop()


@found_by("world", "the die is random.randint")
class RandomModule(Heights):
    def roll(self, seat: int) -> int:
        return random.randint(1, self.options.sides)


@found_by("world", "a generator of its own, fed with the seed")
class OwnGenerator(Heights):
    def __init__(self, *, seats: int, options: Options, chance: Chance) -> None:
        super().__init__(seats=seats, options=options, chance=chance)
        self.rng = Random(chance.seed)

    def roll(self, seat: int) -> int:
        return self.rng.randint(1, self.options.sides)


@found_by("world", "the clock decides")
class Clock(Heights):
    def roll(self, seat: int) -> int:
        return int(time.time()) % self.options.sides + 1


@found_by("draws", "the die is rolled when somebody looks")
class RollsWhenSeen(Heights):
    def view(self, seat: int) -> Observation:
        coming = self.chance.die(6, "seen", self.turn, seat)
        return {**super().view(seat), "coming": coming}


@found_by("seeds", "has_chance is False, and dice are rolled")
class ChanceDenied(Heights):
    has_chance = False


@found_by("processes", "the deck comes from a set of text")
class SetOrder(Heights):
    def shuffled(self) -> list[int]:
        cards = [int(card) for card in {str(card) for card in CARDS}]
        return self.chance.shuffled(cards, "deck")


@found_by("processes", "the hash of text decides")
class HashOfText(Heights):
    def roll(self, seat: int) -> int:
        return hash(f"{self.turn} {seat}") % self.options.sides + 1


# --- shared state


@found_by("alone", "a list of the class")
class ListOfTheClass(Heights):
    played: ClassVar[list[int]] = []

    def roll(self, seat: int) -> int:
        self.played.append(seat)
        return len(self.played) % 6 + 1


@found_by("alone", "a list as a default argument")
class ListAsDefault(Heights):
    def roll(self, seat: int, rolled: list[int] = []) -> int:  # noqa: B006 - the fault
        rolled.append(seat)
        return len(rolled) % 6 + 1


_ROLLS = {"made": 0}


@found_by("alone", "a counter of the module")
class CounterOfTheModule(Heights):
    def roll(self, seat: int) -> int:
        _ROLLS["made"] += 1
        return _ROLLS["made"] % 6 + 1


# --- views


@found_by("enough", "the view forgets the hand")
class ForgetsHand(Heights):
    def view(self, seat: int) -> Observation:
        view = super().view(seat)
        del view["hand"]
        return view


@found_by("enough", "the view forgets the points")
class ForgetsPoints(Heights):
    def view(self, seat: int) -> Observation:
        view = super().view(seat)
        return {key: value for key, value in view.items() if key not in ("scores", "last")}

    def text(self, seat: int | None = None) -> str:
        return f"turn {self.turn}"


@found_by("json", "a tuple in the view")
class TupleInView(Heights):
    def view(self, seat: int) -> Observation:
        return {**super().view(seat), "hand": (*self.hands[seat],)}


@found_by("json", "a set in the view")
class SetInView(Heights):
    def view(self, seat: int) -> Observation:
        return {**super().view(seat), "hand": {*self.hands[seat]}}


@found_by("json", "NaN in the view")
class NanInView(Heights):
    def view(self, seat: int) -> Observation:
        mean = sum(self.scores) / self.turn if self.turn else math.nan
        return {**super().view(seat), "mean": mean}


@found_by("json", "ready JSON of two lines in the view")
class TwoLinesInView(Heights):
    def view(self, seat: int) -> Observation:
        return {**super().view(seat), "scores": msgspec.Raw(b'{"seat_0":1,\n"seat_1":2}')}


@found_by("json", "ready JSON in the view that cannot be read")
class HalfInView(Heights):
    def view(self, seat: int) -> Observation:
        return {**super().view(seat), "scores": msgspec.Raw(b'{"seat_0":1,')}


@found_by("json", "numbers as keys in the view")
class NumbersAsKeys(Heights):
    def view(self, seat: int) -> Observation:
        return {**super().view(seat), "scores": dict(enumerate(self.scores))}


@found_by("json", "the view says another decision than is asked")
class OtherDecisionInView(Heights):
    def view(self, seat: int) -> Observation:
        return {**super().view(seat), "decision": "move" if seat in self.deciders() else None}


@found_by("json", "the view is of another seat")
class OtherSeatInView(Heights):
    def view(self, seat: int) -> Observation:
        return super().view(self.seats - 1 - seat)


@found_by("stable", "to look counts")
class LookingCounts(Heights):
    looks = 0

    def view(self, seat: int) -> Observation:
        self.looks += 1
        return {**super().view(seat), "looks": self.looks}


@found_by("stable", "check notes what was tried")
class CheckNotes(Heights):
    tried = 0

    def check(self, seat: int, move: Move) -> str | None:
        self.tried += 1
        return super().check(seat, move)

    def text(self, seat: int | None = None) -> str:
        return f"{super().text(seat)}\n{self.tried} tried"


@found_by("text", "a line of the text is too wide")
class WideText(Heights):
    def text(self, seat: int | None = None) -> str:
        return f"{super().text(seat)}\n{'-' * (78 + self.turn)}"


@found_by("text", "the text of the last seat raises")
class TextRaises(Heights):
    def text(self, seat: int | None = None) -> str:
        return super().text(seat) + str(self.hands[(seat or 0) + 1 if seat else 0][0])[:0]


# --- moves


@found_by("choice", "a legal move is listed twice")
class ListedTwice(Heights):
    def legal(self, seat: int) -> list[Move]:
        return [*super().legal(seat), {"action": "roll", "card": None}]


@found_by("legal", "an illegal move is listed")
class IllegalListed(Heights):
    def decision(self, seat: int) -> Decision:
        moves = [{"action": "play", "card": card} for card in CARDS]
        return Decision("turn", legal=[*moves, {"action": "roll", "card": None}])


@found_by("complete", "a legal move is not listed")
class LegalUnlisted(Heights):
    def legal(self, seat: int) -> list[Move]:
        moves = super().legal(seat)
        return moves[1:] if self.turn % 3 == 2 else moves


@found_by("choice", "a decision with one legal move is asked")
class NoChoice(Heights):
    def legal(self, seat: int) -> list[Move]:
        moves = super().legal(seat)
        return moves[-1:] if self.turn == 3 else moves

    def check(self, seat: int, move: Move) -> str | None:
        if move not in self.legal(seat):
            return "that is not to be done"
        return super().check(seat, move)


@found_by("ends-default", "the default move cannot be carried out")
class DefaultRaises(Heights):
    def default(self, seat: int) -> Move:
        return {"action": "pass"}


@found_by("ends-default", "the default move brings nothing on")
class DefaultEndless(Heights):
    def default(self, seat: int) -> Move:
        return {"action": "pass", "card": None}

    def apply(self, moves: Mapping[int, Move]) -> None:
        if next(iter(moves.values()))["action"] != "pass":
            super().apply(moves)


@found_by("defaults", "the default move holds a tuple")
class DefaultNotPlain(Heights):
    def default(self, seat: int) -> Move:
        return {"action": "roll", "card": None, "why": ("late",)}


@found_by("complete", "check raises where a card is not held")
class CheckRaises(Heights):
    def check(self, seat: int, move: Move) -> str | None:
        if move["action"] == "play" and move["card"] is not None:
            self.hands[seat].index(move["card"])
        return super().check(seat, move)


@found_by("mutilated", "check counts with a card that may be null")
class CheckCounts(Heights):
    def check(self, seat: int, move: Move) -> str | None:
        if move["action"] == "play" and move["card"] - 1 not in range(12):
            return "there is no such card"
        return super().check(seat, move)


@found_by("mutilated", "a form of its own accepts what the schema refuses")
class AcceptsMore(Heights):
    def read(self, seat: int, move: Move) -> Move | str:
        if move.get("action") == "roll":
            return {"action": "roll", "card": None}
        return super().read(seat, move)


@found_by("numbers", "a form of its own accepts true for 1 and 2.0 for 2")
class TrueForOne(Heights):
    def read(self, seat: int, move: Move) -> Move | str:
        if move.keys() == {"action", "card"} and isinstance(move["card"], int | float):
            return move if move["card"] in self.hands[seat] else "no card of yours"
        return super().read(seat, move)


class _Narrow(Turn, forbid_unknown_fields=True):
    card: Annotated[int | None, Meta(ge=1, le=11, description="The card to play; null to roll.")]


@found_by("legal", "the form refuses a legal card")
class FormTooNarrow(Heights):
    decisions: ClassVar[Mapping[str, AnyForm]] = {"turn": _Narrow}


@found_by("complete", "a refusal without words")
class NoWords(Heights):
    def check(self, seat: int, move: Move) -> str | None:
        return "" if super().check(seat, move) else None


class _Loose(Form):
    """Play a card or roll the die."""

    action: Annotated[Literal["play", "roll"], Meta(description="What to do.")]
    card: Annotated[int | None, Meta(ge=1, le=12, description="The card to play; null to roll.")]


@found_by("canonical", "fields that nobody reads are recorded")
class UnknownRecorded(Heights):
    decisions: ClassVar[Mapping[str, AnyForm]] = {"turn": _Loose}

    def read(self, seat: int, move: Move) -> Move | str:
        found = super().read(seat, move)
        return found if isinstance(found, str) else {**move, **found}


@found_by("mutilated", "the canonical move is refused")
class CanonicalRefused(Heights):
    def canonical(self, seat: int, move: Move) -> Move:
        return {key: value for key, value in move.items() if value is not None}


@found_by("handed", "apply changes the move")
class ApplyChangesMove(Heights):
    def apply(self, moves: Mapping[int, Move]) -> None:
        super().apply(moves)
        for move in moves.values():
            move.pop("card")


@found_by("handed", "the move itself is kept and shown")
class KeepsMove(Heights):
    kept: Move | None = None

    def apply(self, moves: Mapping[int, Move]) -> None:
        super().apply(moves)
        self.kept = next(iter(moves.values()))

    def view(self, seat: int) -> Observation:
        return {**super().view(seat), "kept": self.kept}


@found_by("handed", "its own legal moves are handed out")
class HandsOutOwn(Heights):
    def __init__(self, *, seats: int, options: Options, chance: Chance) -> None:
        super().__init__(seats=seats, options=options, chance=chance)
        self.rolls = {"action": "roll", "card": None}

    def default(self, seat: int) -> Move:
        return self.rolls


@found_by("samples", "a sample is refused")
class SampleRefused(Heights):
    def sample(self, seat: int, rng: Random) -> Move:
        if rng.random() < 0.1:
            return {"action": "play", "card": rng.choice(self.hands[seat - 1])}
        return super().sample(seat, rng)

    def apply(self, moves: Mapping[int, Move]) -> None:
        ((seat, move),) = moves.items()
        super().apply(
            moves if move["card"] in [*self.hands[seat], None] else {seat: self.default(seat)}
        )


@found_by("samples", "a legal move never comes up")
class SampleNarrow(Heights):
    def sample(self, seat: int, rng: Random) -> Move:
        return rng.choice(self.legal(seat)[1:])


@found_by("numbered", "all_moves lacks a card")
class NumbersLack(Heights):
    def all_moves(self) -> Iterable[tuple[str, list[Move]]]:
        for name, moves in super().all_moves():
            yield name, moves[1:]


@found_by("described", "a description has two lines")
class TwoLines(Heights):
    def describe(self, seat: int, move: Move) -> str:
        return f"seat {seat}\nplays"


@found_by("asked", "a decision is declared and never asked")
class NeverAsked(Heights):
    decisions: ClassVar[Mapping[str, AnyForm]] = {**Heights.decisions, "pass": Form}


@found_by("asked", "a decision is asked and not declared")
class Undeclared(Heights):
    def decision(self, seat: int) -> Decision:
        return Decision("turn" if self.turn < 4 else "late", legal=self.legal(seat))

    def view(self, seat: int) -> Observation:
        view = super().view(seat)
        return {**view, "decision": view["decision"] and self.decision(seat).name}


# --- the end


@found_by("ends-random", "a place too many")
class PlaceTooMany(Heights):
    def places(self) -> list[int]:
        return [*super().places(), self.seats + 1]


@found_by("ends-random", "places with a gap in front of them")
class PlacesWithGap(Heights):
    def places(self) -> list[int]:
        return [place + (place > 1) for place in super().places()]


@found_by("ends-random", "places from 0")
class PlacesFromZero(Heights):
    def places(self) -> list[int]:
        return [place - 1 for place in super().places()]


@found_by("places", "places are wrong only if seats are level")
class PlacesOfLevel(Heights):
    def places(self) -> list[int]:
        order = sorted({*self.scores}, reverse=True)
        return [1 + order.index(score) for score in self.scores]


@found_by("ends-random", "a game without an end")
class Endless(Heights):
    def apply(self, moves: Mapping[int, Move]) -> None:
        super().apply(moves)
        self.reason = ""
        self.last = self.last[-3:]


@found_by("ends-random", "a loop without an end")
class EndlessLoop(Heights):
    def draw(self) -> int:
        card = super().draw()
        while self.turn > 2:
            card = card % 12 + 1
        return card


@found_by("ends-random", "an exception after some turns")
class Raises(Heights):
    def apply(self, moves: Mapping[int, Move]) -> None:
        super().apply(moves)
        if self.turn == 5:
            self.scores[self.seats] += 1


@found_by("ends-random", "an exit of the process after some turns")
class Exits(Heights):
    def apply(self, moves: Mapping[int, Move]) -> None:
        super().apply(moves)
        if self.turn == 5:
            sys.exit()


@found_by("ends-random", "nobody decides, and it is not over")
class NobodyDecides(Heights):
    def deciders(self) -> Sequence[int]:
        return () if self.turn == 4 else super().deciders()


@found_by("ends-random", "over without a reason")
class NoReason(Heights):
    def apply(self, moves: Mapping[int, Move]) -> None:
        super().apply(moves)
        self.over = bool(self.reason)
        self.reason = ""

    def deciders(self) -> Sequence[int]:
        return () if getattr(self, "over", False) else (self.to_move,)


@found_by("ends-withdrawn", "who is withdrawn is waited for without an end")
class WithdrawHangs(Heights):
    def __init__(self, *, seats: int, options: Options, chance: Chance) -> None:
        super().__init__(seats=seats, options=options, chance=chance)
        self.out: set[int] = set()

    def withdraw(self, seat: int) -> None:
        self.out.add(seat)

    def apply(self, moves: Mapping[int, Move]) -> None:
        if len(self.out) == 1 and not self.out.isdisjoint(moves):
            return
        super().apply(moves)


@found_by("ends-empty", "the last seat that is withdrawn is missed")
class WithdrawLast(Heights):
    left = 0

    def withdraw(self, seat: int) -> None:
        self.left += 1
        self.scores[self.seats - self.left - (self.left == self.seats)] -= [1][
            self.left // self.seats
        ]


@found_by("deciders", "a seat decides twice")
class TwiceDecider(Heights):
    def deciders(self) -> Sequence[int]:
        return (*super().deciders(), *super().deciders())


@found_by("ends-random", "a seat decides that is not there")
class NoSuchSeat(Heights):
    def deciders(self) -> Sequence[int]:
        return [seat + (self.turn == 4) * self.seats for seat in super().deciders()]


# --- what it says of itself, and the rest


@found_by("fields", "the name is no plain word")
class BadName(Heights):
    name = "Heights!"


@found_by("fields", "the title is no sentence")
class BadTitle(Heights):
    title = "heights"


@found_by("fields", "the numbers of seats are a list")
class SeatsAsList(Heights):
    seat_counts = [2, 3]  # type: ignore[assignment]  # noqa: RUF012


class _Untold(HeightsOptions, frozen=True, kw_only=True):
    cards: Annotated[int, Meta(ge=1)] = 2


@found_by("options", "an option is not described")
class OptionUntold(Heights):
    options_type = _Untold


class _Idle(HeightsOptions, frozen=True, kw_only=True):
    jokers: Annotated[bool, Meta(description="Whether to play with jokers.")] = False


@found_by("effect", "an option is never read")
class OptionIgnored(Heights):
    options_type = _Idle


class _Untold(Form, forbid_unknown_fields=True):
    """Play a card or roll the die."""

    action: Literal["play", "roll"]
    card: int | None


@found_by("schemas", "a field of the reply is not described")
class FieldUntold(Heights):
    decisions: ClassVar[Mapping[str, AnyForm]] = {"turn": _Untold}


class _Worded(Turn, forbid_unknown_fields=True):
    card: Annotated[
        int | None,
        Meta(description="The card to play.", extra_json_schema={"requires": ["action"]}),
    ]


@found_by("schemas", "the schema has a keyword that there is not")
class SchemaWord(Heights):
    decisions: ClassVar[Mapping[str, AnyForm]] = {"turn": _Worded}


@found_by("table", "the table of the start changes")
class TableChanges(Heights):
    def table(self) -> dict[str, Any]:
        return {"cards": self.deck}


@found_by("silent", "it prints")
class Prints(Heights):
    def roll(self, seat: int) -> int:
        points = super().roll(seat)
        print("rolled", points)
        return points


@found_by("speed", "a view takes a third of a second")
class Slow(Heights):
    def view(self, seat: int) -> Observation:
        sum(range(18_000_000))
        return super().view(seat)


@found_by("alone", "the address of an object decides")
class Addresses(Heights):
    def roll(self, seat: int) -> int:
        return id(self) // 16 % self.options.sides + 1


# --- what ends the process that tries it


class Dies(Heights):
    def apply(self, moves: Mapping[int, Move]) -> None:
        super().apply(moves)
        if self.options.rounds == 3 and self.turn == 4:
            os.kill(os.getpid(), signal.SIGSEGV)
