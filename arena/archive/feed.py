"""The messages that a seat was sent in a match: as lines, or for a bot that answers again."""

import copy
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import msgspec

from arena.league.file import with_game
from arena.league.plan import LeaguePlan
from arena.schedule.deal import BotIndex, Entrant, Schedule
from arena.store.rows import FixedSettings, WholeMatch
from arena.store.store import Store
from arena.text import counted
from protocol.errors import ArenaError, RunError
from protocol.lines import encode
from protocol.messages import VERSION, Ask, End, Hello, Start
from referee.limits import NO_GRANT, Limits, MatchLimits
from referee.match.judging import fault_of
from referee.match.match import starts, with_samples
from referee.match.replay import Entry, game_of, steps
from referee.match.seat import ProcessSeat
from referee.rules.game import Decision, Game, Move, Observation, plain
from referee.turn.answer import FATAL, Fault
from referee.turn.bot_process import BotProcess
from referee.turn.clock import Clock


@dataclass(frozen=True)
class Asked:
    """One decision as a seat was asked it, and what was recorded then.

    The game stands where it stood then, until the next one is taken from the feed.
    """

    number: int
    """The number of the decision in the match, from 1, as `arena show` counts."""
    id: int
    """The id of the ask."""
    game: Game
    decision: Decision
    view: Observation
    clock: Clock
    entry: Entry

    @property
    def line(self) -> bytes:
        """What the bot was sent."""
        return encode(
            Ask(
                id=self.id,
                decision=self.decision.name,
                view=self.view,
                legal=self.decision.legal,
                limits=self.decision.limits,
                samples=self.decision.samples,
                clock=self.clock.left,
            )
        )


@dataclass(frozen=True)
class Feed:
    """All that one seat was sent in a match, from `hello` to `end`.

    What was left in a bank is worked out from the times kept, so it is right to the millisecond.
    """

    opened: WholeMatch
    game: type[Game]
    seat: int
    played_with: MatchLimits
    """The limits of the seat's bot in the match, if what it is granted was not changed since."""
    hello: Hello
    start: Start

    @property
    def limits(self) -> Limits:
        """The same for a bot that is run again."""
        return self.played_with.again

    @property
    def end(self) -> End:
        """How the match ended."""
        return End(self.opened.replay.places, self.opened.replay.reason)

    def lines(self) -> Iterator[bytes]:
        """Yield what the bot was sent, in order."""
        yield encode(self.hello)
        yield encode(self.start)
        for asked in self.asks():
            yield asked.line
        yield encode(self.end)

    def asks(self) -> Iterator[Asked]:
        """Yield what the seat was asked until the match ended or it forfeited.

        Raises ArenaError where the record does not fit the rules.
        """
        evidence, replay = self.opened.evidence, self.opened.replay
        clock = Clock(self.start.clock, self.played_with.threads)
        absent = [entry.seat for entry in replay.entries if entry.move is None]
        number, known = len(absent), 0
        wanted = evidence.samples.get(self.seat, 0)
        if self.seat in absent:
            return
        for game, step in steps(replay, self.game):
            for entry in step:
                number += 1
                if entry.seat != self.seat:
                    continue
                known += 1
                decision = game.decision(self.seat)
                decision = with_samples(game, self.seat, decision, known, wanted)
                view = plain(game.view(self.seat))
                yield Asked(number, known, game, decision, view, copy.copy(clock), entry)
                wall = evidence.wall[number - 1] - evidence.waited.get(number - 1, 0)
                clock.spend(evidence.cpu[number - 1] / 1e6, wall / 1e6)
                if entry.fault is not None and entry.fault.forfeit:
                    return


def feed_of(league: LeaguePlan, opened: WholeMatch, seat: int) -> Feed:
    """Return what a seat was sent in a match of a league, by the settings it was played with.

    Raises ArenaError if it was played by other rules than those here.
    """
    opened.check_seat(seat)
    rules = with_game(league).rules
    assert rules is not None
    game = game_of(opened.replay, rules)
    with Store(league.database) as store:  # by key, on which a bot's own dice depend
        bots = store.find(opened.match.id).bots
        settings = msgspec.convert(store.settings.all(), FixedSettings)
    holder = next((bot for bot in league.bots if bot.key == bots[seat].name), None)
    grant = NO_GRANT if holder is None else holder.grant
    limits = grant.of(settings.limits.again).of_matches
    entrants = sorted(
        (Entrant(bot.name, bot.version) for bot in bots), key=lambda entrant: entrant.key
    )
    schedule = Schedule(
        settings.game, settings.key, settings.seats, settings.rotations, tuple(entrants)
    )
    seeds = [
        schedule.bot_seed(opened.match.id, BotIndex(entrants.index(Entrant(bot.name, bot.version))))
        for bot in bots
    ]
    names = league.names
    return Feed(
        opened=opened,
        game=rules,
        seat=seat,
        played_with=limits,
        hello=Hello(VERSION, names.get(bots[seat].name, bots[seat].name), limits.threads),
        start=starts(game, opened.match.id, limits.time_control, seeds)[seat],
    )


@dataclass(frozen=True)
class Again:
    """A decision asked again, and what came of it now: a legal move, or a fault."""

    asked: Asked
    move: Move | None
    fault: Fault | None
    words: str
    """The move in words."""
    note: str | None
    heard: bytes
    """The line of the answer."""

    @property
    def as_recorded(self) -> bool:
        """Whether it is the move of the match, or a fault of the same kind as there."""
        then = self.asked.entry
        if self.fault is None or then.fault is None:
            return self.fault == then.fault and self.move == then.move
        return self.fault.kind == then.fault.kind


def ask_again(feed: Feed, process: BotProcess) -> Iterator[Again]:
    """Ask a bot that is ready what the feed holds; yield its answer to each ask.

    Whatever it answers, the match goes on as it was recorded. A fault does not stop it unless the
    process cannot be asked any more.
    """
    seat = ProcessSeat(process)
    if (fault := seat.start(feed.start)) is not None:
        raise RunError(f"the bot did not take the start of the match: {fault.reason}.")
    for asked in feed.asks():
        again = _judged(feed.seat, asked, seat)
        yield again
        if again.fault is not None and again.fault.kind in FATAL:
            break
    seat.end(feed.end)


def _judged(number: int, asked: Asked, seat: ProcessSeat) -> Again:
    game = asked.game
    seat.clock = copy.copy(asked.clock)
    decision = with_samples(game, number, game.decision(number), asked.id, seat.samples)
    answer = seat.ask(decision, asked.view)
    read: Move | str = ""
    if answer.move is not None:
        read = game.read_answer(decision.name, number, answer.move)
    if isinstance(read, str):
        return Again(asked, None, fault_of(decision, answer, read), "", answer.note, seat.heard)
    return Again(asked, read, None, game.describe(number, read), answer.note, seat.heard)


def verdict(feed: Feed, answers: Sequence[Again]) -> str:
    """Return in one sentence how the answers compare with those of the match."""
    total = sum(1 for _ in feed.asks())
    if not total:
        return "The seat was not asked in this match."
    fine = [again for again in answers if again.fault is None]
    same = sum(again.as_recorded for again in fine)
    words = [f"{same} answered as recorded"]
    if same < len(fine):
        words.append(f"{len(fine) - same} differently")
    faults: dict[str, list[Again]] = {}
    for again in answers:
        if again.fault is not None:
            faults.setdefault(again.fault.kind, []).append(again)
    for kind, found in faults.items():
        first = found[0]
        assert first.fault is not None
        at = f"{'first ' if len(found) > 1 else ''}decision {first.asked.number}"
        then = ", as in the match" if first.as_recorded else ""
        words.append(f"{len(found)} {kind} ({at}{then}: {first.fault.reason})")
    if total > len(answers):
        words.append(f"{total - len(answers)} not asked any more")
    return f"{counted(total, 'decision')}: {', '.join(words)}"


def seat_of(opened: WholeMatch, name: str, seat: int | None) -> int:
    """Return the seat that is meant: the one asked for, or that of the bot of this name."""
    if seat is not None:
        return seat
    if name not in opened.names:
        seats = ", ".join(f"{number} {each}" for number, each in enumerate(opened.names))
        raise ArenaError(f"say which --seat: {name!r} did not play this match ({seats}).")
    return opened.names.index(name)
