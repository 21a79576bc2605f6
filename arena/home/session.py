"""A session of a bot with a league: letters both ways, over any number of connections."""

import os
import secrets
import select
from collections.abc import Callable
from contextlib import suppress
from time import monotonic
from typing import Protocol

from arena.author.submitting import Address
from arena.home.copies import Copies, CopyEnd
from arena.home.line import LeagueLine
from arena.home.prepared import Prepared, Watch
from arena.text import counted, duration, safe
from protocol.errors import ProtocolError, Refusal, RunError
from protocol.remote import (
    MOST_AT_ONCE,
    REMOTE_VERSION,
    SILENCE_SECONDS,
    Beat,
    BeginCopy,
    Bye,
    CopyGone,
    CopyLine,
    Declined,
    Echo,
    EndCopy,
    FromLeague,
    OfferSlots,
    Post,
    RemoteHello,
    Welcome,
    encode_frame,
    read_from_league,
)
from referee.sandbox import Launcher

_TICK = 1.0  # seconds after which it is shown how things stand, if nothing happens
_SHOWN_LINES = 12  # of a standard error
_SHOWN = 300  # characters of what the league says
_SHOWN_MATCH = 40  # ... and of what it calls a match
_TOLD = 4000  # characters that the league is told


class Screen(Protocol):
    """Where it is said what happens."""

    def say(self, text: str) -> None:
        """Show a message that stays."""

    def show(self, words: Callable[[], str]) -> None:
        """Show how things stand, if it is time."""


class BotSession:
    """Plays a bot's matches until it is stopped; all in one thread, which waits in `run`."""

    def __init__(
        self,
        address: Address,
        token: str,
        bot: Prepared,
        launcher: Launcher,
        screen: Screen,
        *,
        name: str,
        slots: int,
    ) -> None:
        self._address = address
        self._bot = bot
        self._name = name
        self._screen = screen
        self._slots = slots
        self._most = min(MOST_AT_ONCE, 2 * slots)
        self._secret = secrets.token_hex(16)
        self._post = Post()
        self._epoch = ""  # of the session, as the league calls it
        self._poll = select.poll()
        self._copies = Copies(launcher, bot.run.program, bot.limits, self._poll)
        self._seen_there = 0  # the number of our last letter that the league has seen
        self._newest = 0  # the highest number of a copy that was begun
        self._over = 0  # matches
        self._answers = 0  # lines
        self._trip: float | None = None  # to the league and back, as measured last, in seconds
        self._line = LeagueLine(address, token, self._poll, self._hello, self._told_of_cut)
        self._state = ""  # what goes on in the league
        self._is_stopping = False
        self._last_letter = 0  # the number of that which offers no more slots; 0 before
        self._wake = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
        self._watch: Watch | None = None

    @property
    def on_stop(self) -> str:
        """What is done at a stop, in words that begin a sentence."""
        number = len(self._copies)
        if not number:
            return "Taking no new matches"
        return f"No new matches; the {number} in play will be finished"

    def stop(self) -> None:
        """Take no new matches, and end once those in play are over; for handlers of signals."""
        self._is_stopping = True
        with suppress(OSError):  # it has ended
            os.eventfd_write(self._wake, 1)

    def run(self) -> None:
        """Play until it is stopped.

        Raises Refusal if the bot is to be handed in, ArenaError if what is there at first is no
        arena, and RunError if the league does not want the bot, or does what none may do. The bot's
        copies end with the session.
        """
        self._poll.register(self._wake, select.POLLIN)
        self._watch = Watch(self._bot)
        try:
            while not self._is_over():
                self._turn()
        except ProtocolError as error:
            raise RunError(
                f"{self._address.shown} does not keep to what was agreed: {_short(str(error))}. "
                f"All matches here are ended. Is it the address of an arena of this version?"
            ) from None
        finally:
            self._end()

    def _end(self) -> None:
        if self._watch is not None:
            self._watch.end()
        bye = encode_frame(Bye(n=self._post.number())) if self._line.is_welcome else ""
        self._line.end(last=bye)
        self._copies.end_all()
        wake, self._wake = self._wake, -1
        os.close(wake)

    def _is_over(self) -> bool:
        """Return whether it was stopped, and no match is in play or may just be coming."""
        if not self._is_stopping or self._copies:
            return False
        if not self._line.was_welcome:
            return True
        if not self._line.is_welcome:
            broke = self._line.broke
            return broke is not None and monotonic() - broke > SILENCE_SECONDS
        return 0 < self._last_letter <= self._seen_there

    def _turn(self) -> None:
        """Wait until something happens, and do what follows from it."""
        for descriptor, events in self._poll.poll(1000 * self._patience()):
            if descriptor == self._wake:
                os.eventfd_read(self._wake)
            elif not self._line.ready(descriptor):
                self._copies.ready(descriptor, events)
        for frame in self._line.frames():
            if self._take(read_from_league(frame)):
                break
        self._copies.tick()
        self._tell_news()
        self._look_at_wishes()
        self._line.keep()
        self._screen.show(self._status)

    def _patience(self) -> float:
        """Return how long nothing need be done, if nothing happens: seconds."""
        if self._copies.news or self._line.has_more:
            return 0
        now = monotonic()
        waited = [now + _TICK, self._line.next_look]
        if (until := self._copies.tick()) is not None:
            waited.append(until)
        return max(0.0, min(waited) - now)

    def _hello(self) -> str:
        """Return the first frame of each connection."""
        hello = RemoteHello(
            version=REMOTE_VERSION,
            bot=self._name,
            digest=self._bot.digest,
            session=self._secret,
            slots=0 if self._is_stopping else self._slots,
            epoch=self._epoch,
            seen=self._post.seen,
        )
        return encode_frame(hello)

    def _told_of_cut(self, why: str) -> None:
        """Say that the connection broke."""
        number = len(self._copies)
        wait = f" {_matches(number)} in play {'waits' if number == 1 else 'wait'} for it."
        self._screen.say(f"{why} It is tried again.{wait if number else ''}")

    # What the league says.

    def _take(self, frame: FromLeague) -> bool:
        """Do what a frame asks for; return whether it was the last one of its connection."""
        if isinstance(frame, Declined):
            self._leave(frame)
            return True
        if isinstance(frame, Welcome):
            self._welcome(frame)
        elif not self._line.is_welcome:
            raise ProtocolError("it began before it had said welcome")
        elif isinstance(frame, Beat):
            self._post.forget(frame.seen)
            self._seen_there = frame.seen
            self._trip = frame.trip
            self._state = _short(frame.state).rstrip(".")
            self._line.send(encode_frame(Echo(at=frame.at, seen=self._post.seen)))
        elif self._post.take(frame):
            self._line.is_useful()
            self._carry_out(frame)
        return False

    def _leave(self, frame: Declined) -> None:
        """Come again later if the league ends; raise what it says if it does not want the bot."""
        words = f"{_short(frame.what)} {_short(frame.remedy)}".strip()
        if frame.kind == "wrong" and frame.after is not None and self._line.was_welcome:
            self._line.leave(words, min(frame.after, SILENCE_SECONDS))
            return
        if frame.after is not None:
            words += f" Try again in {duration(frame.after)}."
        if frame.kind == "unknown" and not self._line.was_welcome:
            raise Refusal(404, words)
        raise RunError(words)

    def _welcome(self, frame: Welcome) -> None:
        if self._line.is_welcome:
            raise ProtocolError("it said welcome twice")
        broke = self._line.broke
        took = "" if broke is None else f" after {monotonic() - broke:.1f} s"
        self._epoch = frame.epoch
        if frame.goes_on:
            self._post.forget(frame.seen)
            said = f"Connected again{took}: nothing was lost."
        else:
            lost = len(self._copies)
            self._copies.end_all()
            self._post = Post()
            self._newest = self._seen_there = 0
            self._last_letter = 0
            said = f"Connected again{took}, to a server that begins anew"
            said += (
                f": the copies of {_matches(lost)} end, and new ones are called for."
                if lost
                else "."
            )
        if self._line.was_welcome:
            self._screen.say(said)
        else:
            self._screen.say(self._first_words(frame))
        self._line.welcome()
        for letter in self._post.unseen():
            self._line.send(letter)

    def _first_words(self, frame: Welcome) -> str:
        time = frame.limits.get("move_time")
        has = f", {time:g} s for a decision, the way included" if isinstance(time, float) else ""
        return (
            f"Connected to {_short(frame.league)} as {self._name}: up to "
            f"{_matches(self._slots)} at once{has}. Ctrl-C takes no new ones."
        )

    def _carry_out(self, letter: BeginCopy | CopyLine | EndCopy) -> None:
        number = letter.copy
        if isinstance(letter, BeginCopy):
            if number in self._copies:
                raise ProtocolError(f"it began copy {number} twice")
            if len(self._copies) >= self._most:
                raise ProtocolError(
                    f"it began more than {counted(self._most, 'copy', 'copies')} of the bot, which "
                    f"plays {_matches(self._slots)} at once"
                )
            self._newest = max(self._newest, number)
            self._copies.begin(number, self._most)
        elif number > self._newest:
            raise ProtocolError(f"it spoke of copy {number}, which it never began")
        elif number not in self._copies:
            return  # it has ended by itself, which the league had not heard
        elif isinstance(letter, EndCopy):
            self._over += 1
            self._copies.end(number)
        elif "\n" in letter.line:
            raise ProtocolError("it sent two lines as one")
        else:
            self._copies.send(number, letter.line)

    # What the copies do, and what was wished for here.

    def _tell_news(self) -> None:
        """Write a letter for each line of a copy, and for each that has ended by itself."""
        while self._copies.news:
            news = self._copies.news.popleft()
            number = self._post.number()
            if isinstance(news, CopyEnd):
                self._over += 1
                self._show_gone(news)
                how, stderr = news.how[:_TOLD], news.stderr[-_TOLD:]
                self._mail(CopyGone(n=number, copy=news.copy, how=how, stderr=stderr))
            else:
                self._answers += 1
                self._mail(CopyLine(n=number, copy=news.copy, line=news.line))

    def _mail(self, letter: CopyLine | CopyGone | OfferSlots) -> None:
        frame = self._post.hold(letter)
        if self._line.is_welcome:
            self._line.send(frame)

    def _show_gone(self, news: CopyEnd) -> None:
        match = safe(news.match[:_SHOWN_MATCH]) or "that did not begin"
        last = [line for line in news.stderr.splitlines() if line.strip()][-_SHOWN_LINES:]
        lines = [f"it {news.how}", *(f"  {line}" for line in last)]
        self._screen.say("\n".join(f"match {match}: {line}" for line in lines))

    def _look_at_wishes(self) -> None:
        """Say once that the files have changed; and tell the league once that it is to stop."""
        if self._watch is not None and self._watch.has_changed:
            self._watch = None
            has = f"The files of {self._bot.name} have changed"
            if self._bot.limits.sandbox != "none":
                self._screen.say(f"{has}: they play after `arena connect` is started again.")
            else:
                self._screen.say(
                    f"{has}, and without a sandbox they would play from now on: no new matches are "
                    f"taken. Start `arena connect` again."
                )
                self._is_stopping = True
        if self._is_stopping and not self._last_letter and self._line.was_welcome:
            self._last_letter = self._post.number()
            self._mail(OfferSlots(n=self._last_letter, slots=0))

    @property
    def done(self) -> str:
        """What was done, in words."""
        return f"{_matches(self._over)} over, {self._answered}"

    @property
    def _answered(self) -> str:
        return f"{counted(self._answers, 'line')} answered"

    def _status(self) -> str:
        trip = f", round trip {1000 * self._trip:.0f} ms" if self._trip is not None else ""
        where = "" if self._line.is_welcome else ", not connected"
        playing = f"{_matches(len(self._copies))} in play"
        if not self._copies and self._state:
            playing = f"{self._state}; {playing}"
        return f"{playing}, {self._over} over, {self._answered}{trip}{where}"


def _matches(number: int) -> str:
    return counted(number, "match", "matches")


def _short(text: str) -> str:
    """Return text of the other side as it is shown."""
    return safe(text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…")
