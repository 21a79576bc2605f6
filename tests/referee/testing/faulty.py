"""Heights with one fault each: what a step of check-game is to find.

A function is Heights with another method, by the first word of its name; a class that inherits
has more of them, and one that does not holds such functions.
"""

import math
import os
import random
import signal
import sys
import time
from collections.abc import Callable, Mapping
from random import Random
from typing import Annotated, Any, Literal, NamedTuple

import msgspec
from msgspec import Meta

from referee.rules.chance import Chance
from referee.rules.form import Form
from referee.rules.game import Decision, Game, Move, Observation, Options, twin
from tests.referee.testing.heights import CARDS, Heights, HeightsOptions, Turn


class Fault(NamedTuple):
    """A game with a fault, and the step that is to find it."""

    game: type[Game]
    step: str
    words: str


FAULTS: list[Fault] = []


def fault(step: str, words: str, **members: Any) -> type[Game]:
    """Note a game that has other members than Heights; what it `shows` is added to its view."""
    if shows := members.pop("shows", None):
        members["view"] = lambda game, seat: {**Heights.view(game, seat), **shows(game, seat)}
    made = type(f"Faulty{len(FAULTS)}", (Heights,), {**members, "__module__": __name__})
    globals()[made.__name__] = made  # where other processes look for it
    return found_by(step, words)(made)


def found_by(step: str, words: str, **members: Any) -> Callable[[Any], type[Game]]:
    """Note a game with a fault, or a method that makes one of Heights."""

    def note(made: Any) -> type[Game]:
        if not isinstance(made, type):
            return fault(step, words, **{made.__name__.partition("_")[0]: made}, **members)
        FAULTS.append(Fault(made, step, words))
        return made

    return note


ROLL: Move = {"action": "roll", "card": None}
PLAYS: list[Move] = [{"action": "play", "card": card} for card in CARDS]


def without(game: Heights, seat: int, *names: str) -> Observation:
    return {key: value for key, value in Heights.view(game, seat).items() if key not in names}


def count(game: Any) -> int:
    game.counted = getattr(game, "counted", 0) + 1
    return int(game.counted)


@found_by("hidden", "the view shows the next card of the deck")
class LeakInView(Heights):
    def view(self, seat: int) -> Observation:
        return {**super().view(seat), "deck": self.deck}


class HiddenInformation:
    @found_by("hidden", "the order of keys in the view follows another hand")
    def view_in_order(self, seat: int) -> Observation:
        seats = sorted(range(self.seats), key=lambda each: max(self.hands[each]))
        return {**Heights.view(self, seat), "scores": {str(at): self.scores[at] for at in seats}}

    @found_by("hidden", "the text for a seat shows all hands")
    def text_of_all(self, seat: int | None = None) -> str:
        return Heights.text(self)

    @found_by("hidden", "a refusal says that another seat holds the card")
    def check_all_hands(self, seat: int, move: Move) -> str | None:
        reason = Heights.check(self, seat, move)
        if reason and any(move.get("card") in hand for hand in self.hands):
            return "another seat holds it"
        return reason

    @found_by("hidden", "the order of the legal moves follows the deck")
    def legal_in_order(self, seat: int) -> list[Move]:
        moves = Heights.legal(self, seat)
        return moves[::-1] if self.deck and self.deck[-1] > 6 else moves

    @found_by("hidden", "the default move follows another hand")
    def default_by_hand(self, seat: int) -> Move:
        if sum(self.hands[seat - 1]) > 12:
            return {"action": "play", "card": self.hands[seat][0]}
        return Heights.default(self, seat)

    @found_by("hidden", "the description of a move says what the die will show")
    def describe_more(self, seat: int, move: Move) -> str:
        return f"{Heights.describe(self, seat, move)}; {sum(self.hands[seat - 1])} against it"

    @found_by("enough", "a leak in the text, in a game without resample", resample=lambda *_: None)
    def text_unsaid(self, seat: int | None = None) -> str:
        return Heights.text(self)

    @found_by("enough", "a leak in refusals, in a game without resample", resample=lambda *_: None)
    def check_unsaid(self, seat: int, move: Move) -> str | None:
        reason = Heights.check(self, seat, move)
        return f"{reason}; the next card is {self.deck[-1:]}" if reason else None

    @found_by("resample", "resample changes the game that it is called of")
    def resample_in_place(self, seat: int, rng: Random) -> Game:
        rng.shuffle(self.deck)
        return twin(self, rng)

    @found_by("resample", "resample leaves the dice to come")
    def resample_same_dice(self, seat: int, rng: Random) -> Game:
        return twin(self)

    @found_by("hidden", "resample changes what the seat has seen")
    def resample_too_much(self, seat: int, rng: Random) -> Game:
        other = twin(self, rng)
        rng.shuffle(other.discards)
        return other


@found_by("events", "every reshuffle has the same name")
def renewed_unkeyed(self: Heights) -> list[int]:
    return self.chance.arranged(self.discards, CARDS, "reshuffle")


@found_by("keyed", "rolls are counted")
def roll_by_count(self: Heights, seat: int) -> int:
    return self.chance.die(self.options.sides, "roll", count(self))


@found_by("keyed", "the pile at hand is shuffled")
def renewed_at_hand(self: Heights) -> list[int]:
    return self.chance.shuffled(self.discards, "reshuffle", self.reshuffles)


@found_by("keyed", "one counter numbers rolls and shuffles")
class CountedDraws(Heights):
    def roll(self, seat: int) -> int:
        return self.chance.die(self.options.sides, "draw", count(self))

    def draw(self) -> int:
        pile = self.chance.shuffled([*self.deck, *self.discards], "draw", count(self))
        self.deck, self.discards = pile, []
        return self.deck.pop()


@found_by("world", "the die is random.randint")
def roll_at_random(self: Heights, seat: int) -> int:
    return random.randint(1, self.options.sides)


@found_by("world", "a generator of its own, fed with the seed")
class OwnGenerator(Heights):
    def __init__(self, *, seats: int, options: Options, chance: Chance) -> None:
        super().__init__(seats=seats, options=options, chance=chance)
        self.rng = Random(chance.seed)

    def roll(self, seat: int) -> int:
        return self.rng.randint(1, self.options.sides)


class Chances:
    @found_by("world", "the clock decides")
    def roll_by_clock(self, seat: int) -> int:
        return int(time.time()) % self.options.sides + 1

    @found_by("draws", "the die is rolled when somebody looks")
    def view_that_rolls(self, seat: int) -> Observation:
        coming = self.chance.die(6, "seen", self.turn, seat)
        return {**Heights.view(self, seat), "coming": coming}

    fault("seeds", "has_chance is False, and dice are rolled", has_chance=False)


@found_by("processes", "the deck comes from a set of text")
class SetOrder(Heights):
    def shuffled(self) -> list[int]:
        cards = [int(card) for card in {str(card) for card in CARDS}]
        return self.chance.shuffled(cards, "deck")


@found_by("processes", "the hash of text decides")
class HashOfText(Heights):
    def roll(self, seat: int) -> int:
        return hash(f"{self.turn} {seat}") % self.options.sides + 1


_ROLLS = {"made": 0}


class SharedState:
    @found_by("alone", "a list of the class", played=[])
    def roll_into_list(self, seat: int) -> int:
        self.played.append(seat)
        return len(self.played) % 6 + 1

    @found_by("alone", "a list as a default argument")
    def roll_into_default(self, seat: int, rolled: list[int] = []) -> int:  # noqa: B006 - the fault
        rolled.append(seat)
        return len(rolled) % 6 + 1

    @found_by("alone", "a counter of the module")
    def roll_and_count(self, seat: int) -> int:
        _ROLLS["made"] += 1
        return _ROLLS["made"] % 6 + 1


class Views:
    @found_by("enough", "the view forgets the hand")
    def view_without_hand(self, seat: int) -> Observation:
        return without(self, seat, "hand")

    @found_by("enough", "the view forgets the points", text=lambda game, _=0: f"turn {game.turn}")
    def view_without_points(self, seat: int) -> Observation:
        return without(self, seat, "scores", "last")

    fault("json", "a tuple in the view", shows=lambda game, seat: {"hand": (*game.hands[seat],)})
    fault("json", "a set in the view", shows=lambda game, seat: {"hand": {*game.hands[seat]}})

    @found_by("json", "NaN in the view")
    def view_with_nan(self, seat: int) -> Observation:
        mean = sum(self.scores) / self.turn if self.turn else math.nan
        return {**Heights.view(self, seat), "mean": mean}

    @found_by("json", "ready JSON of two lines in the view")
    def view_of_two_lines(self, seat: int) -> Observation:
        raw = msgspec.Raw(b'{"seat_0":1,\n"seat_1":2}')
        return {**Heights.view(self, seat), "scores": raw}

    @found_by("json", "ready JSON in the view that cannot be read")
    def view_of_half(self, seat: int) -> Observation:
        return {**Heights.view(self, seat), "scores": msgspec.Raw(b'{"seat_0":1,')}

    @found_by("json", "numbers as keys in the view")
    def view_with_numbers(self, seat: int) -> Observation:
        return {**Heights.view(self, seat), "scores": dict(enumerate(self.scores))}

    @found_by("json", "the view says another decision than is asked")
    def view_of_decision(self, seat: int) -> Observation:
        decision = "move" if seat in self.deciders() else None
        return {**Heights.view(self, seat), "decision": decision}

    @found_by("json", "the view is of another seat")
    def view_of_other(self, seat: int) -> Observation:
        return Heights.view(self, self.seats - 1 - seat)

    fault("stable", "to look counts", shows=lambda game, _: {"looks": count(game)})


@found_by("stable", "check notes what was tried")
class CheckNotes(Heights):
    tried = 0

    def check(self, seat: int, move: Move) -> str | None:
        self.tried += 1
        return super().check(seat, move)

    def text(self, seat: int | None = None) -> str:
        return f"{super().text(seat)}\n{self.tried} tried"


class _Narrow(Turn, forbid_unknown_fields=True):
    card: Annotated[int | None, Meta(ge=1, le=11, description="The card to play; null to roll.")]


class Texts:
    @found_by("text", "a line of the text is too wide")
    def text_too_wide(self, seat: int | None = None) -> str:
        return f"{Heights.text(self, seat)}\n{'-' * (78 + self.turn)}"

    @found_by("text", "the text of the last seat raises")
    def text_that_raises(self, seat: int | None = None) -> str:
        return Heights.text(self, seat) + str(self.hands[(seat or 0) + 1 if seat else 0][0])[:0]


class Moves:
    @found_by("choice", "a legal move is listed twice")
    def legal_twice(self, seat: int) -> list[Move]:
        return [*Heights.legal(self, seat), {**ROLL}]

    @found_by("legal", "an illegal move is listed")
    def decision_of_all(self, seat: int) -> Decision:
        return Decision("turn", legal=[*PLAYS, ROLL])

    @found_by("complete", "a legal move is not listed")
    def legal_unlisted(self, seat: int) -> list[Move]:
        return Heights.legal(self, seat)[self.turn % 3 == 2 :]


@found_by("choice", "a decision with one legal move is asked")
class NoChoice(Heights):
    def legal(self, seat: int) -> list[Move]:
        moves = super().legal(seat)
        return moves[-1:] if self.turn == 3 else moves

    def check(self, seat: int, move: Move) -> str | None:
        if move not in self.legal(seat):
            return "that is not to be done"
        return super().check(seat, move)


class Endings:
    fault(
        "ends-default", "the default move cannot be carried out", default=lambda *_: {"action": ""}
    )

    @found_by(
        "ends-default",
        "the default move brings nothing on",
        default=lambda *_: {"action": "pass", "card": None},
    )
    def apply_no_pass(self, moves: Mapping[int, Move]) -> None:
        if next(iter(moves.values()))["action"] != "pass":
            Heights.apply(self, moves)

    fault(
        "defaults", "the default move holds a tuple", default=lambda *_: {**ROLL, "why": ("late",)}
    )

    @found_by("complete", "check raises where a card is not held")
    def check_that_raises(self, seat: int, move: Move) -> str | None:
        if move["action"] == "play" and move["card"] is not None:
            self.hands[seat].index(move["card"])
        return Heights.check(self, seat, move)

    @found_by("mutilated", "check counts with a card that may be null")
    def check_that_counts(self, seat: int, move: Move) -> str | None:
        if move["action"] == "play" and move["card"] - 1 not in range(12):
            return "there is no such card"
        return Heights.check(self, seat, move)

    @found_by("mutilated", "a form of its own accepts what the schema refuses")
    def read_more(self, seat: int, move: Move) -> Move | str:
        return {**ROLL} if move.get("action") == "roll" else Heights.read(self, seat, move)

    @found_by("numbers", "a form of its own accepts true for 1 and 2.0 for 2")
    def read_numbers(self, seat: int, move: Move) -> Move | str:
        if move.keys() == {"action", "card"} and isinstance(move["card"], int | float):
            return move if move["card"] in self.hands[seat] else "no card of yours"
        return Heights.read(self, seat, move)

    fault("legal", "the form refuses a legal card", decisions={"turn": _Narrow})

    @found_by("complete", "a refusal without words")
    def check_without_words(self, seat: int, move: Move) -> str | None:
        return "" if Heights.check(self, seat, move) else None


class _Loose(Form):
    """Play a card or roll the die."""

    action: Annotated[Literal["play", "roll"], Meta(description="What to do.")]
    card: Annotated[int | None, Meta(ge=1, le=12, description="The card to play; null to roll.")]


class Records:
    @found_by("canonical", "fields that nobody reads are recorded", decisions={"turn": _Loose})
    def read_unknown(self, seat: int, move: Move) -> Move | str:
        found = Heights.read(self, seat, move)
        return found if isinstance(found, str) else {**move, **found}

    @found_by("mutilated", "the canonical move is refused")
    def canonical_refused(self, seat: int, move: Move) -> Move:
        return {key: value for key, value in move.items() if value is not None}

    @found_by("handed", "apply changes the move")
    def apply_and_change(self, moves: Mapping[int, Move]) -> None:
        Heights.apply(self, moves)
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
def default_of_own(self: Heights, seat: int) -> Move:
    return vars(self).setdefault("rolls", {**ROLL})


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


class Names:
    @found_by("samples", "a legal move never comes up")
    def sample_too_few(self, seat: int, rng: Random) -> Move:
        return rng.choice(self.legal(seat)[1:])

    fault("numbered", "all_moves lacks a card", all_moves=lambda _: [("turn", [*PLAYS[1:], ROLL])])
    fault("described", "a description has two lines", describe=lambda *_: "a seat\nplays")
    fault("asked", "a decision is declared and never asked", decisions={"turn": Turn, "pass": Form})


@found_by("asked", "a decision is asked and not declared")
class Undeclared(Heights):
    def decision(self, seat: int) -> Decision:
        return Decision("turn" if self.turn < 4 else "late", legal=self.legal(seat))

    def view(self, seat: int) -> Observation:
        view = super().view(seat)
        return {**view, "decision": view["decision"] and self.decision(seat).name}


class Places:
    @found_by("ends-random", "a place too many")
    def places_too_many(self) -> list[int]:
        return [*Heights.places(self), self.seats + 1]

    @found_by("ends-random", "places with a gap in front of them")
    def places_with_gap(self) -> list[int]:
        return [place + (place > 1) for place in Heights.places(self)]

    @found_by("ends-random", "places from 0")
    def places_from_zero(self) -> list[int]:
        return [place - 1 for place in Heights.places(self)]

    @found_by("places", "places are wrong only if seats are level")
    def places_of_level(self) -> list[int]:
        order = sorted({*self.scores}, reverse=True)
        return [1 + order.index(score) for score in self.scores]

    @found_by("ends-random", "a game without an end")
    def apply_without_end(self, moves: Mapping[int, Move]) -> None:
        Heights.apply(self, moves)
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


class Exits:
    @found_by("ends-random", "an exit of the process after some turns")
    def apply_and_exit(self, moves: Mapping[int, Move]) -> None:
        Heights.apply(self, moves)
        if self.turn == 5:
            sys.exit()

    @found_by("ends-random", "nobody decides, and it is not over")
    def deciders_none(self) -> list[int]:
        return [] if self.turn == 4 else [*Heights.deciders(self)]


@found_by("ends-random", "over without a reason")
class NoReason(Heights):
    over = False

    def apply(self, moves: Mapping[int, Move]) -> None:
        super().apply(moves)
        self.over = bool(self.reason)
        self.reason = ""

    def deciders(self) -> list[int]:
        return [] if self.over else [self.to_move]


@found_by("ends-withdrawn", "who is withdrawn is waited for without an end")
class WithdrawHangs(Heights):
    out: tuple[int, ...] = ()

    def withdraw(self, seat: int) -> None:
        self.out += (seat,)

    def apply(self, moves: Mapping[int, Move]) -> None:
        if len(self.out) != 1 or self.out[0] not in moves:
            super().apply(moves)


class Deciders:
    @found_by("ends-empty", "the last seat that is withdrawn is missed")
    def withdraw_last(self, seat: int) -> None:
        if count(self) == self.seats:
            raise IndexError(seat)

    @found_by("deciders", "a seat decides twice")
    def deciders_twice(self) -> list[int]:
        return [*Heights.deciders(self), *Heights.deciders(self)]

    @found_by("ends-random", "a seat decides that is not there")
    def deciders_elsewhere(self) -> list[int]:
        return [seat + (self.turn == 4) * self.seats for seat in Heights.deciders(self)]


class _Untold(HeightsOptions, frozen=True, kw_only=True):
    cards: Annotated[int, Meta(ge=1)] = 2


class _Idle(HeightsOptions, frozen=True, kw_only=True):
    jokers: Annotated[bool, Meta(description="Whether to play with jokers.")] = False


class _Bare(Form, forbid_unknown_fields=True):
    """Play a card or roll the die."""

    action: Literal["play", "roll"]
    card: int | None


class _Worded(Turn, forbid_unknown_fields=True):
    card: Annotated[
        int | None,
        Meta(description="The card to play.", extra_json_schema={"requires": ["action"]}),
    ]


fault("fields", "the name is no plain word", name="Heights!")
fault("fields", "the title is no sentence", title="heights")
fault("fields", "the numbers of seats are a list", seat_counts=[2, 3])
fault("options", "an option is not described", options_type=_Untold)
fault("effect", "an option is never read", options_type=_Idle)
fault("schemas", "a field of the reply is not described", decisions={"turn": _Bare})
fault("schemas", "the schema has a keyword that there is not", decisions={"turn": _Worded})
fault("table", "the table of the start changes", table=lambda game: {"cards": game.deck})


@found_by("silent", "it prints")
class Prints(Heights):
    def roll(self, seat: int) -> int:
        points = super().roll(seat)
        print("rolled", points)
        return points


@found_by("speed", "a view takes a third of a second")
def view_slowly(self: Heights, seat: int) -> Observation:
    sum(range(18_000_000))
    return Heights.view(self, seat)


@found_by("alone", "the address of an object decides")
def roll_by_address(self: Heights, seat: int) -> int:
    return id(self) // 16 % self.options.sides + 1


class Dies(Heights):
    """It ends the process that tries it."""

    def apply(self, moves: Mapping[int, Move]) -> None:
        super().apply(moves)
        if self.options.rounds == 3 and self.turn == 4:
            os.kill(os.getpid(), signal.SIGSEGV)
