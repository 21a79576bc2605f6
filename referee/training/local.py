"""Matches between functions in this process, for whoever trains a bot: no clock, no sandbox.

A bot is a function from a decision to a move, as for the kit; a trained function goes into a bot's
file unchanged.
"""

import json
import math
import random
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from time import monotonic
from typing import Any

import msgspec

from protocol.errors import ArenaError, ProtocolError
from protocol.messages import Start, read_reply
from referee.catalog.finding import is_path
from referee.catalog.loading import find_game
from referee.limits import Limits
from referee.match.match import Match, bot_seeds, samples_of, starts
from referee.match.replay import Entry, Replay
from referee.match.seat import Seat, play_match
from referee.rules.chance import Chance
from referee.rules.game import Decision, Game, Move, Observation, Options, plain
from referee.rules.options import check_seats, new_game, read_options
from referee.turn.answer import Answer, Fault, shown
from referee.turn.clock import Clock, Turn

_CONTROL = Limits().time_control
_SAMPLES = 4  # as the kits want

_encode = json.JSONEncoder(separators=(",", ":")).encode


class LocalMatch:
    """What holds for a whole match; the kit calls it `Match`."""

    __slots__ = ("clock", "game", "memory", "options", "rng", "seat", "seats", "seed", "table")

    def __init__(self, start: Start) -> None:
        self.game = start.game
        self.seat = start.seat
        self.seats = start.seats
        self.options: dict[str, Any] = msgspec.to_builtins(start.options)
        self.table: dict[str, Any] = msgspec.to_builtins(start.table)
        self.clock: dict[str, Any] = msgspec.to_builtins(start.clock)
        self.seed = start.seed
        self.rng = random.Random(start.seed)  # noqa: S311 - the bot's dice, those of the kit
        self.memory: dict[str, Any] = {}


class LocalAsk:
    """One decision asked of a bot, with the attributes and the values of the kit's `Ask`."""

    __slots__ = (
        *("_draw", "_samples", "clock", "decision", "game", "legal", "limits", "match", "memory"),
        *("note", "options", "rng", "seat", "seats", "seed", "table", "view"),
    )

    def __init__(
        self,
        match: LocalMatch,
        decision: Decision,
        view: Observation,
        draw: Callable[[], list[Move]],
    ) -> None:
        self.match = match
        self.game, self.options, self.table = match.game, match.options, match.table
        self.seat, self.seats = match.seat, match.seats
        self.seed, self.rng = match.seed, match.rng
        self.memory = match.memory
        self.decision = decision.name
        self.view = view
        self.legal: list[Move] = decision.legal or []
        self.limits: dict[str, Any] = decision.limits or {}
        self.clock: dict[str, Any] = _TIME_LEFT.copy()
        self.note = ""
        self._draw = draw
        self._samples: list[Move] | None = None

    @property
    def samples(self) -> list[Move]:
        """A few legal moves where none are listed, drawn when they are first asked for.

        Raises ArenaError if that is after the ask was answered, as the game has gone on then.
        """
        if self._samples is None:
            self._samples = [] if self.legal else self._draw()
        return self._samples


_TIME_LEFT: dict[str, Any] = msgspec.to_builtins(Clock(_CONTROL, threads=1).left)

Choose = Callable[[LocalAsk], Move]
"""A bot: what it answers to an ask."""


class Rotation(msgspec.Struct, frozen=True):
    """One match of a deal."""

    deal: int
    """The number of the deal, from 0."""
    seating: tuple[int, ...]
    """By seat, which of the bots sat there."""
    replay: Replay

    @property
    def points(self) -> list[float]:
        """By bot, its points in this match."""
        by_seat = points(self.replay.places)
        return [by_seat[self.seating.index(bot)] for bot in range(len(by_seat))]


class Score(msgspec.Struct, frozen=True):
    """A bot's points in many deals, as shares of 1."""

    points: float
    """The mean share of the other seats beaten."""
    error: float
    """The standard error of it, from the scatter of the deals; infinite for a single deal."""

    def __str__(self) -> str:
        return f"{100 * self.points:.1f} ± {100 * self.error:.1f} %"


def points(places: Sequence[int]) -> list[float]:
    """Return by seat the share of the other seats beaten, half for those tied with."""
    others = len(places) - 1
    return [
        (sum(place < other for other in places) + (places.count(place) - 1) / 2) / others
        for place in places
    ]


def play(
    game: str,
    bots: Sequence[Choose],
    *,
    seed: int | str = 1,
    options: Mapping[str, Any] | None = None,
    faults_allowed: int | None = None,
) -> Replay:
    """Play one match, a bot for each seat in their order; return the record of it.

    It is the match that `arena play` plays with this seed, if that has 16 hexadecimal digits or
    more; others it stretches. A refused move raises ArenaError, which names the decision, the
    move and the reason; with `faults_allowed` it is a fault as in a league. What a bot raises
    passes through. Raises ArenaError for an unknown game or option, and for a number of bots that
    cannot play the game.
    """
    kind, chosen = _chosen(game, bots, options)
    return _played(kind, chosen, bots, str(seed), faults_allowed)


def _chosen(
    game: str, bots: Sequence[Choose], options: Mapping[str, Any] | None
) -> tuple[type[Game], Options]:
    """Return a game and its options; raise ArenaError as `play` does."""
    kind = find_game(game) if is_path(game) else _of_a_name(game)
    check_seats(kind, len(bots))
    return kind, read_options(kind, options or {}, len(bots))


@cache
def _of_a_name(game: str) -> type[Game]:
    """Return a game that is no file's: to look through all that is installed takes some time."""
    return find_game(game)


def _played(
    kind: type[Game],
    options: Options,
    bots: Sequence[Choose],
    seed: str,
    faults_allowed: int | None,
) -> Replay:
    """Play one match of a game that was found."""
    dealt = new_game(kind, len(bots), options, seed)
    told = starts(dealt, f"local-{seed}", _CONTROL, bot_seeds(dealt))
    watch = _refuse if faults_allowed is None else None
    match = Match(dealt, faults_allowed or 0, watch=watch)
    return play_match(match, [_ChooserSeat(bot, dealt) for bot in bots], told).replay


def play_deals(
    game: str,
    bots: Sequence[Choose],
    *,
    deals: int = 100,
    seed: int | str = 1,
    options: Mapping[str, Any] | None = None,
    faults_allowed: int | None = None,
) -> Iterator[Rotation]:
    """Play every deal in all rotations of the seats, one match for each bot; yield the matches.

    The luck of the deal and of the seat is thus shared out, as in a league. `seed` stands for the
    whole series: another one has other deals. The rest is as for `play`.
    """
    if deals < 1:
        raise ArenaError(f"at least 1 deal is played, not {deals}.")
    kind, chosen = _chosen(game, bots, options)
    for deal in range(deals):
        dealt = f"{seed}/{deal}"
        order = Chance(dealt).shuffled(range(len(bots)), "seats")
        for first in range(len(bots)):
            seating = (*order[first:], *order[:first])
            seated = [bots[bot] for bot in seating]
            yield Rotation(deal, seating, _played(kind, chosen, seated, dealt, faults_allowed))


def score(
    game: str,
    bots: Sequence[Choose],
    *,
    deals: int = 100,
    seed: int | str = 1,
    options: Mapping[str, Any] | None = None,
    faults_allowed: int | None = None,
) -> list[Score]:
    """Play deals as `play_deals` does; return the points of each bot."""
    matches = play_deals(
        game, bots, deals=deals, seed=seed, options=options, faults_allowed=faults_allowed
    )
    by_match = [match.points for match in matches]
    return [_score(each, len(bots)) for each in zip(*by_match, strict=True)]


def _score(by_match: Sequence[float], rotations: int) -> Score:
    firsts = range(0, len(by_match), rotations)
    by_deal = [statistics.fmean(by_match[first : first + rotations]) for first in firsts]
    if len(by_deal) == 1:
        return Score(by_deal[0], math.inf)
    return Score(statistics.fmean(by_deal), statistics.stdev(by_deal) / math.sqrt(len(by_deal)))


def _refuse(game: Game, step: Sequence[Entry]) -> None:
    """Raise ArenaError if a move of this step was refused."""
    for entry in step:
        fault = entry.fault
        if fault is not None:
            sent = f"; sent: {fault.line}" if fault.kind == "malformed" else ""
            raise ArenaError(f"{game.name}, seat {entry.seat}, {fault.reason}{sent}")


class _ChooserSeat(Seat):
    """A seat held by a bot as the kit takes it; its moves are read as if from the wire."""

    def __init__(self, choose: Choose, game: Game) -> None:
        self._choose = choose
        self._game = game
        self._asks = 0
        self._open = 0  # the id of the ask that is being answered

    def start(self, start: Start) -> Fault | None:
        """Begin with an empty memory and the dice of the seed."""
        self._facts = LocalMatch(start)
        return None

    def ask(self, decision: Decision, view: Observation) -> Answer:
        """Call the function."""
        self._open = self._asks = self._asks + 1
        ask = LocalAsk(self._facts, decision, plain(view), partial(self._samples, self._open))
        began = monotonic()
        move = self._choose(ask)
        self._open = 0
        turn = Turn(began, monotonic())
        note = str(ask.note) if ask.note else None
        try:
            sent = _encode(move).encode()
            reply = read_reply(b'{"id":1,"move":%s}' % sent)
        except ProtocolError as error:
            return Answer(None, turn, Fault("malformed", str(error), shown(sent)), note)
        except (TypeError, ValueError) as error:  # the kit would end with it
            raise ArenaError(
                f"{ask.game}, seat {ask.seat}, {ask.decision}: {error}; sent: {move!r}"
            ) from None
        return Answer(reply.move, turn, None, note, sent)

    def _samples(self, asked: int) -> list[Move]:
        """Return the samples of an ask that is still open."""
        if asked != self._open:
            raise ArenaError("the samples of an ask must be read before it is answered.")
        samples = samples_of(self._game, self._facts.seat, asked, _SAMPLES)
        return [plain(move) for move in samples]
