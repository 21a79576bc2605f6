"""The seats of a match, where a bot or a function decides, and the loop that asks them."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from time import monotonic

from protocol.errors import ProtocolError
from protocol.lines import encode, encode_lines
from protocol.messages import NOTE_LIMIT, Ask, End, Reply, Start, read_reply
from referee.match.evidence import Played
from referee.match.match import Due, Match
from referee.rules.game import Decision, Move, Observation, plain
from referee.turn.answer import Answer, BotError, Fault, Kind, shown
from referee.turn.clock import Clock, Turn
from referee.turn.wire import Measured, Wire


class Seat(ABC):
    """What decides at one seat, for one match."""

    samples = 0
    """How many legal moves it wants to see of a decision that does not list them."""

    @abstractmethod
    def start(self, start: Start) -> Fault | None:
        """Begin the match; return a fault if the seat cannot play it."""

    @abstractmethod
    def ask(self, decision: Decision, view: Observation) -> Answer:
        """Ask for one decision; a seat that keeps the view makes it `plain` first."""

    def judged(self, *, forfeits: bool) -> None:  # noqa: B027 - only a process heeds it
        """Hear that its last answer was a fault, and whether it is asked no more."""

    def end(self, end: End) -> None:  # noqa: B027 - only a process needs a notice
        """Hear how the match ended."""

    def measured(self) -> Measured:
        """Return what was measured in this match, beside its turns."""
        return Measured()


class FunctionSeat(Seat):
    """A seat held by a function from a decision and a view to a move; it has no clock."""

    def __init__(self, choose: Callable[[Decision, Observation], Move]) -> None:
        self._choose = choose

    def start(self, start: Start) -> Fault | None:
        """Do nothing: a function keeps no state between matches."""
        return None

    def ask(self, decision: Decision, view: Observation) -> Answer:
        """Call the function."""
        view = plain(view)
        began = monotonic()
        move = self._choose(decision, view)
        return Answer(move, Turn(began, monotonic()))


class EmptySeat(Seat):
    """A seat whose bot could not be started: it forfeits before the first decision."""

    def __init__(self, reason: str, stderr: str) -> None:
        self._reason = reason
        self._stderr = stderr

    def start(self, start: Start) -> Fault | None:
        """Return the fault."""
        return Fault("startup", self._reason)

    def ask(self, decision: Decision, view: Observation) -> Answer:
        """Fail: this seat is never asked."""
        raise AssertionError("an empty seat was asked")

    def measured(self) -> Measured:
        """Return what was written before the bot failed."""
        return Measured(stderr=self._stderr)


class AbsentSeat(Seat):
    """A seat whose bot is not there to go on with a match that has begun: each ask is a fault."""

    def __init__(self, reason: str) -> None:
        self._reason = reason

    def start(self, start: Start) -> Fault | None:
        """Begin: what it answered before it was away counts."""
        return None

    def ask(self, decision: Decision, view: Observation) -> Answer:
        """Return the fault."""
        now = monotonic()
        return Answer(None, Turn(now, now), Fault("outage", self._reason))


class ProcessSeat(Seat):
    """A seat held by a bot, over the protocol and against the clock."""

    def __init__(self, process: Wire) -> None:
        self.process = process
        self.samples = process.samples
        self.then: Turn | None = None
        """What the next turn took when it was asked for the first time, if this is the second."""
        self._last_id = 0
        self._conversation: list[str] = []
        self._given_up: set[int] = set()
        self._sent = self.heard = b""
        """The last lines sent and heard."""
        self._before = (b"", b"")

    def start(self, start: Start) -> Fault | None:
        """Send the bot what it needs to know of the match."""
        self.clock = Clock(start.clock, self.process.threads)
        self.process.begin_match()
        self._sent = encode(start)
        try:
            self.process.send(self._sent)
        except BotError as error:
            return self._fault(error.kind, str(error))
        self.process.prepare()  # only now, so that the bot wakes but once
        return None

    def ask(self, decision: Decision, view: Observation) -> Answer:
        """Send the ask and wait for its reply as long as the clock allows."""
        self._last_id = number = self._last_id + 1
        process, clock = self.process, self.clock
        ask = Ask(
            id=number,
            decision=decision.name,
            view=view,
            legal=decision.legal,
            limits=decision.limits,
            samples=decision.samples,
            clock=clock.left,
        )
        line = encode_lines([ask])
        self._before = (self._sent, self.heard)
        self._sent = line
        fault = None
        try:
            self.heard = process.ask(line, clock)
            reply = read_reply(self.heard)
            if reply.id != number:
                reply = self._reply_after(reply)
        except (BotError, ProtocolError) as error:
            fault = self._fault_of(error)
        turn = process.close_turn()
        if (then := self.then) is not None:
            turn = Turn(turn.began, turn.began + then.ended - then.began, then.cpu, then.wall)
        if not clock.spend(turn.cpu, turn.wall) and fault is None:
            fault = self._fault("late", process.why_overdrawn(turn))
        if fault is not None:
            self._given_up.add(self._last_id)
            if fault.kind == "late":
                process.freeze()
            return Answer(None, turn, fault, None, b"", process.stderr_text())
        note = reply.note
        if note is not None and len(note) > NOTE_LIMIT:
            note = f"{note[:NOTE_LIMIT]}…"
        if process.outage:  # whatever it answers
            fault = Fault("outage", process.outage, shown(self.heard))
            return Answer(None, turn, fault, note, self.heard)
        return Answer(reply.move, turn, None, note, self.heard)

    def end(self, end: End) -> None:
        """Send the bot the places, if it still listens, and let it rest."""
        if self.process.ended is None:
            try:
                self.process.send(encode(end))
            except BotError:
                return  # its seat has played; what it missed is known to everybody
            self.process.end_match()

    def judged(self, *, forfeits: bool) -> None:
        """Keep the last lines; a bot that forfeits is frozen: others are to have the core."""
        self._keep_conversation()
        if forfeits:
            self.process.freeze()

    def measured(self) -> Measured:
        """Return what was measured of the process."""
        found = self.process.measured()
        found.conversation = self._conversation
        return found

    def _keep_conversation(self) -> None:
        """Keep the last lines exchanged, if none were kept before."""
        if not self._conversation:
            sent, heard = self._before
            lines = [f"→ {shown(sent)}", f"← {shown(heard)}"]
            lines += [f"→ {shown(self._sent)}", f"← {shown(self.heard)}"]
            self._conversation = [line for line in lines if line[2:]]

    def _fault_of(self, error: BotError | ProtocolError) -> Fault:
        """Return the fault that came instead of a reply."""
        if error.kind == "unfrozen":
            self._sent, self.heard = self._before  # the ask was not sent
        elif error.kind != "malformed":
            self.heard = self.process.unread()
        return self._fault(error.kind, str(error))

    def _reply_after(self, reply: Reply) -> Reply:
        """Return the reply to the last ask; those to asks that were given up are dropped."""
        while reply.id != self._last_id:
            if reply.id not in self._given_up:
                raise ProtocolError(f"it answers ask {reply.id}; ask {self._last_id} was open")
            self._given_up.remove(reply.id)
            self.heard = self.process.read_line()
            reply = read_reply(self.heard)
        return reply

    def _fault(self, kind: Kind, reason: str) -> Fault:
        self._keep_conversation()
        return Fault(kind, reason, shown(self.heard))


def play_match(
    match: Match,
    seats: Sequence[Seat],
    starts: Sequence[Start],
    before: Callable[[Due], object] | None = None,
    after: Callable[[Due, Answer], Answer] | None = None,
) -> Played:
    """Play a match to its end; `starts` holds what each seat is sent at the beginning.

    `before` is called with each decision before its seat is asked, and `after` with what that
    answers: the match goes on with what it returns.
    """
    unable = [seat.start(start) for seat, start in zip(seats, starts, strict=True)]
    asking = match.asking(unable, [seat.samples for seat in seats])
    began = monotonic()
    answer: Answer | None = None
    while True:
        try:
            event = asking.send(answer)
        except StopIteration:
            break
        seat = seats[event.seat]
        if type(event) is Due:
            if before is not None:
                before(event)
            answer = seat.ask(event.decision, event.view)
            if after is not None:
                answer = after(event, answer)
        else:
            answer = None
            seat.judged(forfeits=event.forfeits)
    end = End(match.places, match.reason)
    for seat in seats:
        seat.end(end)
    return match.played(began, [seat.measured() for seat in seats])
